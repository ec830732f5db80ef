import { zeroAddress } from 'viem'
import type { Log } from '../../chain/logs/log.ts'
import { decodeTransfer, type TransferEvent, tokenTopics } from '../../chain/token-events.ts'
import { findReserves, inBaseUnits } from '../../launchpads/curve-reserves.ts'
import type {
  CurveStateFact,
  CurveTradeFact,
  GraduationFact,
  LaunchFact,
  Launchpad,
  LaunchpadFact,
  UnpricedTradeFact,
} from '../../launchpads/launchpad.ts'
import { Payments } from '../../venues/payments.ts'
import type { PoolFact, PoolReader, Price } from '../../venues/venue.ts'
import { type Block, type EventContext, isAfter, isSame } from '../engine/batch.ts'
import { decodeOrReject, describeDecodeError, type RejectLog } from '../engine/rejected-logs.ts'
import { decodeCreation, isCreation } from './decode-creation.ts'
import type { ChainEvent } from './events.ts'
import { interpretSwap, interpretTrade } from './interpret-trades.ts'
import { pairTransfers } from './pair-transfers.ts'
import { BlockPricing } from './pricing.ts'
import {
  DEFAULT_DECIMALS,
  findManager,
  findPool,
  findQuote,
  type KnownPool,
  type Launch,
  type Registry,
  wasLaunchedBy,
} from './registry.ts'

/**
 * Decodes the logs of blocks into events, in parts of whole blocks. A swap needs the logs before it and the transfer that
 * paid for it, so a transaction's logs must all be present or none. rejectLog is called for each invalid log. logsPerPart: the
 * least number of logs in a part.
 */
export function* interpretBlocks(
  blocks: readonly Block[],
  registry: Registry,
  rejectLog?: RejectLog,
  logsPerPart = LOGS_PER_PART,
): Generator<readonly ChainEvent[]> {
  let events: ChainEvent[] = []
  let logs = 0
  for (const block of blocks) {
    interpretBlock(block, registry, events, rejectLog)
    logs += block.logs.length
    if (logs < logsPerPart) continue
    yield events
    events = []
    logs = 0
  }
  yield events
}

/** A few milliseconds' work, and few enough events to be dropped before V8 moves them to the old generation. */
const LOGS_PER_PART = 4_000

function interpretBlock(block: Block, registry: Registry, out: ChainEvent[], rejectLog: RejectLog | undefined): void {
  const interpreter = new BlockInterpreter(block, registry, out, rejectLog)
  for (const log of block.logs) interpreter.add(log)
  interpreter.finish()
}

/** Appends the events of one block to a list. */
class BlockInterpreter {
  readonly #block: Block
  readonly #registry: Registry
  readonly #pricing: BlockPricing
  readonly #out: ChainEvent[]
  readonly #rejectLog: RejectLog | undefined
  readonly #readers = new Map<string, PoolReader>()
  /** The readers of the pools with logs in this transaction. */
  readonly #open = new Set<PoolReader>()
  /** Pools into which a token graduates in this transaction. */
  readonly #opening = new Set<string>()
  readonly #payments = new Payments()
  /** Trades of this transaction whose reserves are still to come, by token. */
  readonly #unpriced = new Map<string, { fact: UnpricedTradeFact; at: EventContext }>()
  /** States of curves in this transaction whose trade is still to come, by token. */
  readonly #states = new Map<string, CurveStateFact>()
  /** Tokens minted in this transaction. */
  readonly #minted = new Map<string, bigint>()
  /** Where the events of this transaction begin. */
  #start: number
  /** Whether a log of a pool in this transaction was reported after later logs. */
  #isUnordered = false
  #txHash = ''
  #previous: Log | undefined

  constructor(block: Block, registry: Registry, out: ChainEvent[], rejectLog: RejectLog | undefined) {
    this.#block = block
    this.#registry = registry
    this.#pricing = new BlockPricing(block, registry.quotes)
    this.#out = out
    this.#start = out.length
    this.#rejectLog = rejectLog
  }

  add(log: Log): void {
    if (this.#previous === undefined || !log.hasTransactionOf(this.#previous)) this.#startTransaction(log)
    this.#previous = log
    const at = this.#locate(log)
    const launchpad = this.#registry.launchpads.get(log.address)
    if (launchpad !== undefined) this.#addLaunchpadLog(log, at, launchpad)
    else {
      const launched = this.#registry.tokens.get(log.address)
      const isOfToken =
        launched !== undefined && at.blockNumber >= launched.blockNumber && this.#addTokenLog(log, at, launched)
      if (!isOfToken) this.#addPoolLog(log, at)
    }
  }

  /** Call after the last log. */
  finish(): void {
    for (const reader of this.#open) reader.finish()
    this.#open.clear()
    this.#opening.clear()
    for (const token of [...this.#unpriced.keys()]) this.#rejectUnpriced(token)
    this.#states.clear()
    this.#minted.clear()
    if (this.#isUnordered) sortFrom(this.#out, this.#start)
    this.#isUnordered = false
    pairTransfers(this.#out, this.#start, ({ token, pool }) =>
      pool === null ? null : (this.#registry.held.get(token)?.manager ?? pool),
    )
    this.#start = this.#out.length
  }

  #startTransaction(log: Log): void {
    this.finish()
    this.#payments.clear()
    this.#txHash = log.txHash
  }

  #locate({ logIndex }: Log): EventContext {
    const { number, time, nativeUsd } = this.#block
    return { blockNumber: number, logIndex, txHash: this.#txHash, time, nativeUsd }
  }

  #addLaunchpadLog(log: Log, at: EventContext, launchpad: Launchpad): void {
    const { address } = log
    const fact = this.#decodeFact(launchpad, log, at)
    if (!fact) return
    const reason = findRejectionReason(fact, address, at, this.#registry)
    if (reason !== undefined) {
      const isLaunch = fact.kind === 'create'
      const isUnquoted = isLaunch && findQuote(fact.quoteToken, at.blockNumber, this.#registry) === undefined
      const lacksCreation = !isUnquoted && !this.#registry.tokens.has(fact.token)
      this.#rejectLog?.(at, address, reason, { lacksCreation, quote: isUnquoted ? fact.quoteToken : undefined })
      return
    }
    this.#addFact(fact, at, launchpad)
  }

  #decodeFact(launchpad: Launchpad, log: Log, at: EventContext): LaunchpadFact | undefined {
    if (!isCreation(launchpad, log)) {
      const decode = (one: Log) => launchpad.decode(one, () => [])
      return decodeOrReject(decode, log, at, this.#rejectLog)
    }
    const { fact, reason } = decodeCreation(launchpad, log, this.#block.logs, this.#registry)
    if (reason !== undefined) this.#rejectLog?.(at, log.address, reason)
    return fact
  }

  #addFact(fact: LaunchpadFact, at: EventContext, launchpad: Launchpad): void {
    const { token } = fact
    switch (fact.kind) {
      case 'curve-trade':
        this.#addTrade(fact, at)
        break
      case 'unpriced-trade': {
        const state = this.#states.get(token)
        if (state !== undefined) this.#addPriced(fact, state, at)
        else {
          this.#rejectUnpriced(token)
          this.#unpriced.set(token, { fact, at })
        }
        break
      }
      case 'curve-state':
        this.#addState(fact)
        break
      case 'curve-sold': {
        const state = findReserves(fact, this.#registry.tokens.get(token)!)
        if (state !== undefined) this.#addState(state)
        else this.#rejectLog?.(at, this.#previous!.address, 'The curve has no such reserves')
        break
      }
      case 'create':
        this.#addLaunch(fact, at, launchpad)
        break
      case 'graduate':
        this.#opening.add(fact.pool)
        this.#out.push({ at, ...fact, poolType: this.#findPoolType(fact, launchpad) })
        break
      default:
        this.#out.push({ at, ...fact })
    }
  }

  #addLaunch(fact: LaunchFact, at: EventContext, { kind: launchpadKind, venue }: Launchpad): void {
    const { token } = fact
    const { poolNative, quote } = this.#registry.tokens.get(token)!
    const curve = fact.curve && inBaseUnits(fact.curve, quote)
    const totalSupply = fact.totalSupply ?? this.#minted.get(token) ?? 0n
    const pool = this.#findOwnPool(fact, at)
    const firstPrice = curve
      ? { quote: curve.virtualQuote, token: curve.virtualToken }
      : this.#readFirstPrice(pool ?? '')
    this.#out.push({
      ...{ ...fact, ...this.#describeQuote(token), at, totalSupply },
      ...{ launchpadKind, venue: venue.name, curve, pool, firstPrice },
      ...{ poolNative, poolManager: findManager(venue, this.#registry.shared) },
    })
  }

  /** The pool in which a token is launched, unless it is another token's. */
  #findOwnPool({ token, pool }: LaunchFact, at: EventContext): string | null {
    const known = pool === null ? undefined : this.#registry.pools.get(pool)
    return known?.token === token && isSame(known.since, at) ? pool : null
  }

  /** The type of a pool that may be of several, by its logs in the transaction of the graduation. */
  #findPoolType({ pool }: GraduationFact, { venue: { typeOf } }: Launchpad): string | null {
    if (typeOf === undefined) return null
    const isOwn = (log: Log) => log.address === pool && log.hasTransactionOf(this.#previous!)
    for (const log of this.#block.logs) {
      const type = isOwn(log) ? typeOf(log) : undefined
      if (type !== undefined) return type
    }
    return null
  }

  #readFirstPrice(pool: string): Price {
    const reader = this.#readers.get(pool)
    reader?.reportPrice()
    return reader?.firstPrice ?? { quote: 0n, token: 0n }
  }

  #addState(state: CurveStateFact): void {
    const trade = this.#unpriced.get(state.token)
    if (trade !== undefined) this.#addPriced(trade.fact, state, trade.at)
    else this.#states.set(state.token, state)
  }

  /** A trade and the state beside it. Each belongs to one other. */
  #addPriced(trade: UnpricedTradeFact, state: CurveStateFact, at: EventContext): void {
    this.#unpriced.delete(trade.token)
    this.#states.delete(trade.token)
    this.#addTrade({ ...trade, ...state, kind: 'curve-trade' }, at)
  }

  #rejectUnpriced(token: string): void {
    const trade = this.#unpriced.get(token)
    if (trade === undefined) return
    this.#unpriced.delete(token)
    this.#rejectLog?.(trade.at, trade.fact.launchpad, 'The reserves after the trade are missing')
  }

  /** The quote asset of a launch, with its value. */
  #describeQuote(token: string) {
    const { quote, decimals } = this.#registry.tokens.get(token)!
    return {
      ...{ decimals, quoteToken: quote?.address ?? zeroAddress, quoteDecimals: quote?.decimals ?? DEFAULT_DECIMALS },
      ...{ isNative: quote === null, rateNative: this.#pricing.ratesOf(quote).rate },
    }
  }

  #addTrade(fact: CurveTradeFact, at: EventContext): void {
    const launch = this.#registry.tokens.get(fact.token)!
    const prices = this.#pricing.pricesOf(launch, fact.virtualQuote, fact.virtualToken)
    this.#out.push(interpretTrade(fact, at, launch, prices, this.#pricing.valueOf(launch, fact.quoteAmount)))
  }

  /** Returns whether the log is an event of a token; the address may be a pool's as well. */
  #addTokenLog(log: Log, at: EventContext, { creator }: Launch): boolean {
    const { topic0, topicCount } = log
    // An ERC-721 Transfer has the same topic0 and four topics.
    if (topic0 === tokenTopics.transfer && topicCount === 3) {
      const transfer = decodeOrReject(decodeTransfer, log, at, this.#rejectLog)
      if (transfer) this.#addTransfer(transfer, at)
      return true
    }
    if (topic0 !== tokenTopics.contractUriUpdated || topicCount !== 1) return false
    this.#out.push({ kind: 'metadata-update', at, token: log.address, creator })
    return true
  }

  #addTransfer({ token, from, to, value }: TransferEvent, at: EventContext): void {
    if (this.#registry.pools.get(to)?.token === token) this.#payments.add(to, { from, value })
    const held = this.#registry.held.get(token)
    if (held !== undefined && (from === held.manager || to === held.manager))
      this.#openReader(held).addTransfer?.({ from, to, value })
    if (from === zeroAddress) this.#minted.set(token, (this.#minted.get(token) ?? 0n) + value)
    // Field by field in hot paths: a spread takes ten times as long.
    this.#out.push({ kind: 'transfer', at, token, from, to, value, isLoose: false })
  }

  #addPoolLog(log: Log, at: EventContext): void {
    const { address } = log
    const pool = findPool(this.#registry, log)
    if (!pool || at.blockNumber < pool.since.blockNumber) return
    try {
      this.#openReader(pool).add(log, () => this.#payments.take(address))
    } catch (error) {
      this.#rejectLog?.(at, address, describeDecodeError(error))
    }
  }

  #openReader(pool: KnownPool): PoolReader {
    const reader = this.#readerOf(pool)
    this.#open.add(reader)
    return reader
  }

  #readerOf(pool: KnownPool): PoolReader {
    const known = this.#readers.get(pool.address)
    if (known !== undefined) return known
    const reader = pool.venue.open(pool, (fact, log) => this.#addPoolFact(fact, pool, this.#locate(log)))
    this.#readers.set(pool.address, reader)
    return reader
  }

  #addPoolFact(fact: PoolFact, pool: KnownPool, at: EventContext): void {
    const { token } = pool
    const launch = this.#registry.tokens.get(token)!
    const prices = this.#pricing.pricesOf(launch, fact.quote, fact.token)
    this.#isUnordered ||= at.logIndex !== this.#previous?.logIndex
    if (fact.kind === 'swap') {
      this.#out.push(interpretSwap(fact, pool, at, launch, prices, this.#pricing.valueOf(launch, fact.quoteAmount)))
      return
    }
    const isOpen = pool.isDirect || this.#opening.has(pool.address) || isAfter(at, pool.since)
    const shown = isOpen ? prices : { ...prices, price: null, priceUsd: null, priceNative: null }
    this.#out.push({ kind: 'pool-state', at, token, poolQuote: fact.quote, poolToken: fact.token, ...shown })
  }
}

/** Sorts events of one block from an index on. */
function sortFrom(events: ChainEvent[], start: number): void {
  const sorted = events.splice(start).sort((a, b) => a.at.logIndex - b.at.logIndex)
  for (const event of sorted) events.push(event)
}

/** The reason why a fact does not count, given those before it. */
function findRejectionReason(
  fact: LaunchpadFact,
  launchpad: string,
  at: EventContext,
  registry: Registry,
): string | undefined {
  const { tokens, pools } = registry
  const launch = tokens.get(fact.token)
  if (fact.kind === 'create') {
    if (findQuote(fact.quoteToken, at.blockNumber, registry) === undefined)
      return `QUOTES does not name the asset ${fact.quoteToken}, in which the token is priced`
    return isSame(launch, at) ? undefined : 'The token was launched before'
  }
  if (!wasLaunchedBy(launch, launchpad, at)) return 'This launchpad has not launched the token'
  if (fact.kind !== 'graduate') return undefined
  const pool = pools.get(fact.pool)
  const isFirst = pool !== undefined && pool.token === fact.token && isSame(pool.since, at)
  return isFirst ? undefined : 'The token has graduated before, or the pool is another’s'
}
