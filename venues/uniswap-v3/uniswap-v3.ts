import type { Log } from '../../chain/logs/log.ts'
import { findPayer, type Payment } from '../payments.ts'
import type { Pool, PoolReader, Price, ReportFact, Venue } from '../venue.ts'
import { decodeInitialize, decodeSwap, topics } from './decode.ts'
import { factory } from './factory.ts'
import { toFraction } from './to-fraction.ts'
import { uniswapV3Trades } from './trades.ts'

/** Pools of Uniswap V3 and its forks, such as PancakeSwap V3. Their liquidity lies in ranges of the price, so no log contains their reserves. */
export const uniswapV3: Venue = {
  name: 'uniswap-v3',
  topics: Object.values(topics),
  swapTopics: [topics.swap, topics.pancakeSwap],
  shared: factory,
  open: (pool, report) => new PoolV3Reader(pool, report),
  trades: uniswapV3Trades,
}

/** A swap is paid for before its log, which carries the price after it. */
class PoolV3Reader implements PoolReader {
  firstPrice: Price | undefined
  readonly #pool: Pool
  readonly #report: ReportFact
  /** The last change of the price without a swap: whether it opens the pool is known later in the transaction. */
  #open: ({ log: Log } & Price) | undefined

  constructor(pool: Pool, report: ReportFact) {
    this.#pool = pool
    this.#report = report
  }

  add(log: Log, takePayments: () => readonly Payment[]): void {
    const payments = takePayments()
    const { tokenFirst } = this.#pool
    if (log.topic0 === topics.initialize) {
      const price = toFraction(decodeInitialize(log), tokenFirst)
      this.firstPrice ??= price
      this.reportPrice()
      this.#open = { log, ...price }
    } else if (log.topic0 === topics.swap || log.topic0 === topics.pancakeSwap) {
      const { recipient, amount0, amount1, sqrtPrice } = decodeSwap(log)
      const price = toFraction(sqrtPrice, tokenFirst)
      this.firstPrice ??= price
      this.reportPrice()
      // What the pool received; negative if it paid out.
      const [token, quote] = tokenFirst ? [amount0, amount1] : [amount1, amount0]
      if (token < 0n && quote > 0n) {
        const amounts = { quoteAmount: quote, tokenAmount: -token }
        this.#report({ kind: 'swap', side: 'buy', ...amounts, recipient, trader: recipient, ...price }, log)
      } else if (token > 0n && quote < 0n) {
        const amounts = { quoteAmount: -quote, tokenAmount: token }
        this.#report({ kind: 'swap', side: 'sell', ...amounts, recipient, trader: findPayer(payments), ...price }, log)
      } else {
        // Amounts so small that one side was rounded to nothing, or a range without liquidity: the price moved all the same.
        this.#open = { log, ...price }
      }
    }
  }

  finish(): void {
    this.reportPrice()
    this.firstPrice = undefined
  }

  reportPrice(): void {
    if (this.#open === undefined) return
    const { log, quote, token } = this.#open
    this.#open = undefined
    this.#report({ kind: 'price', quote, token }, log)
  }
}
