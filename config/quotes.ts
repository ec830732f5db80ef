import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { text } from './variables.ts'

/** More would overflow what a price and an amount of 128 bits multiply to. */
const MAX_DECIMALS = 36

const Address = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }))
const strict = { additionalProperties: false }

const UsdRoute = Type.Union([
  Type.Object({ fixed: Type.String({ pattern: '^(?!0+(\\.0+)?$)[0-9]{1,15}(\\.[0-9]{1,8})?$' }) }, strict),
  Type.Object({ feed: Address }, strict),
  Type.Object(
    {
      pool: Address,
      venue: Type.Union([Type.Literal('uniswap-v2'), Type.Literal('uniswap-v3')]),
      quote: Type.Union([Type.Literal('native'), Address]),
      minLiquidityUsd: Type.String({ pattern: '^[0-9]{1,12}(\\.[0-9]{1,8})?$' }),
    },
    strict,
  ),
])

const Quotes = Type.Array(
  Type.Object(
    {
      address: Address,
      symbol: Type.String({ pattern: '^[\\w.$₮+-]{1,16}$' }),
      decimals: Type.Integer({ minimum: 0, maximum: MAX_DECIMALS }),
      usd: UsdRoute,
    },
    strict,
  ),
)

/** How the price of a quote asset in US dollars is found. Addresses are in lower case. */
export type UsdRoute = Readonly<Static<typeof UsdRoute>>

/** An asset besides the native coin in which tokens may be priced. */
export interface QuoteSetting {
  readonly address: `0x${string}`
  readonly symbol: string
  readonly decimals: number
  readonly usd: UsdRoute
}

type Given = Static<typeof Quotes>[number]

const lower = (address: string) => address.toLowerCase() as `0x${string}`

function lowerRoute(usd: Given['usd']): UsdRoute {
  if ('feed' in usd) return { feed: lower(usd.feed) }
  if ('fixed' in usd) return usd
  return { ...usd, pool: lower(usd.pool), quote: usd.quote === 'native' ? usd.quote : lower(usd.quote) }
}

const readQuotes = (raw: string): QuoteSetting[] =>
  Value.Decode(Quotes, JSON.parse(raw)).map((one) => ({
    ...one,
    address: lower(one.address),
    usd: lowerRoute(one.usd),
  }))

export const quoteVariables = {
  QUOTES: text(
    {
      description:
        'Assets besides the native coin in which tokens are priced; launches in others are ignored. Append only: ' +
        'an asset counts from the block at which it was added',
      accepts:
        'a JSON array of {"address":"0x...","symbol":"USDC","decimals":6,"usd":{"fixed":"1"}}, where usd may also be ' +
        '{"feed":"0x..."} or {"pool":"0x...","venue":"uniswap-v2|uniswap-v3","quote":"native","minLiquidityUsd":"10000"}; ' +
        `decimals at most ${MAX_DECIMALS}`,
    },
    readQuotes,
    '[]',
  ),
}

/** What is wrong with these assets, and what to do about it. wrapped: addresses of the wrapped native coin. */
export function findQuoteProblems(quotes: readonly QuoteSetting[], wrapped: readonly string[]): string[] {
  const problems: string[] = []
  const known = new Map(quotes.map((quote) => [quote.address as string, quote]))
  const seen = new Set<string>()
  for (const { address, symbol, usd } of quotes) {
    if (seen.has(address)) problems.push(`names ${address} twice: leave one entry for each asset`)
    seen.add(address)
    if (/^0x0{40}$/.test(address) || wrapped.includes(address))
      problems.push(
        `names ${address}, which is the native coin: remove the entry, the native coin is always a quote asset`,
      )
    if (!('pool' in usd) || usd.quote === 'native') continue
    if (!known.has(usd.quote) && !wrapped.includes(usd.quote))
      problems.push(
        `prices ${symbol} in ${usd.quote}, which it does not name: add an entry for that asset, or use native`,
      )
  }
  return problems.concat(quotes.filter(({ address }) => isCircular(address, known)).map(describeCircle))
}

/** Whether the route of an asset leads back to it. */
function isCircular(address: string, known: ReadonlyMap<string, QuoteSetting>): boolean {
  const passed = new Set<string>()
  for (let at: string | undefined = address; at !== undefined && !passed.has(at); ) {
    passed.add(at)
    const usd: UsdRoute | undefined = known.get(at)?.usd
    at = usd && 'pool' in usd ? usd.quote : undefined
    if (at === address) return true
  }
  return false
}

const describeCircle = ({ symbol, address }: QuoteSetting) =>
  `prices ${symbol} (${address}) by a circle of pools: give one asset of the circle a fixed price or a feed`
