import type { Log } from '../../chain/logs/log.ts'
import { toFraction } from '../uniswap-v3/to-fraction.ts'
import type { Pool, PoolReader, PoolTransfer, Price, ReportFact, Venue } from '../venue.ts'
import { decodeInitialize, decodeSwap, topics } from './decode.ts'
import { poolManager } from './pool-manager.ts'
import { type OpenSwap, SwapWallets } from './swap-wallets.ts'

/**
 * Pools of Uniswap V4, which are all in one contract. As in V3, no log contains their reserves. A swap has the amounts of the pool:
 * what a hook takes from the swapper besides, or adds, is in no log of the manager.
 */
export const uniswapV4: Venue = {
  name: 'uniswap-v4',
  topics: Object.values(topics),
  swapTopics: [topics.swap],
  shared: poolManager,
  open: (pool, report) => new PoolV4Reader(pool, report),
}

/** A swap with its price. */
interface Exchange extends OpenSwap {
  log: Log
  sender: string
  quoteAmount: bigint
  price: Price
}

/** A swap is paid for before or after its log, so swaps are reported at the end of their transaction. */
class PoolV4Reader implements PoolReader {
  firstPrice: Price | undefined
  readonly #pool: Pool
  readonly #report: ReportFact
  readonly #wallets: SwapWallets
  #swaps: Exchange[] = []
  /** The last change of the price without a swap: whether it opens the pool is known later in the transaction. */
  #open: ({ log: Log } & Price) | undefined

  constructor(pool: Pool, report: ReportFact) {
    this.#pool = pool
    this.#report = report
    this.#wallets = new SwapWallets(pool.manager ?? '')
  }

  add(log: Log): void {
    const { tokenFirst } = this.#pool
    if (log.topic0 === topics.initialize) {
      const price = toFraction(decodeInitialize(log), tokenFirst)
      this.firstPrice ??= price
      this.reportPrice()
      this.#open = { log, ...price }
    } else if (log.topic0 === topics.swap) {
      const { sender, amount0, amount1, sqrtPrice } = decodeSwap(log)
      const price = toFraction(sqrtPrice, tokenFirst)
      this.firstPrice ??= price
      this.reportPrice()
      const [token, quote] = tokenFirst ? [amount0, amount1] : [amount1, amount0]
      if (token > 0n && quote < 0n)
        this.#addSwap({ side: 'buy', tokenAmount: token, quoteAmount: -quote, log, sender, price })
      else if (token < 0n && quote > 0n)
        this.#addSwap({ side: 'sell', tokenAmount: -token, quoteAmount: quote, log, sender, price })
      // Amounts so small that one side was rounded to nothing, or a range without liquidity: the price moved all the same.
      else this.#open = { log, ...price }
    }
  }

  addTransfer(transfer: PoolTransfer): void {
    this.#wallets.addTransfer(transfer)
  }

  reportPrice(): void {
    if (this.#open === undefined) return
    const { log, quote, token } = this.#open
    this.#open = undefined
    this.#report({ kind: 'price', quote, token }, log)
  }

  finish(): void {
    this.reportPrice()
    this.#wallets.finish()
    for (const { log, side, quoteAmount, tokenAmount, sender, wallet, price } of this.#swaps) {
      const amounts = { quoteAmount, tokenAmount }
      this.#report({ kind: 'swap', side, ...amounts, recipient: wallet ?? sender, trader: wallet, ...price }, log)
    }
    this.#swaps = []
    this.firstPrice = undefined
  }

  #addSwap(swap: Omit<Exchange, 'wallet'>): void {
    const open: Exchange = { ...swap, wallet: undefined }
    this.#swaps.push(open)
    this.#wallets.addSwap(open)
  }
}
