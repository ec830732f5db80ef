import { isMint, type TransferEvent } from '../../chain/token-events.ts'
import { getOrCreate } from '../../lib/collections/get-or-create.ts'
import type { EventContext } from '../engine/batch.ts'
import type { Profit } from './cost-basis.ts'
import type { ChainEvent, OfKind, Trade } from './events.ts'
import { type Pair, PairMap } from './pair-map.ts'
import { addToSums, type PairSums } from './pair-sums.ts'
import { makeTokensDelta, type TokensDelta } from './tokens-delta.ts'
import {
  addTurnover,
  addWalletTurnover,
  addWithFees,
  feeInNative,
  makeTurnover,
  makeWalletSums,
  makeWalletTurnover,
  makeWithFees,
  mergeWallets,
  type Turnover,
  type TurnoverWithFees,
  type WalletSums,
  type WalletTurnover,
} from './turnover.ts'

/** Lengths of the sliding windows in seconds. */
export const WINDOWS = { h1: 3_600, h24: 86_400, d7: 7 * 86_400, d30: 30 * 86_400 } as const

/** Volumes in base units of a quote asset that is not the native coin. */
export type QuoteVolumes = Record<'total' | 'h1' | 'h24', bigint>

export interface TokenSums {
  total: Turnover
  h1: Turnover
  h24: Turnover
  /** null: the quote asset is the native coin, or nothing was traded. */
  quoteVolumes: QuoteVolumes | null
  buysH1: number
  sellsH1: number
  buysH24: number
  sellsH24: number
  /** Base units of the quote asset. */
  protocolFees: bigint
  creatorFees: bigint
  creatorFeesClaimed: bigint
  positiveBalances: number
  tradersH24: number
  washVolume: bigint
  /** Unix seconds of the earliest of the trades that were added or undone. */
  earliestTrade?: number
  /** Whether several wallets bought in one transaction. */
  isBundled?: boolean
  /** The last purchase that was added: those of a transaction follow each other. */
  lastPurchase?: { txHash: string; recipient: string }
  /** Volume in native coin by minute, the input of the trending score. */
  minutes?: Map<number, bigint>
}

export interface PlatformDelta extends TokensDelta {
  traders: number
  tradersH24: number
}

export interface Moment {
  block: number
  /** Unix seconds. */
  at: number
}

/** Trades of one age and one day. */
interface AgedSums extends TurnoverWithFees {
  /** The same in the quote asset; null if that is the native coin. */
  quote: { volume: bigint; protocolFees: bigint; creatorFees: bigint } | null
}

/** Sums by age: the number of windows that do not contain the trades, of h1, h24, d7 and d30 in this order. */
type ByAge<Sums> = (Sums | undefined)[]
const AGE = { h1: 0, h24: 1, d7: 2, d30: 3, older: 4 } as const
const AGES = 5
const DAY = WINDOWS.h24

/** Both times in unix seconds. */
function ageOf(time: number, clock: number): number {
  if (time >= clock - WINDOWS.h1) return AGE.h1
  if (time >= clock - WINDOWS.h24) return AGE.h24
  if (time >= clock - WINDOWS.d7) return AGE.d7
  return time >= clock - WINDOWS.d30 ? AGE.d30 : AGE.older
}

export interface PairDelta extends Pair, PairSums {
  balance: bigint
  tradesH24: number
  /** The first transfer or trade of the wallet; null if only a window moved. */
  firstSeen: Moment | null
}

/** Creator fees of a token that a wallet was paid, in base units. */
export interface Payout extends Pair {
  claimed: bigint
}

/**
 * What a transaction adds to the figures that are sums. Sums commute: events may be added in any order, and an event is
 * undone with the sign -1.
 */
export class Deltas {
  readonly pairs = new PairMap<PairDelta>()
  readonly payouts = new PairMap<Payout>()
  /** The pairs added since takeNewPairs. */
  #newPairs: PairDelta[] = []
  readonly #tokens = new Map<string, TokenSums>()
  /** The first key is the kind of the launchpad. */
  readonly #wallets = new Map<string, Map<string, WalletSums>>()
  /*
   * Trades and profits that are not in the sums yet. Adding a trade to one sum of its token and one of its wallet, and these to
   * the sums of all windows and of the platform later, takes a quarter of the additions.
   */
  readonly #ofTokens = new Map<string, Map<number, AgedSums>>()
  /** The first key is the kind of the launchpad. */
  readonly #ofWallets = new Map<string, Map<string, ByAge<WalletTurnover>>>()
  readonly #platform: PlatformDelta = { ...makeTokensDelta(), traders: 0, tradersH24: 0 }
  /** The part of each token in the figures of its launchpad. */
  readonly #parts = new Map<string, TokensDelta>()
  /** The trades of each token, by the start of their day (UTC) in unix seconds. */
  readonly #days = new Map<string, Map<number, TurnoverWithFees>>()

  get tokens(): ReadonlyMap<string, TokenSums> {
    this.#addAged()
    return this.#tokens
  }

  /** The sums of wallets on each kind of launchpad. */
  get walletsByKind(): ReadonlyMap<string, ReadonlyMap<string, WalletSums>> {
    this.#addAged()
    return this.#wallets
  }

  /** The sums of wallets on all launchpads. */
  get wallets(): ReadonlyMap<string, WalletSums> {
    return mergeWallets([...this.walletsByKind.values()])
  }

  get platform(): PlatformDelta {
    this.#addAged()
    return this.#platform
  }

  get parts(): ReadonlyMap<string, TokensDelta> {
    this.#addAged()
    return this.#parts
  }

  get days(): ReadonlyMap<string, ReadonlyMap<number, TurnoverWithFees>> {
    this.#addAged()
    return this.#days
  }

  /** Sums to add to. Read them from `tokens`. */
  token(address: string): TokenSums {
    return getOrCreate(this.#tokens, address, () => ({
      total: makeTurnover(),
      h1: makeTurnover(),
      h24: makeTurnover(),
      quoteVolumes: null,
      buysH1: 0,
      sellsH1: 0,
      buysH24: 0,
      sellsH24: 0,
      protocolFees: 0n,
      creatorFees: 0n,
      creatorFeesClaimed: 0n,
      positiveBalances: 0,
      tradersH24: 0,
      washVolume: 0n,
    }))
  }

  /** Sums to add to, of trades on a kind of launchpad. Read them from `wallets`. */
  wallet(kind: string, address: string): WalletSums {
    return getOrCreate(getOrCreate(this.#wallets, kind, makeMap<string, WalletSums>), address, makeWalletSums)
  }

  pair(token: string, wallet: string, seen?: EventContext): PairDelta {
    let pair = this.pairs.get(token, wallet)
    if (pair === undefined) {
      pair = {
        token,
        wallet,
        balance: 0n,
        bought: 0n,
        sold: 0n,
        sent: 0n,
        spent: 0n,
        proceeds: 0n,
        tradesH24: 0,
        firstSeen: null,
      }
      this.pairs.set(token, wallet, pair)
      this.#newPairs.push(pair)
    }
    if (seen && (pair.firstSeen === null || seen.blockNumber < pair.firstSeen.block)) {
      pair.firstSeen = { block: seen.blockNumber, at: seen.time }
    }
    return pair
  }

  /** The pairs added since the last call. */
  takeNewPairs(): PairDelta[] {
    const taken = this.#newPairs
    this.#newPairs = []
    return taken
  }

  /** Adds new events. clock: see add. */
  addAll(events: readonly ChainEvent[], clock: number): void {
    for (const event of events) this.add(event, clock, 1)
  }

  /** clock: unix seconds, the end of the windows. */
  add(event: ChainEvent, clock: number, sign: 1 | -1): void {
    switch (event.kind) {
      case 'trade':
        this.addTrade(event, event.at, clock, sign)
        break
      case 'transfer':
        this.addTransfer(event, event.at, sign)
        break
      case 'create':
        for (const sums of this.#sumsWith(event.token)) {
          sums.tokens += sign
          if (event.pool !== null) sums.graduated += sign
        }
        break
      case 'graduate':
        for (const sums of this.#sumsWith(event.token)) sums.graduated += sign
        break
      case 'creator-fee-claimed':
        this.#addPayout(event, sign)
    }
  }

  #addPayout({ token, recipient, amount }: OfKind<'creator-fee-claimed'>, sign: 1 | -1): void {
    const signed = BigInt(sign) * amount
    this.token(token).creatorFeesClaimed += signed
    const claimed = (this.payouts.get(token, recipient)?.claimed ?? 0n) + signed
    this.payouts.set(token, recipient, { token, wallet: recipient, claimed })
  }

  /** Adds the profit of a sale on a kind of launchpad, at a time in unix seconds. */
  addProfit(kind: string, wallet: string, time: number, profit: Profit, clock: number, sign: 1 | -1): void {
    const sums = agedSums(this.#walletsOf(kind), wallet, ageOf(time, clock), makeWalletTurnover)
    sums.realized += sign === 1 ? profit.native : -profit.native
    sums.realizedUsd += sign === 1 ? profit.usd : -profit.usd
  }

  private addTrade(trade: Trade, at: EventContext, clock: number, sign: 1 | -1): void {
    const signed = (amount: bigint) => (sign === 1 ? amount : -amount)
    const age = ageOf(at.time, clock)
    const paid = signed(trade.quoteAmount)
    const volume = trade.isNative ? paid : signed(trade.valueNative ?? 0n)
    const volumeUsd = signed(trade.valueUsd ?? 0n)
    // One key for day and age, so that a trade is added to one sum.
    const key = Math.floor(at.time / DAY) * AGES + age
    const ofToken = getOrCreate(getOrCreate(this.#ofTokens, trade.token, makeMap<number, AgedSums>), key, agedZero)
    ofToken.trades += sign
    ofToken.volume += volume
    ofToken.volumeUsd += volumeUsd
    const [protocolFee, creatorFee] = [trade.protocolFee ?? 0n, trade.creatorFee ?? 0n]
    ofToken.protocolFees += signed(trade.isNative ? protocolFee : feeInNative(trade, protocolFee))
    ofToken.creatorFees += signed(trade.isNative ? creatorFee : feeInNative(trade, creatorFee))
    if (!trade.isNative) {
      ofToken.quote ??= { volume: 0n, protocolFees: 0n, creatorFees: 0n }
      ofToken.quote.volume += paid
      ofToken.quote.protocolFees += signed(protocolFee)
      ofToken.quote.creatorFees += signed(creatorFee)
    }
    const ofWallet = agedSums(this.#walletsOf(trade.launchpadKind), trade.trader, age, makeWalletTurnover)
    ofWallet.trades += sign
    ofWallet.volume += volume
    ofWallet.volumeUsd += volumeUsd

    const token = this.token(trade.token)
    if (token.earliestTrade === undefined || at.time < token.earliestTrade) token.earliestTrade = at.time
    if (trade.side === 'buy') addPurchase(token, at.txHash, trade.recipient)
    token.minutes ??= new Map()
    const minute = at.time - (at.time % 60)
    token.minutes.set(minute, (token.minutes.get(minute) ?? 0n) + volume)
    const pair = this.pair(trade.token, trade.trader, at)
    // An unknown seller: what the recipient got is not its proceeds.
    if (trade.traderKnown) addToSums(pair, trade.side, signed(trade.tokenAmount), paid)
    if (age > AGE.h24) return
    const isRecent = age === AGE.h1
    if (trade.side === 'buy') {
      token.buysH24 += sign
      if (isRecent) token.buysH1 += sign
    } else {
      token.sellsH24 += sign
      if (isRecent) token.sellsH1 += sign
    }
    pair.tradesH24 += sign
  }

  /** Adds trades of a token to the last 24 hours of the platform and of its launchpad. */
  addToDay(token: string, turnover: Turnover, fees: { protocolFees: bigint; creatorFees: bigint }): void {
    for (const { h24, protocolFees, creatorFees } of this.#sumsWith(token)) {
      addTurnover(h24, turnover)
      protocolFees.h24 += fees.protocolFees
      creatorFees.h24 += fees.creatorFees
    }
  }

  #walletsOf(kind: string): Map<string, ByAge<WalletTurnover>> {
    return getOrCreate(this.#ofWallets, kind, makeMap<string, ByAge<WalletTurnover>>)
  }

  #sumsWith(token: string): readonly TokensDelta[] {
    return [this.#platform, getOrCreate(this.#parts, token, makeTokensDelta)]
  }

  #addAged(): void {
    for (const [address, byDayAndAge] of this.#ofTokens) {
      const token = this.token(address)
      const days = getOrCreate(this.#days, address, makeMap<number, TurnoverWithFees>)
      for (const [key, sums] of byDayAndAge) {
        const age = key % AGES
        addWithFees(getOrCreate(days, Math.floor(key / AGES) * DAY, makeWithFees), sums)
        addTurnover(token.total, sums)
        const fees = sums.quote ?? sums
        token.protocolFees += fees.protocolFees
        token.creatorFees += fees.creatorFees
        if (sums.quote !== null) addQuoteVolume(token, sums.quote.volume, age)
        for (const { total, protocolFees, creatorFees } of this.#sumsWith(address)) {
          addTurnover(total, sums)
          protocolFees.total += sums.protocolFees
          creatorFees.total += sums.creatorFees
        }
        if (age <= AGE.h1) addTurnover(token.h1, sums)
        if (age > AGE.h24) continue
        addTurnover(token.h24, sums)
        this.addToDay(address, sums, sums)
      }
    }
    for (const [kind, wallets] of this.#ofWallets)
      for (const [address, byAge] of wallets) addWalletAges(this.wallet(kind, address), byAge)
    this.#ofTokens.clear()
    this.#ofWallets.clear()
  }

  /** Tokens that are sent to the zero address are burnt, and counted there. */
  private addTransfer(transfer: TransferEvent, at: EventContext, sign: 1 | -1): void {
    const { token, from, to, value } = transfer
    const signed = sign === 1 ? value : -value
    if (!isMint(transfer)) {
      const sender = this.pair(token, from, at)
      sender.balance -= signed
      if (from !== to) sender.sent += signed
    }
    this.pair(token, to, at).balance += signed
  }
}

function addPurchase(token: TokenSums, txHash: string, recipient: string): void {
  const { lastPurchase } = token
  if (lastPurchase?.txHash === txHash && lastPurchase.recipient !== recipient) token.isBundled = true
  token.lastPurchase = { txHash, recipient }
}

/** Adds trades of an age. */
function addQuoteVolume(token: TokenSums, volume: bigint, age: number): void {
  token.quoteVolumes ??= { total: 0n, h1: 0n, h24: 0n }
  token.quoteVolumes.total += volume
  if (age <= AGE.h24) token.quoteVolumes.h24 += volume
  if (age <= AGE.h1) token.quoteVolumes.h1 += volume
}

export const addQuoteVolumes = (a: QuoteVolumes | null, b: QuoteVolumes): QuoteVolumes =>
  a === null ? b : { total: a.total + b.total, h1: a.h1 + b.h1, h24: a.h24 + b.h24 }

function addWalletAges(to: WalletSums, byAge: ByAge<WalletTurnover>): void {
  for (const [age, sums] of byAge.entries()) {
    if (!sums) continue
    addWalletTurnover(to.total, sums)
    for (const window of ['h24', 'd7', 'd30'] as const) {
      if (age <= AGE[window]) addWalletTurnover(to[window], sums)
    }
  }
}

function agedSums<Sums>(sums: Map<string, ByAge<Sums>>, key: string, age: number, make: () => Sums): Sums {
  const byAge = getOrCreate(sums, key, makeByAge)
  byAge[age] ??= make()
  return byAge[age]
}

const makeMap = <K, V>() => new Map<K, V>()

const makeByAge = () => new Array<undefined>(AGE.older + 1).fill(undefined)

function agedZero(): AgedSums {
  return { ...makeWithFees(), quote: null }
}
