import type { ViewQuery } from '../../../schemas/view-query.ts'
import type { Random } from '../seeded-random.ts'
import { addressOf, type MarketToken, type RandomMarket } from './random-market.ts'

/* What a view must list, by a look at every token. */

type Token = MarketToken
type Query = Required<Pick<ViewQuery, 'sort' | 'direction' | 'limit'>> & { filter: Record<string, unknown> }

const UNIT = 10n ** 18n
const usd = (amount: string, nativeUsd: string | null) =>
  nativeUsd === null ? null : Number((BigInt(amount) * BigInt(nativeUsd) * 10n ** 8n) / UNIT) / 1e8

const valuesOf = (token: Token, { clock, nativeUsd }: RandomMarket['state']): Record<string, number | null> => ({
  Age: clock - token.created_at,
  MarketCapUsd: usd(token.market_cap, nativeUsd),
  LiquidityUsd: token.liquidity === null ? null : usd(token.liquidity, nativeUsd),
  'VolumeUsd.h1': nativeUsd === null ? null : token.volume_usd_h1,
  ProgressPct: token.progress,
  'Trades.h1': token.buys_h1 + token.sells_h1,
  Holders: token.holder_count,
})

function matches(token: Token, { filter, sort }: Query, state: RandomMarket['state']): boolean {
  if (token.hidden) return false
  if (sort === 'curve' && token.status === 'graduated') return false
  if (sort === 'graduated' && token.status !== 'graduated') return false
  const { status, hasLinks, featured, creator } = filter
  if (status !== undefined && !String(status).split(',').includes(token.status)) return false
  if (hasLinks !== undefined && hasLinks !== token.has_links) return false
  if (featured !== undefined && featured !== token.featured) return false
  if (creator !== undefined && creator !== token.creator) return false
  return Object.entries(valuesOf(token, state)).every(([name, value]) => {
    const [min, max] = [filter[`min${name}`], filter[`max${name}`]] as (number | undefined)[]
    if (min === undefined && max === undefined) return true
    return value !== null && value >= (min ?? -Infinity) && value <= (max ?? Infinity)
  })
}

/** The value that an order is by, null where it is unknown, and what orders equal ones: the smaller first. */
const keys: Record<Query['sort'], (token: Token) => readonly [value: number | null, tie: number]> = {
  trending: ({ trend, id }) => [trend, id],
  newest: ({ created_block, created_log }) => [created_block, -created_log],
  mcap: ({ market_cap, id }) => [Number(market_cap), id],
  volume: ({ volume_h24, id }) => [volume_h24, id],
  curve: ({ progress, id }) => [progress, id],
  graduated: ({ graduated_block, graduated_log }) => [graduated_block, -graduated_log!],
  liquidity: ({ liquidity, id }) => [liquidity === null ? null : Number(liquidity), id],
  trades: ({ buys_h24, sells_h24, id }) => [buys_h24 + sells_h24, id],
  holders: ({ holder_count, id }) => [holder_count, id],
  change: ({ price_h24, id }) => [price_h24 === null ? null : 1 / price_h24, id],
}

/** The records that the view of a query lists, in order. */
export function listNaively(market: RandomMarket, query: Query) {
  const sign = query.direction === 'asc' ? 1 : -1
  const isReversed = sign === 1 && ['newest', 'graduated'].includes(query.sort)
  const compare = (a: Token, b: Token) => {
    const [[valueA, tieA], [valueB, tieB]] = [keys[query.sort](a), keys[query.sort](b)]
    const first =
      valueA === null || valueB === null ? Number(valueA === null) - Number(valueB === null) : sign * (valueA - valueB)
    return first || (isReversed ? tieB - tieA : tieA - tieB)
  }
  return [...market.tokens.values()]
    .filter((token) => matches(token, query, market.state))
    .sort(compare)
    .slice(0, query.limit)
    .map(({ id, version }) => ({ address: addressOf(id), version }))
}

/** A random query of a view. Some have few tokens, some more than the view lists. */
export function makeViewQuery(random: Random): Query {
  const pick = <T>(values: readonly T[]) => values[random(values.length)]!
  const filter: Record<string, unknown> = {}
  const bounds: Record<string, readonly number[]> = {
    Age: [0, 30, 600, 1_200],
    MarketCapUsd: [4_000, 10_000, 16_000],
    LiquidityUsd: [2_000, 6_000],
    'VolumeUsd.h1': [100, 300],
    ProgressPct: [18, 70, 90],
    'Trades.h1': [1, 4],
    Holders: [4, 14],
  }
  for (const [name, values] of Object.entries(bounds)) {
    const kind = random(18)
    const [low, high] = [pick(values), pick(values)].sort((a, b) => a - b)
    if (kind === 0 || kind === 2) filter[`min${name}`] = low
    if (kind === 1 || kind === 2) filter[`max${name}`] = high
  }
  if (random(4) === 0) filter.status = pick(['curve', 'completed,curve', 'graduated'])
  if (random(8) === 0) filter.hasLinks = random(2) === 0
  if (random(8) === 0) filter.featured = random(2) === 0
  if (random(8) === 0) filter.creator = addressOf(random(3))
  const direction = pick(['desc', 'desc', 'asc'] as const)
  return { sort: pick(Object.keys(keys) as Query['sort'][]), direction, limit: pick([1, 5, 20, 100]), filter }
}
