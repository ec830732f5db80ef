import { type Address, numberToHex, parseEther } from 'viem'
import { callNode, callNodeAll } from '../json-rpc.ts'
import {
  type Call,
  type MarketContracts,
  makeApproval,
  makeCreate,
  makeGraduate,
  makePriceUpdate,
  makeTrade,
  makeTransfer,
} from './calls.ts'
import { levelOf, roundAmount, type Side, sizeTrade, trade } from './exchange.ts'
import { inventToken } from './live-listings.ts'
import { toDataUri } from './metadata.ts'
import { fraction, PriceTarget } from './price-target.ts'
import { createRandom, type Random } from './random.ts'
import { MarketReader, type TokenState } from './read-market.ts'
import { sendPacked } from './send.ts'

const MAX_DISTANCE = 0.03
const MIN_DISTANCE = 0.002
const FIRST_LAUNCH_SECONDS = 120
const LAUNCH_SECONDS = 600
/** Each launch delays the next by this much more: dozens in a day, some 130 in a week. */
const LAUNCH_DELAY_SECONDS = 60
const MIN_TOKENS = 5
const NEW_TOKENS = 5
const MAINTENANCE_SECONDS = 20
const GRADUATION_SECONDS = 60
const PRICE_SECONDS = 300
const MEAN_PRICE = 3_000
const MIN_COINS = parseEther('1000')
const REFILLED_COINS = parseEther('10000')

export interface LiveMarketOptions {
  url: string
  contracts: MarketContracts
  /** The node's accounts, lower-case. The first is the deployer. */
  wallets: readonly Address[]
  seed: string
  signal: AbortSignal
}

/**
 * Continuous trading. Every decision reads its state from the chain, so users may trade the same tokens from the same
 * wallets, and a restart continues.
 */
export class LiveMarket {
  readonly #options: LiveMarketOptions
  /**
   * Wallets that trade and launch: neither the deployer nor the last account. A user's transactions from the last one
   * never compete with the market's for a nonce.
   */
  readonly #traders: readonly Address[]
  readonly #reader: MarketReader
  readonly #priceTarget = new PriceTarget()
  /** When each completed curve was first seen. Curves completed before the start (#ignored) are left to users. */
  readonly #completed = new Map<Address, number>()
  readonly #ignored = new Set<Address>()
  #maintainedAt: number | undefined
  #pricedAt = 0
  #launchAt: number | undefined
  #launches = 0
  #steps = 0

  constructor(options: LiveMarketOptions) {
    this.#options = options
    this.#traders = options.wallets.slice(1, -1)
    this.#reader = new MarketReader(options.url, options.contracts, options.signal)
  }

  /** Sends the transactions due at `time` (unix seconds) in one block. Rejects if the node fails. */
  async step(time: number): Promise<{ height: number; calls: number }> {
    const { url, seed, signal } = this.#options
    const height = Number(await callNode<string>(url, 'eth_blockNumber', [], signal))
    // The step count varies the seed after a step that failed or sent nothing.
    const random = createRandom(`${seed}:${height}:${this.#steps++}`)
    const tokens = await this.#reader.listTokens()
    const calls = [
      ...(await this.#launch(random, tokens.length, time)),
      ...(await this.#maintain(random, tokens, time)),
      ...(await this.#tradeSome(random, tokens, time)),
    ]
    await sendPacked(url, calls, signal)
    return { height, calls: calls.length }
  }

  async #launch(random: Random, count: number, time: number): Promise<Call[]> {
    this.#launchAt ??= time + FIRST_LAUNCH_SECONDS
    if (time < this.#launchAt && count >= MIN_TOKENS) return []
    this.#launches += 1
    this.#launchAt = time + (LAUNCH_SECONDS + this.#launches * LAUNCH_DELAY_SECONDS) * random.between(0.7, 1.3)
    const creator = random.pick(this.#traders)
    const value = random.chance(0.8) ? roundAmount(BigInt(Math.round(random.between(0.02, 0.4) * 1e18))) : 0n
    const invented = inventToken(random)
    const terms = await this.#reader.readTerms()
    const launch = { ...invented, creator, uri: toDataUri(invented), order: count, terms, value }
    return [makeCreate(this.#options.contracts, launch)]
  }

  /** Graduates tokens, updates the price feed and refills wallets. */
  async #maintain(random: Random, tokens: readonly Address[], time: number): Promise<Call[]> {
    const isFirst = this.#maintainedAt === undefined
    if (this.#maintainedAt !== undefined && time - this.#maintainedAt < MAINTENANCE_SECONDS) return []
    this.#maintainedAt = time
    await this.#refillWallets()
    return [...(await this.#graduateSome(tokens, time, isFirst)), ...(await this.#updatePrice(random, time))]
  }

  async #graduateSome(tokens: readonly Address[], time: number, isFirst: boolean): Promise<Call[]> {
    const { contracts, wallets } = this.#options
    const calls: Call[] = []
    for (const { address, status } of await this.#reader.readTokens(tokens)) {
      if (status !== 'completed') this.#completed.delete(address)
      else if (isFirst) this.#ignored.add(address)
      else if (!this.#ignored.has(address)) {
        const since = this.#completed.get(address) ?? time
        this.#completed.set(address, since)
        if (time - since >= GRADUATION_SECONDS) calls.push(makeGraduate(contracts, wallets[0] as Address, address))
      }
    }
    return calls
  }

  async #updatePrice(random: Random, time: number): Promise<Call[]> {
    const { contracts, wallets } = this.#options
    if (time - this.#pricedAt < PRICE_SECONDS) return []
    this.#pricedAt = time
    const price = Number((await this.#reader.readPrice()) / 1_000_000n) / 100
    const next = price + random.normal() * 4 + (MEAN_PRICE - price) * 0.01
    return [makePriceUpdate(contracts, wallets[0] as Address, BigInt(Math.round(next * 100)) * 1_000_000n)]
  }

  async #refillWallets(): Promise<void> {
    const { url, wallets, signal } = this.#options
    const coins = await this.#reader.readCoins(wallets)
    const poor = wallets.filter((_, index) => (coins[index] as bigint) < MIN_COINS)
    const refills = poor.map((wallet) => ['anvil_setBalance', [wallet, numberToHex(REFILLED_COINS)]] as const)
    await callNodeAll(url, refills, signal)
  }

  async #tradeSome(random: Random, tokens: readonly Address[], time: number): Promise<Call[]> {
    // Popularity is fixed per token, and doubled for new ones.
    const popularity = tokens.map((token, order) => ({
      token,
      weight: (0.2 + fraction(token, 10)) * (tokens.length - order <= NEW_TOKENS ? 2 : 1),
    }))
    const picked = new Set<Address>()
    for (let left = 1 + random.integer(3); left > 0; left--) {
      const pick = random.pickWeighted(popularity, ({ weight }) => weight)
      if (pick) picked.add(pick.token)
    }
    const calls: Call[] = []
    for (const token of await this.#reader.readTokens([...picked])) {
      if (token.status !== 'completed') calls.push(...(await this.#trade(random, token, time)))
    }
    return calls
  }

  async #trade(random: Random, token: TokenState, time: number): Promise<Call[]> {
    const traders = this.#traders
    const goal = this.#priceTarget.targetLevelOf(token, time)
    const gap = goal - levelOf(token.exchange)
    const isNear = Math.abs(gap) < 2 * MIN_DISTANCE
    const distance = isNear
      ? random.between(MIN_DISTANCE, 3 * MIN_DISTANCE)
      : Math.min(Math.abs(gap) * random.between(0.03, 0.25), goal >= 1 ? MAX_DISTANCE / 2 : MAX_DISTANCE)
    // Some trades move away from the target.
    const side: Side = (isNear ? random.chance(0.5) : random.chance(0.15) !== gap > 0) ? 'buy' : 'sell'
    const balances = await this.#reader.readBalances(token.address, traders)
    const holder = random.pickWeighted(traders, (wallet) => Math.sqrt(Number(balances[traders.indexOf(wallet)])))
    const balance = holder ? (balances[traders.indexOf(holder)] as bigint) : 0n
    if (holder && random.chance(0.04)) {
      const others = traders.filter((wallet) => wallet !== holder)
      return [makeTransfer(token.address, holder, random.pick(others), roundAmount(balance / 10n) || balance)]
    }
    if (side === 'sell' && holder) return this.#sell(token, holder, balance, distance)
    return this.#buy(token, random.pick(traders), distance, goal >= 1)
  }

  async #sell(token: TokenState, trader: Address, balance: bigint, distance: number): Promise<Call[]> {
    const { uniswapRouter } = this.#options.contracts
    const { address, exchange } = token
    const wanted = sizeTrade(exchange, 'sell', distance)
    const amountIn = wanted * 100n > balance * 85n ? balance : wanted
    const mayNeedApproval = exchange.kind === 'pool'
    const allowance = mayNeedApproval ? await this.#reader.readAllowance(address, trader, uniswapRouter) : amountIn
    const approval = allowance < amountIn ? [makeApproval(address, trader, uniswapRouter)] : []
    return [...approval, ...this.#makeTrade(token, 'sell', trader, amountIn)]
  }

  #buy(token: TokenState, trader: Address, distance: number, mayComplete: boolean): Call[] {
    let amountIn = sizeTrade(token.exchange, 'buy', distance)
    while (!mayComplete && amountIn > 0n && trade(token.exchange, 'buy', amountIn).completes) amountIn /= 2n
    return this.#makeTrade(token, 'buy', trader, amountIn)
  }

  #makeTrade({ address, exchange }: TokenState, side: Side, trader: Address, amountIn: bigint): Call[] {
    if (amountIn === 0n) return []
    const { amountOut } = trade(exchange, side, amountIn)
    // A user's trade may come first: accept 10% less instead of reverting.
    const minimum = (amountOut * 9n) / 10n
    const call = { exchange: exchange.kind, side, token: address, trader, amountIn, minimum }
    return [makeTrade(this.#options.contracts, call)]
  }
}
