import { zeroAddress } from 'viem'
import type { TransferEvent } from '../../chain/token-events.ts'
import type { EventContext } from '../engine/batch.ts'
import type { Profit } from './cost-basis.ts'
import type { ChainEvent, Trade } from './events.ts'
import { type Pair, PairMap } from './pair-map.ts'
import { addToSums, type PairSums } from './pair-sums.ts'

/** Lengths of the sliding windows in seconds. */
export const WINDOWS = { h1: 3_600, h24: 86_400, d7: 7 * 86_400, d30: 30 * 86_400 } as const

/** Totals of trades. volume in base units of the native coin, volumeUsd with USD_DECIMALS decimals. */
export interface Turnover {
  trades: number
  volume: bigint
  volumeUsd: bigint
}

export interface TokenSums {
  total: Turnover
  h1: Turnover
  h24: Turnover
  buysH1: number
  sellsH1: number
  buysH24: number
  sellsH24: number
  protocolFees: bigint
  creatorFees: bigint
  creatorFeesClaimed: bigint
  positiveBalances: number
  tradersH24: number
  washVolume: bigint
  /** Volume by minute, the input of the trending score. */
  minutes?: Map<number, bigint>
}

/** A wallet's turnover, with the profit of its sales at average cost. */
export interface WalletTurnover extends Turnover {
  realized: bigint
  realizedUsd: bigint
}

export type WalletSums = Record<'total' | 'h24' | 'd7' | 'd30', WalletTurnover>

export interface PlatformDelta {
  total: Turnover
  h24: Turnover
  protocolFees: { total: bigint; h24: bigint }
  creatorFees: { total: bigint; h24: bigint }
  tokens: number
  graduated: number
  traders: number
  tradersH24: number
}

export interface Moment {
  block: number
  /** Unix seconds. */
  at: number
}

/** Trades of one age, with their fees. */
interface AgedSums extends Turnover {
  protocolFees: bigint
  creatorFees: bigint
}

/** Sums by age: the number of windows that do not contain the trades, of h1, h24, d7 and d30 in this order. */
type ByAge<Sums> = (Sums | undefined)[]
const AGE = { h1: 0, h24: 1, d7: 2, d30: 3, older: 4 } as const

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

/**
 * What a transaction adds to the figures that are sums. Sums commute: events may be added in any order, and an event is
 * undone with the sign -1.
 */
export class Deltas {
  readonly pairs = new PairMap<PairDelta>()
  /** The pairs added since takeNewPairs. */
  #newPairs: PairDelta[] = []
  readonly #tokens = new Map<string, TokenSums>()
  readonly #wallets = new Map<string, WalletSums>()
  /*
   * Trades and profits that are not in the sums yet. Adding a trade to one sum of its token and one of its wallet, and these to
   * the sums of all windows and of the platform later, takes a quarter of the additions.
   */
  readonly #ofTokens = new Map<string, ByAge<AgedSums>>()
  readonly #ofWallets = new Map<string, ByAge<WalletTurnover>>()
  readonly #platform: PlatformDelta = {
    total: zero(),
    h24: zero(),
    protocolFees: { total: 0n, h24: 0n },
    creatorFees: { total: 0n, h24: 0n },
    tokens: 0,
    graduated: 0,
    traders: 0,
    tradersH24: 0,
  }

  get tokens(): ReadonlyMap<string, TokenSums> {
    this.#addAged()
    return this.#tokens
  }

  get wallets(): ReadonlyMap<string, WalletSums> {
    this.#addAged()
    return this.#wallets
  }

  get platform(): PlatformDelta {
    this.#addAged()
    return this.#platform
  }

  /** Sums to add to. Read them from `tokens`. */
  token(address: string): TokenSums {
    return getOrCreate(this.#tokens, address, () => ({
      total: zero(),
      h1: zero(),
      h24: zero(),
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

  /** Sums to add to. Read them from `wallets`. */
  wallet(address: string): WalletSums {
    return getOrCreate(this.#wallets, address, () => ({
      total: walletZero(),
      h24: walletZero(),
      d7: walletZero(),
      d30: walletZero(),
    }))
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
        this.#platform.tokens += sign
        break
      case 'graduate':
        this.#platform.graduated += sign
        break
      case 'creator-fee-claimed':
        this.token(event.token).creatorFeesClaimed += BigInt(sign) * event.amount
    }
  }

  /** Adds the profit of a sale at a time in unix seconds. */
  addProfit(wallet: string, time: number, profit: Profit, clock: number, sign: 1 | -1): void {
    const sums = agedSums(this.#ofWallets, wallet, ageOf(time, clock), walletZero)
    sums.realized += sign === 1 ? profit.native : -profit.native
    sums.realizedUsd += sign === 1 ? profit.usd : -profit.usd
  }

  private addTrade(trade: Trade, at: EventContext, clock: number, sign: 1 | -1): void {
    const signed = (amount: bigint) => (sign === 1 ? amount : -amount)
    const age = ageOf(at.time, clock)
    const volume = signed(trade.quoteAmount)
    const volumeUsd = signed(trade.valueUsd ?? 0n)
    const ofToken = agedSums(this.#ofTokens, trade.token, age, agedZero)
    ofToken.trades += sign
    ofToken.volume += volume
    ofToken.volumeUsd += volumeUsd
    ofToken.protocolFees += signed(trade.protocolFee ?? 0n)
    ofToken.creatorFees += signed(trade.creatorFee ?? 0n)
    const ofWallet = agedSums(this.#ofWallets, trade.trader, age, walletZero)
    ofWallet.trades += sign
    ofWallet.volume += volume
    ofWallet.volumeUsd += volumeUsd

    const token = this.token(trade.token)
    token.minutes ??= new Map()
    const minute = at.time - (at.time % 60)
    token.minutes.set(minute, (token.minutes.get(minute) ?? 0n) + volume)
    const pair = this.pair(trade.token, trade.trader, at)
    // An unknown seller: what the recipient got is not its proceeds.
    if (trade.traderKnown) addToSums(pair, trade.side, signed(trade.tokenAmount), volume)
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

  #addAged(): void {
    for (const [address, byAge] of this.#ofTokens) {
      const token = this.token(address)
      for (const [age, sums] of byAge.entries()) {
        if (!sums) continue
        addTurnover(token.total, sums)
        token.protocolFees += sums.protocolFees
        token.creatorFees += sums.creatorFees
        addTurnover(this.#platform.total, sums)
        this.#platform.protocolFees.total += sums.protocolFees
        this.#platform.creatorFees.total += sums.creatorFees
        if (age <= AGE.h1) addTurnover(token.h1, sums)
        if (age > AGE.h24) continue
        addTurnover(token.h24, sums)
        addTurnover(this.#platform.h24, sums)
        this.#platform.protocolFees.h24 += sums.protocolFees
        this.#platform.creatorFees.h24 += sums.creatorFees
      }
    }
    for (const [address, byAge] of this.#ofWallets) {
      const wallet = this.wallet(address)
      for (const [age, sums] of byAge.entries()) {
        if (!sums) continue
        addWalletTurnover(wallet.total, sums)
        for (const window of ['h24', 'd7', 'd30'] as const) {
          if (age <= AGE[window]) addWalletTurnover(wallet[window], sums)
        }
      }
    }
    this.#ofTokens.clear()
    this.#ofWallets.clear()
  }

  /** A mint is a transfer from the zero address, which has no balance. Tokens sent to it are burnt, and counted. */
  private addTransfer({ token, from, to, value }: TransferEvent, at: EventContext, sign: 1 | -1): void {
    const signed = sign === 1 ? value : -value
    if (from !== zeroAddress) {
      const sender = this.pair(token, from, at)
      sender.balance -= signed
      if (from !== to) sender.sent += signed
    }
    this.pair(token, to, at).balance += signed
  }
}

export const DEAD_ADDRESS = '0x000000000000000000000000000000000000dead'

export function addTurnover(to: Turnover, what: Turnover): void {
  to.trades += what.trades
  to.volume += what.volume
  to.volumeUsd += what.volumeUsd
}

export function addWalletTurnover(to: WalletTurnover, what: WalletTurnover): void {
  addTurnover(to, what)
  to.realized += what.realized
  to.realizedUsd += what.realizedUsd
}

function agedSums<Sums>(sums: Map<string, ByAge<Sums>>, key: string, age: number, make: () => Sums): Sums {
  const byAge = getOrCreate(sums, key, makeByAge)
  byAge[age] ??= make()
  return byAge[age]
}

const makeByAge = () => new Array<undefined>(AGE.older + 1).fill(undefined)

function agedZero(): AgedSums {
  return { ...zero(), protocolFees: 0n, creatorFees: 0n }
}

function zero(): Turnover {
  return { trades: 0, volume: 0n, volumeUsd: 0n }
}

function walletZero(): WalletTurnover {
  return { ...zero(), realized: 0n, realizedUsd: 0n }
}

export function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
