import { decodeEventLog, type Hex, parseAbi } from 'viem'
import type { RpcLog } from '../chain/logs/log.ts'
import type { AuditedQuote, AuditedQuotes } from './rates.ts'

const abi = parseAbi([
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])

/** topic0 of the logs that price a pool, by the type of the pool. */
const poolPriceEvents: Readonly<Record<string, string>> = { 'uniswap-v2': 'Sync', 'uniswap-v3': 'Swap' }

/** The reserves of a pool's two tokens after its last log; undefined before the first. */
export class PoolPriceOracle {
  readonly #asset: AuditedQuote
  readonly #quotes: AuditedQuotes
  readonly #wrappedNative: string
  #reserves: readonly [bigint, bigint] | undefined

  constructor(asset: AuditedQuote, quotes: AuditedQuotes, wrappedNative: string) {
    this.#asset = asset
    this.#quotes = quotes
    this.#wrappedNative = wrappedNative
  }

  add({ address, topics, data }: RpcLog): void {
    const { route } = this.#asset
    if (!('pool' in route) || address.toLowerCase() !== route.pool) return
    try {
      const event = decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data })
      if (event.eventName !== poolPriceEvents[route.venue]) return
      if (event.eventName === 'Sync') this.#reserves = [event.args.reserve0, event.args.reserve1]
      else {
        const { sqrtPriceX96: root, liquidity } = event.args
        this.#reserves = [(liquidity * 2n ** 96n) / root, (liquidity * root) / 2n ** 96n]
      }
    } catch {
      return
    }
  }

  /** The price with 36 decimals. worth: dollars for one whole unit of an asset, null for the native coin. */
  expect(worth: (asset: string | null) => bigint | null): bigint | null | undefined {
    const { route, address, decimals } = this.#asset
    if (!('pool' in route) || this.#reserves === undefined) return undefined
    const base = route.quote === 'native' ? null : this.#quotes.get(route.quote)
    const isFirst = address < (base?.address ?? this.#wrappedNative)
    const [own, other] = isFirst ? this.#reserves : [this.#reserves[1], this.#reserves[0]]
    const places = base?.decimals ?? 18
    const [whole, fraction = ''] = route.minLiquidityUsd.split('.')
    const least = BigInt(`${whole}${fraction.padEnd(8, '0')}`)
    const usd = worth(base?.address ?? null)
    if (least > 0n && (usd === null || (2n * other * usd) / 10n ** BigInt(places) < least)) return null
    if (own === 0n) return null
    const price = (other * 10n ** BigInt(36 + decimals)) / (own * 10n ** BigInt(places))
    return price > 0n && price <= 10n ** 60n ? price : null
  }
}
