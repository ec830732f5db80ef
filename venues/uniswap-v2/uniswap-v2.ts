import type { Log } from '../../chain/logs/log.ts'
import { findPayer, type Payment } from '../payments.ts'
import type { Pool, PoolReader, Price, ReportFact, SwapFact, Venue } from '../venue.ts'
import { decodeSwap, decodeSync, type Swap, type Sync, topics } from './decode.ts'
import { encodePoolTrade } from './encode-trade.ts'
import { factory } from './factory.ts'
import { uniswapV2Trades } from './trades.ts'

/** Pairs of Uniswap V2 and its forks. */
export const uniswapV2: Venue = {
  name: 'uniswap-v2',
  topics: [topics.sync, topics.swap],
  swapTopics: [topics.swap],
  shared: factory,
  open: (pool, report) => new PairReader(pool, report),
  encodeTrade: encodePoolTrade,
  trades: uniswapV2Trades,
}

/** A swap follows the Sync with the reserves after it. A Sync without a swap is a change of the price. */
class PairReader implements PoolReader {
  firstPrice: Price | undefined
  readonly #pool: Pool
  readonly #report: ReportFact
  /** The last Sync without a swap so far, with the payments into the pool before it. */
  #open: { log: Log; sync: Sync; payments: readonly Payment[] } | undefined

  constructor(pool: Pool, report: ReportFact) {
    this.#pool = pool
    this.#report = report
  }

  add(log: Log, takePayments: () => readonly Payment[]): void {
    if (log.topic0 === topics.sync) {
      this.reportPrice()
      const payments = takePayments()
      const sync = decodeSync(log)
      this.firstPrice ??= orderReserves(sync, this.#pool)
      this.#open = { log, sync, payments }
    } else if (log.topic0 === topics.swap) {
      const swap = decodeSwap(log)
      const trade = this.#open && interpretSwap(swap, this.#open.sync, this.#pool, this.#open.payments)
      if (!trade) return
      this.#open = undefined
      this.#report(trade, log)
    }
  }

  finish(): void {
    this.reportPrice()
    this.firstPrice = undefined
  }

  reportPrice(): void {
    if (this.#open === undefined) return
    const { log, sync } = this.#open
    this.#open = undefined
    this.#report({ kind: 'price', ...orderReserves(sync, this.#pool) }, log)
  }
}

/**
 * Converts a swap to a trade. The trader of a buy is the recipient, whom the pair itself pays. The event names no
 * seller: the wallet that paid the most tokens into the pool counts. Returns undefined if nothing was exchanged, as in a
 * flash loan repaid in kind.
 */
function interpretSwap(swap: Swap, sync: Sync, pool: Pool, payments: readonly Payment[]): SwapFact | undefined {
  const zero = { in: swap.amount0In, out: swap.amount0Out }
  const one = { in: swap.amount1In, out: swap.amount1Out }
  const exchanged = measureSwap(pool.tokenFirst ? zero : one, pool.tokenFirst ? one : zero)
  if (!exchanged) return undefined
  const { side, quoteAmount, tokenAmount } = exchanged
  const { quote, token } = orderReserves(sync, pool)
  const trader = side === 'buy' ? swap.to : findPayer(payments)
  return { kind: 'swap', side, quoteAmount, tokenAmount, recipient: swap.to, trader, quote, token }
}

interface Flow {
  in: bigint
  out: bigint
}

/**
 * The amounts that a swap exchanged. If one side was paid out, input on that side is not the trader's: coins left in
 * the pair count as input of the next swap. If both were paid out, as in a flash loan, only the difference was traded.
 */
function measureSwap(token: Flow, quote: Flow): Pick<SwapFact, 'side' | 'quoteAmount' | 'tokenAmount'> | undefined {
  const isFlash = token.out > 0n && quote.out > 0n
  const [tokenNet, quoteNet] = [token.out - token.in, quote.out - quote.in]
  const bought = isFlash ? tokenNet : token.out
  const sold = isFlash ? quoteNet : quote.out
  const [paid, given] = isFlash ? [-quoteNet, -tokenNet] : [quote.in, token.in]
  if (bought > 0n && paid > 0n) return { side: 'buy', quoteAmount: paid, tokenAmount: bought }
  if (sold > 0n && given > 0n) return { side: 'sell', quoteAmount: sold, tokenAmount: given }
  return undefined
}

const orderReserves = ({ reserve0, reserve1 }: Sync, { tokenFirst }: Pool): Price =>
  tokenFirst ? { token: reserve0, quote: reserve1 } : { token: reserve1, quote: reserve0 }
