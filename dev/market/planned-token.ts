import { type Address, parseEther } from 'viem'
import { newCurve, totalSupply } from '../../chain/curve.ts'
import { predictToken } from '../../chain/token-address.ts'
import {
  type Call,
  type MarketContracts,
  makeApproval,
  makeCreate,
  makeCreatorFeeClaim,
  makeGraduate,
  makeTrade,
  makeTransfer,
  saltOf,
} from './calls.ts'
import type { Listing } from './catalogue.ts'
import { type Exchange, levelOf, roundAmount, type Side, sizeTrade, trade } from './exchange.ts'
import { toDataUri, toIpfsUri } from './metadata.ts'
import type { Random } from './random.ts'

// The reference launchpad's defaults.
const TERMS = { targetQuote: parseEther('6'), protocolFeeBps: 100, creatorFeeBps: 50 }
const MAX_DISTANCE = 0.2
const MIN_DISTANCE = 0.002

export interface Participants {
  contracts: MarketContracts
  /** The first is the deployer; the others trade. */
  wallets: readonly Address[]
  /** Addresses that only receive tokens. */
  outsiders: readonly Address[]
}

/** A planned token in the exact state that the contracts will have after the calls so far. */
export class PlannedToken {
  readonly address: Address
  readonly listing: Listing
  readonly balances = new Map<Address, bigint>()
  exchange: Exchange = { kind: 'curve', curve: newCurve(TERMS.targetQuote, TERMS.protocolFeeBps, TERMS.creatorFeeBps) }
  status: 'curve' | 'completed' | 'graduated' = 'curve'
  trades = 0
  readonly #participants: Participants
  readonly #random: Random
  readonly #order: number
  readonly #traders: readonly Address[]
  readonly #approved = new Set<string>()

  constructor(crowd: Participants, listing: Listing, order: number, random: Random) {
    this.#participants = crowd
    this.#random = random
    this.listing = listing
    this.#order = order
    this.address = predictToken(crowd.contracts.launchpad, this.creator, saltOf(order))
    this.#traders = random.shuffle(crowd.wallets.slice(1)).slice(0, 7 + random.integer(9))
  }

  get creator(): Address {
    return this.#participants.wallets[this.listing.creator] as Address
  }

  launch(): Call[] {
    const { name, symbol, metadata, firstBuy } = this.listing
    const value = parseEther(String(firstBuy))
    const uri = metadata === 'ipfs' ? toIpfsUri(this.listing) : toDataUri(this.listing)
    if (value > 0n) this.#applyTrade('buy', this.creator, value)
    const launch = { creator: this.creator, name, symbol, uri, order: this.#order, terms: TERMS, value }
    return [makeCreate(this.#participants.contracts, launch)]
  }

  graduate(): Call[] {
    if (this.status !== 'completed' || this.exchange.kind !== 'curve')
      throw new Error(`${this.listing.name} is not complete`)
    const held = [...this.balances.values()].reduce((sum, balance) => sum + balance, 0n)
    this.exchange = {
      kind: 'pool',
      quote: this.exchange.curve.realQuote,
      token: totalSupply - held,
      targetQuote: TERMS.targetQuote,
    }
    this.status = 'graduated'
    return [makeGraduate(this.#participants.contracts, this.#participants.wallets[0] as Address, this.address)]
  }

  /** A trade towards the planned level. `age` is 0 at launch and 1 now. */
  trade(age: number): Call[] {
    if (this.status === 'completed') return []
    const random = this.#random
    const goal = levelAt(this.listing.levels, age) * (1 + this.listing.noise * random.normal())
    const gap = goal - levelOf(this.exchange)
    const isNear = Math.abs(gap) < MIN_DISTANCE
    const distance = isNear ? random.between(MIN_DISTANCE, 4 * MIN_DISTANCE) : Math.min(Math.abs(gap), MAX_DISTANCE)
    const wantsToSell = isNear ? random.chance(0.5) : gap < 0
    return (wantsToSell && this.#sell(distance)) || this.#buy(distance)
  }

  transfer(): Call[] {
    const from = this.#pickHolder()
    if (!from) return []
    const others = [...this.#participants.wallets, ...this.#participants.outsiders].filter((wallet) => wallet !== from)
    const to = this.#random.pick(others)
    const amount = roundAmount((this.balanceOf(from) * BigInt(5 + this.#random.integer(25))) / 100n)
    this.#move(from, -amount)
    this.#move(to, amount)
    return [makeTransfer(this.address, from, to, amount)]
  }

  claimFees(): Call[] {
    return [makeCreatorFeeClaim(this.#participants.contracts, this.creator, this.address)]
  }

  /** The wallet with the largest balance, except `others`. */
  largestHolder(others: readonly Address[] = []): Address | undefined {
    const holders = this.#participants.wallets.filter(
      (wallet) => !others.includes(wallet) && this.balanceOf(wallet) > 0n,
    )
    return holders.reduce<Address | undefined>(
      (best, wallet) => (best && this.balanceOf(best) >= this.balanceOf(wallet) ? best : wallet),
      undefined,
    )
  }

  /** Approves a contract that pulls `amount` in the next call. Later refunds are not tracked. */
  pay(from: Address, contract: Address, amount: bigint): Call[] {
    this.#move(from, -amount)
    this.#move(contract, amount)
    return this.#approve(from, contract)
  }

  #approve(owner: Address, spender: Address): Call[] {
    if (this.#approved.has(owner + spender)) return []
    this.#approved.add(owner + spender)
    return [makeApproval(this.address, owner, spender)]
  }

  balanceOf(wallet: Address): bigint {
    return this.balances.get(wallet) ?? 0n
  }

  #buy(distance: number): Call[] {
    const trader = this.#random.pick(this.#traders)
    let amountIn = sizeTrade(this.exchange, 'buy', distance)
    // A token without an ending must not complete its curve by chance.
    if (!this.listing.ending)
      while (trade(this.exchange, 'buy', amountIn).completes) amountIn = roundAmount(amountIn / 2n)
    return [this.#makeTrade('buy', trader, amountIn)]
  }

  #sell(distance: number): Call[] | undefined {
    const trader = this.#pickHolder()
    if (!trader) return undefined
    const balance = this.balanceOf(trader)
    const wanted = sizeTrade(this.exchange, 'sell', distance)
    // Sell the whole balance instead of leaving a small remainder.
    const amountIn = wanted * 100n > balance * 85n ? balance : wanted
    const { uniswapRouter } = this.#participants.contracts
    const approval = this.exchange.kind === 'pool' ? this.#approve(trader, uniswapRouter) : []
    return [...approval, this.#makeTrade('sell', trader, amountIn)]
  }

  #makeTrade(side: Side, trader: Address, amountIn: bigint): Call {
    const exchange = this.exchange.kind
    // The exact output as the minimum: the trade reverts if this arithmetic differs from the contracts'.
    const minimum = this.#applyTrade(side, trader, amountIn)
    return makeTrade(this.#participants.contracts, { exchange, side, token: this.address, trader, amountIn, minimum })
  }

  #applyTrade(side: Side, trader: Address, amountIn: bigint): bigint {
    const { amountOut, after, completes } = trade(this.exchange, side, amountIn)
    this.exchange = after
    if (completes) this.status = 'completed'
    this.#move(trader, side === 'buy' ? amountOut : -amountIn)
    this.trades += 1
    return amountOut
  }

  #pickHolder(): Address | undefined {
    const holders = this.#participants.wallets.filter((wallet) => this.balanceOf(wallet) > 10n ** 18n)
    return this.#random.pickWeighted(holders, (wallet) => Math.sqrt(Number(this.balanceOf(wallet))))
  }

  #move(wallet: Address, amount: bigint): void {
    this.balances.set(wallet, this.balanceOf(wallet) + amount)
  }
}

function levelAt(levels: readonly number[], age: number): number {
  const at = Math.min(Math.max(age, 0), 1) * (levels.length - 1)
  const before = levels[Math.floor(at)] ?? 0
  const after = levels[Math.ceil(at)] ?? before
  return before + (after - before) * (at - Math.floor(at))
}
