// The used part of GeckoTerminal's API v2 responses (https://api.geckoterminal.com/docs). Numbers are strings.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { HTTPS } from '../../schemas/links.ts'
import type { Market } from './provider.ts'

const MAX_POOLS = 10

const Optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const digits = '\\d{1,80}(\\.\\d{1,100})?([eE][+-]?\\d{1,3})?$'
const Figure = Optional(Type.String({ pattern: `^${digits}` }))
const Change = Optional(Type.String({ pattern: `^-?${digits}` }))
const Volumes = Optional(Type.Object({ h24: Figure }))
const Changes = Optional(Type.Object({ m5: Change, h1: Change, h24: Change }))
const Reference = Type.Optional(Type.Object({ data: Optional(Type.Object({ id: Type.String({ maxLength: 200 }) })) }))

const PoolId = Type.String({ pattern: '^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$' })

const Pool = Type.Object({
  id: Type.String(),
  type: Type.Literal('pool'),
  attributes: Type.Object({
    address: PoolId,
    name: Optional(Type.String()),
    pool_created_at: Optional(Type.String({ maxLength: 40 })),
    reserve_in_usd: Figure,
    volume_usd: Volumes,
    price_change_percentage: Changes,
  }),
  relationships: Type.Optional(Type.Object({ base_token: Reference, quote_token: Reference, dex: Reference })),
})

/** GET /networks/{network}/tokens/{address}?include=top_pools */
const TokenResponse = Type.Object({
  data: Type.Object({
    attributes: Type.Object({
      address: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
      name: Optional(Type.String()),
      symbol: Optional(Type.String()),
      decimals: Optional(Type.Integer({ minimum: 0, maximum: 255 })),
      image_url: Optional(Type.String()),
      total_supply: Figure,
      price_usd: Figure,
      fdv_usd: Figure,
      market_cap_usd: Figure,
      total_reserve_in_usd: Figure,
      volume_usd: Volumes,
    }),
    relationships: Type.Optional(
      Type.Object({
        top_pools: Type.Optional(Type.Object({ data: Type.Array(Type.Object({ id: Type.String() })) })),
      }),
    ),
  }),
  included: Type.Optional(Type.Array(Type.Object({ type: Type.String() }), { maxItems: 200 })),
})

/** Unix seconds, before the year 10000. */
const Time = Type.Integer({ minimum: 0, maximum: 253_402_300_799 })
const Rate = Type.Number({ minimum: 0, maximum: 1e100 })

/** GET /networks/{network}/pools/{pool}/ohlcv/{timeframe}: rows of time, open, high, low, close, volume. */
export const CandlesResponse = Type.Object({
  data: Type.Object({
    attributes: Type.Object({
      ohlcv_list: Type.Array(Type.Tuple([Time, Rate, Rate, Rate, Rate, Rate]), { maxItems: 1000 }),
    }),
  }),
})

/** Thrown for a response that does not match the API's schema. */
class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError'
}

export function validateResponse<T extends TSchema>(schema: T, answer: unknown): Static<T> {
  if (Value.Check(schema, answer)) return answer
  const first = Value.Errors(schema, answer).First()
  throw new InvalidResponseError(`${first?.path}: ${first?.message}`)
}

/** Converts a token response. Throws InvalidResponseError if it is about another token or a number is not finite. */
export function toMarket(answer: unknown, address: string): Market {
  const { data, included = [] } = validateResponse(TokenResponse, answer)
  const { attributes } = data
  if (attributes.address.toLowerCase() !== address) throw new InvalidResponseError('another token')
  const byId = new Map(
    included
      .filter(({ type }) => type === 'pool')
      .map((entry) => validateResponse(Pool, entry))
      .map((pool) => [pool.id, pool]),
  )
  // `included` is unordered; the references in top_pools are ordered.
  const pools = (data.relationships?.top_pools?.data ?? []).flatMap(({ id }) => byId.get(id) ?? []).slice(0, MAX_POOLS)
  const [first] = pools
  // A pool reports the price changes of its base token only.
  const changes = first && sideOf(first, 'base_token') === address ? first.attributes.price_change_percentage : null
  return {
    address,
    name: toLine(attributes.name),
    symbol: toLine(attributes.symbol),
    decimals: attributes.decimals ?? null,
    totalSupply: /^\d{1,78}(?=(\.0*)?$)/.exec(attributes.total_supply ?? '')?.[0] ?? null,
    imageUrl: toImage(attributes.image_url),
    priceUsd: toFigure(attributes.price_usd),
    marketCapUsd: toFigure(attributes.market_cap_usd),
    fdvUsd: toFigure(attributes.fdv_usd),
    liquidityUsd: toFigure(attributes.total_reserve_in_usd),
    volumeUsd24h: toFigure(attributes.volume_usd?.h24),
    priceChangePct: { m5: toFigure(changes?.m5), h1: toFigure(changes?.h1), h24: toFigure(changes?.h24) },
    pools: pools.map(toPool),
  }
}

function toPool(pool: Static<typeof Pool>): Market['pools'][number] {
  const { attributes, relationships } = pool
  const created = Date.parse(attributes.pool_created_at ?? '')
  return {
    address: attributes.address.toLowerCase(),
    dex: toLine(relationships?.dex?.data?.id),
    name: toLine(attributes.name),
    baseToken: sideOf(pool, 'base_token'),
    quoteToken: sideOf(pool, 'quote_token'),
    liquidityUsd: toFigure(attributes.reserve_in_usd),
    volumeUsd24h: toFigure(attributes.volume_usd?.h24),
    createdAt: Number.isNaN(created) ? null : new Date(created).toISOString(),
  }
}

/** Token ids consist of network and address, as in `polygon_pos_0x…`. */
const sideOf = (pool: Static<typeof Pool>, side: 'base_token' | 'quote_token'): string | null =>
  /0x[0-9a-f]{40}$/.exec(pool.relationships?.[side]?.data?.id.toLowerCase() ?? '')?.[0] ?? null

function toFigure(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null
  const figure = Number(text)
  if (!Number.isFinite(figure)) throw new InvalidResponseError('a figure without end')
  return figure
}

/** Token names are untrusted: removes line breaks and direction overrides, and truncates to 128 characters. */
function toLine(text: string | null | undefined): string | null {
  const line = (text ?? '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '').trim()
  return line === '' ? null : [...line].slice(0, 128).join('')
}

/** The API returns `missing.png` for a token without an image. */
const toImage = (url: string | null | undefined): string | null =>
  url && url.length <= 2048 && HTTPS_URL.test(url) && URL.canParse(url) ? url : null

const HTTPS_URL = new RegExp(`^${HTTPS}$`, 'u')
