import type { StaticDecode, TSchema } from '@sinclair/typebox'
import { TransformDecodeError, Value } from '@sinclair/typebox/value'
import { environment } from './environment.ts'
import { InvalidPartsError, type Note } from './variables.ts'

export type Name = keyof typeof environment
/** Every variable as read: its default when unset, and undefined when it has none. */
export type Values = { [N in Name]: StaticDecode<(typeof environment)[N]> | Undefaulted<N> }
type Undefaulted<N extends Name> = N extends Optional ? undefined : never
type Optional =
  | 'DATABASE_URL'
  | 'DATABASE_DIRECT_URL'
  | 'DATABASE_READ_URL'
  | 'REDIS_URL'
  | 'REDIS_SENTINEL_NAME'
  | 'CHAIN_ID'
  | 'NATIVE_CURRENCY'
  | 'EXPLORER_URL'
  | 'FINALITY_DEPTH'
  | 'MAX_BLOCK_AGE'
  | 'FINE_CANDLE_DAYS'
  | 'PUBLIC_URL'
  | 'SIWE_DOMAIN'
  | 'LOG_FORMAT'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'MARKET'
  | 'S3_BUCKET'
  | 'S3_ENDPOINT'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_SECRET_ACCESS_KEY'
  | 'RATE_LIMIT_ADDRESS'
  | 'FETCH_METADATA'
  | 'KEEPER_KEY'
  | 'MARKET_DATA_NETWORK'
  | 'MARKET_DATA_KEY'
  | 'SOCKET_ORIGINS'
  | 'BRAND_URL'
  | 'BRAND_LOGO_URL'

/** Decimal integers only: Number() accepts '', '0x10' and '1e3', and TypeBox truncates 3000.5. */
const toInteger = (given: unknown) => (/^-?\d+$/.test(String(given)) ? Number(given) : given)

const hidePassword = (raw = '') => raw.replaceAll(/\/\/[^/?#@\s]*@/g, '//…@')

/** Reads each variable by its schema, and adds a line to `problems` for each that is invalid. */
export function readVariables(env: Record<string, string | undefined>, problems: string[]): Values {
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(environment)) {
    const { accepts, secret } = schema as TSchema & Note
    // Compose files pass unset variables as empty strings.
    const raw = env[name]?.trim() || undefined
    const given = raw ?? schema.default
    if (given === undefined) continue
    try {
      values[name] = Value.Decode(schema, schema.type === 'integer' ? toInteger(given) : given)
    } catch (error) {
      const inner = error instanceof TransformDecodeError ? error.error : error
      if (inner instanceof InvalidPartsError) problems.push(...inner.lines.map((line) => name + line))
      else
        problems.push(
          `${name} is ${secret ? 'invalid (value not shown)' : JSON.stringify(hidePassword(raw))}; expected ${accepts}`,
        )
    }
  }
  return values as Values
}
