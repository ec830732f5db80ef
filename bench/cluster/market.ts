// The trades of the invented chain: exact trades on curves, block after block.
import { type BuyQuote, type Curve, newCurve, quoteBuy, quoteSell, type SellQuote } from '../../chain/curve.ts'
import {
  countLaunches,
  countTrades,
  creatorOf,
  drawPopular,
  drawWallet,
  isPopular,
  isTradedAgain,
  makeRandom,
  mix,
  type Shape,
  secondTraderOf,
} from './shape.ts'

const ETHER = 10n ** 18n
/** Beyond the reach of this trading, because pools are not part of the chain. */
export const TARGET = 1_000n * ETHER
export const FEES = { protocolFeeBps: 100, creatorFeeBps: 50 }
/** Buys of a popular token that may still be sold. */
const OPEN_BUYS = 16

export type Trade = { token: number; wallet: number; curve: Curve } & (
  | { side: 'buy'; quote: BuyQuote }
  | { side: 'sell'; tokenIn: bigint; quote: SellQuote }
)

/** Receives the events of a block in their order. */
export interface Events {
  /** It is followed by the creator's buy in the same transaction. */
  launch(token: number): void
  trade(trade: Trade): void
}

interface PopularToken {
  curve: Curve
  open: { wallet: number; amount: bigint }[]
}

export const openCurve = (): Curve => newCurve(TARGET, FEES.protocolFeeBps, FEES.creatorFeeBps)

/** 0.01 to 10 coins, small amounts most often. */
const toAmount = (part: number): bigint => (ETHER / 1_000_000n) * BigInt(Math.floor(10_000 * 1_000 ** (part * part)))
const amountOf = (token: number, trade: number) => toAmount(mix(token * 2 + trade) / 2 ** 32)

/** The trades of an unpopular token. */
export function listColdTrades(token: number, shape: Shape, count: number): Trade[] {
  let curve = openCurve()
  return [creatorOf(token, shape), secondTraderOf(token, shape)].slice(0, count).map((wallet, index) => {
    const quote = quoteBuy(curve, amountOf(token, index))
    curve = quote.after
    return { token, wallet, side: 'buy', quote, curve }
  })
}

/** Generates the blocks in order. Popular tokens alone need memory. */
export class Market {
  readonly #shape: Shape
  readonly #popular = new Map<number, PopularToken>()
  /** The last block. */
  block = 0

  constructor(shape: Shape) {
    this.#shape = shape
  }

  curveOf(token: number): Curve {
    const popular = this.#popular.get(token)
    return popular?.curve ?? listColdTrades(token, this.#shape, this.countColdTrades(token)).at(-1)!.curve
  }

  /** A second trade is in the block after the launch. */
  countColdTrades = (token: number): number =>
    isTradedAgain(token) && token < countLaunches(this.#shape, this.block - 1) ? 2 : 1

  /** Moves to the next block. */
  step(events?: Events): void {
    const shape = this.#shape
    const block = ++this.block
    const before = countLaunches(shape, Math.max(0, block - 2))
    const known = countLaunches(shape, block - 1)
    const random = makeRandom(block)
    let left = countTrades(shape, block) - countTrades(shape, block - 1)
    for (let token = known; token < countLaunches(shape, block); token++) {
      left -= 1
      this.#launch(token, events)
    }
    for (let token = before; token < known; token++) {
      if (!isTradedAgain(token)) continue
      left -= 1
      if (events) events.trade(listColdTrades(token, shape, 2)[1]!)
    }
    // Before the first launch there is none to trade.
    while (known > 0 && left-- > 0) {
      const trade = this.#trade(drawPopular(known, random), random)
      events?.trade(trade)
    }
  }

  #launch(token: number, events: Events | undefined): void {
    if (!events && !isPopular(token)) return
    const [first] = listColdTrades(token, this.#shape, 1) as [Trade]
    if (isPopular(token)) this.#popular.set(token, { curve: first.curve, open: [] })
    events?.launch(token)
    events?.trade(first)
  }

  /** The more a curve holds, the more is sold. */
  #trade(token: number, random: () => number): Trade {
    const popular = this.#popular.get(token)!
    const { curve, open } = popular
    const full = Number((curve.realQuote * 1_000n) / curve.targetQuote) / 1_000
    if (open.length > 0 && random() < 0.3 + 0.7 * full) {
      const { wallet, amount } = open.splice(Math.floor(random() * open.length), 1)[0]!
      const quote = quoteSell(curve, amount)
      popular.curve = quote.after
      return { token, wallet, side: 'sell', tokenIn: amount, quote, curve: quote.after }
    }
    const amount = toAmount(random())
    const left = curve.targetQuote - curve.realQuote
    const quote = quoteBuy(curve, amount * 2n < left ? amount : left / 100n + 1n)
    const wallet = drawWallet(this.#shape, random)
    open.push({ wallet, amount: quote.tokenOut })
    if (open.length > OPEN_BUYS) open.shift()
    popular.curve = quote.after
    return { token, wallet, side: 'buy', quote, curve: quote.after }
  }
}
