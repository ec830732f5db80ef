import { nativeToUsd, ratioToNumber } from '../../chain/amounts.ts'
import { validUsdOrNull } from '../../chain/bounds.ts'
import {
  type CompletedEvent,
  type CreateEvent,
  type CreatorFeeClaimedEvent,
  decodeLaunchpadLog,
  decodePoolSwap,
  decodePoolSync,
  decodeTransfer,
  type GraduateEvent,
  type LaunchpadEvent,
  type MetadataUpdateEvent,
  type PoolSwapEvent,
  type PoolSyncEvent,
  type Side,
  type TransferEvent,
  topics,
} from '../../chain/events.ts'
import type { Log } from '../../chain/logs.ts'
import { type Block, type EventContext, isAfter, isSame } from '../engine/batch.ts'
import { decodeOrReject, type RejectLog } from '../engine/rejected-logs.ts'
import { decodeCreation } from './decode-creation.ts'
import { findPayer, type Payment, Payments } from './payments.ts'
import { type Launch, type Pool, type Registry, wasLaunchedBy } from './registry.ts'

/**
 * A trade on a curve or in a pool. virtual* are the reserves after it, whose ratio is the price; real* are null in a
 * pool.
 */
export interface Trade {
  kind: 'trade'
  venue: 'curve' | 'pool'
  side: Side
  token: string
  trader: string
  /** Null for the curve. */
  pool: string | null
  /** False for a sale in a pool by an unknown seller: trader is the recipient then, and nobody can claim it. */
  traderKnown: boolean
  recipient: string
  quoteAmount: bigint
  tokenAmount: bigint
  protocolFee: bigint
  creatorFee: bigint
  virtualQuote: bigint
  virtualToken: bigint
  realQuote: bigint | null
  realToken: bigint | null
  /** USD value at the time of the trade, USD_DECIMALS decimals; null without a feed. */
  valueUsd: bigint | null
  /** Native coin per whole token, for display and candles. */
  price: number
}

export type TradeEvent = Trade & { at: EventContext }

function valueInUsd(quoteAmount: bigint, { quoteUsd }: EventContext): bigint | null {
  if (quoteUsd === null) return null
  const value = nativeToUsd(quoteAmount, quoteUsd)
  return value === 0n ? value : validUsdOrNull(value)
}

/** Reserves of a pool after a Sync without a swap. */
export interface PoolState {
  kind: 'pool-state'
  token: string
  poolQuote: bigint
  poolToken: bigint
  /** Their ratio from the graduation on; null before. */
  price: number | null
}

export type ChainEvent = { at: EventContext } & (
  | Trade
  | PoolState
  | CreateEvent
  | CompletedEvent
  | GraduateEvent
  | CreatorFeeClaimedEvent
  | MetadataUpdateEvent
  | TransferEvent
)

export type OfKind<K extends ChainEvent['kind']> = Extract<ChainEvent, { kind: K }>

export const ofKind = <K extends ChainEvent['kind']>(events: readonly ChainEvent[], kind: K) =>
  events.filter((event): event is OfKind<K> => event.kind === kind)

/**
 * Decodes the logs of blocks into events, in parts of whole blocks. A swap needs the Sync before it and the transfer that
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
  readonly #out: ChainEvent[]
  readonly #rejectLog: RejectLog | undefined
  /** The last Sync of each pool without a swap so far, with the payments into the pool before it. */
  readonly #openSyncs = new Map<string, OpenSync>()
  readonly #payments = new Payments()
  #txHash = ''
  #previous: Log | undefined

  constructor(block: Block, registry: Registry, out: ChainEvent[], rejectLog: RejectLog | undefined) {
    this.#block = block
    this.#registry = registry
    this.#out = out
    this.#rejectLog = rejectLog
  }

  add(log: Log): void {
    if (this.#previous === undefined || !log.hasTransactionOf(this.#previous)) this.#startTransaction(log)
    this.#previous = log
    const { number, time, quoteUsd } = this.#block
    const at = { blockNumber: number, logIndex: log.logIndex, txHash: this.#txHash, time, quoteUsd }
    if (this.#registry.launchpads.has(log.address)) this.#addLaunchpadLog(log, at)
    else {
      const launched = this.#registry.tokens.get(log.address)
      const isOfToken = launched !== undefined && number >= launched.blockNumber && this.#addTokenLog(log, at, launched)
      if (!isOfToken) this.#addPoolLog(log, at)
    }
  }

  /** Call after the last log. */
  finish(): void {
    for (const address of [...this.#openSyncs.keys()]) this.#pushPoolState(address)
  }

  #startTransaction(log: Log): void {
    this.finish()
    this.#payments.clear()
    this.#txHash = log.txHash
  }

  #addLaunchpadLog(log: Log, at: EventContext): void {
    const { address } = log
    const event = decodeLaunchpadEvent(log, at, this.#rejectLog)
    if (!event) return
    const reason = findRejectionReason(event, address, at, this.#registry)
    if (reason !== undefined) {
      this.#rejectLog?.(at, address, reason, !this.#registry.tokens.has(event.token))
      return
    }
    const opened = event.kind === 'graduate' ? this.#openSyncs.get(event.pool) : undefined
    if (opened) opened.isOpening = true
    this.#out.push(interpretLaunchpadEvent(event, at))
  }

  /** Returns whether the log is an event of a token; the address may be a pool's as well. */
  #addTokenLog(log: Log, at: EventContext, { creator }: Launch): boolean {
    const { topic0, topicCount } = log
    // An ERC-721 Transfer has the same topic0 and four topics.
    if (topic0 === topics.transfer && topicCount === 3) {
      const transfer = decodeOrReject(decodeTransfer, log, at, this.#rejectLog)
      if (transfer) this.#addTransfer(transfer, at)
      return true
    }
    if (topic0 !== topics.contractUriUpdated || topicCount !== 1) return false
    this.#out.push({ kind: 'metadata-update', at, token: log.address, creator })
    return true
  }

  #addTransfer({ token, from, to, value }: TransferEvent, at: EventContext): void {
    if (this.#registry.pools.get(to)?.token === token) this.#payments.add(to, { from, value })
    // Field by field in hot paths: a spread takes ten times as long.
    this.#out.push({ kind: 'transfer', at, token, from, to, value })
  }

  #addPoolLog(log: Log, at: EventContext): void {
    const { address, topic0 } = log
    const pool = this.#registry.pools.get(address)
    if (!pool || at.blockNumber < pool.since.blockNumber) return
    if (topic0 === topics.sync) {
      this.#pushPoolState(address)
      const paid = this.#payments.take(address)
      const sync = decodeOrReject(decodePoolSync, log, at, this.#rejectLog)
      if (sync) this.#openSyncs.set(address, { at, sync, pool, payments: paid, isOpening: false })
    } else if (topic0 === topics.swap) {
      const left = this.#openSyncs.get(address)
      const swap = decodeOrReject(decodePoolSwap, log, at, this.#rejectLog)
      const trade = left && swap && interpretSwap(swap, left.sync, pool, at, left.payments)
      if (!trade) return
      this.#openSyncs.delete(address)
      this.#out.push({ at, ...trade })
    }
  }

  #pushPoolState(address: string): void {
    const left = this.#openSyncs.get(address)
    if (left) this.#out.push({ at: left.at, ...toPoolState(left) })
    this.#openSyncs.delete(address)
  }
}

function decodeLaunchpadEvent(log: Log, at: EventContext, rejectLog?: RejectLog): LaunchpadEvent | undefined {
  if (log.topic0 !== topics.create && log.topic0 !== topics.graduate)
    return decodeOrReject(decodeLaunchpadLog, log, at, rejectLog)
  const { event, reason } = decodeCreation(log)
  if (reason !== undefined) rejectLog?.(at, log.address, reason)
  return event
}

interface OpenSync {
  at: EventContext
  sync: PoolSyncEvent
  pool: Pool
  payments: readonly Payment[]
  /** Whether the graduation follows in the same transaction: these reserves open the pool. */
  isOpening: boolean
}

function toPoolState({ at, sync, pool, isOpening }: OpenSync): PoolState {
  const { poolQuote, poolToken } = orderReserves(sync, pool)
  const price = isOpening || isAfter(at, pool.since) ? ratioToNumber(poolQuote, poolToken) : null
  return { kind: 'pool-state', token: pool.token, poolQuote, poolToken, price }
}

/** The reason why an event is invalid, given the events before it. */
function findRejectionReason(
  event: LaunchpadEvent,
  launchpad: string,
  at: EventContext,
  { tokens, pools }: Registry,
): string | undefined {
  const launch = tokens.get(event.token)
  if (event.kind === 'create') return isSame(launch, at) ? undefined : 'The token was launched before'
  if (!wasLaunchedBy(launch, launchpad, at)) return 'This launchpad has not launched the token'
  if (event.kind !== 'graduate') return undefined
  const pool = pools.get(event.pool)
  const isFirst = pool?.token === event.token && isSame(pool.since, at)
  return isFirst ? undefined : 'The token has graduated before, or the pool is another’s'
}

function interpretLaunchpadEvent(event: LaunchpadEvent, at: EventContext): ChainEvent {
  if (event.kind !== 'curve-trade') return { at, ...event }
  return {
    kind: 'trade',
    at,
    venue: 'curve',
    pool: null,
    side: event.side,
    token: event.token,
    trader: event.trader,
    traderKnown: true,
    recipient: event.recipient,
    quoteAmount: event.quoteAmount,
    tokenAmount: event.tokenAmount,
    protocolFee: event.protocolFee,
    creatorFee: event.creatorFee,
    virtualQuote: event.virtualQuote,
    virtualToken: event.virtualToken,
    realQuote: event.realQuote,
    realToken: event.realToken,
    valueUsd: valueInUsd(event.quoteAmount, at),
    price: ratioToNumber(event.virtualQuote, event.virtualToken),
  }
}

/**
 * Converts a swap to a trade. The trader of a buy is the recipient, whom the pair itself pays. The event names no
 * seller: the wallet that paid the most tokens into the pool counts, or else the recipient, marked as unknown. Returns
 * undefined if nothing was exchanged, as in a flash loan repaid in kind.
 */
function interpretSwap(
  swap: PoolSwapEvent,
  sync: PoolSyncEvent,
  pool: Pool,
  at: EventContext,
  payments: readonly Payment[],
): Trade | undefined {
  const zero = { in: swap.amount0In, out: swap.amount0Out }
  const one = { in: swap.amount1In, out: swap.amount1Out }
  const exchanged = measureSwap(pool.tokenFirst ? zero : one, pool.tokenFirst ? one : zero)
  if (!exchanged) return undefined
  const { side, quoteAmount, tokenAmount } = exchanged
  const reserves = orderReserves(sync, pool)
  const trader = side === 'buy' ? swap.to : findPayer(payments)
  return {
    kind: 'trade',
    venue: 'pool',
    pool: pool.address,
    side,
    token: pool.token,
    trader: trader ?? swap.to,
    traderKnown: trader !== undefined,
    recipient: swap.to,
    quoteAmount,
    tokenAmount,
    protocolFee: 0n,
    creatorFee: 0n,
    virtualQuote: reserves.poolQuote,
    virtualToken: reserves.poolToken,
    realQuote: null,
    realToken: null,
    valueUsd: valueInUsd(quoteAmount, at),
    price: ratioToNumber(reserves.poolQuote, reserves.poolToken),
  }
}

interface Flow {
  in: bigint
  out: bigint
}

/**
 * The amounts that a swap exchanged. If one side was paid out, input on that side is not the trader's: coins left in
 * the pair count as input of the next swap. If both were paid out, as in a flash loan, only the difference was traded.
 */
function measureSwap(token: Flow, quote: Flow): Pick<Trade, 'side' | 'quoteAmount' | 'tokenAmount'> | undefined {
  const isFlash = token.out > 0n && quote.out > 0n
  const [tokenNet, quoteNet] = [token.out - token.in, quote.out - quote.in]
  const bought = isFlash ? tokenNet : token.out
  const sold = isFlash ? quoteNet : quote.out
  const [paid, given] = isFlash ? [-quoteNet, -tokenNet] : [quote.in, token.in]
  if (bought > 0n && paid > 0n) return { side: 'buy', quoteAmount: paid, tokenAmount: bought }
  if (sold > 0n && given > 0n) return { side: 'sell', quoteAmount: sold, tokenAmount: given }
  return undefined
}

function orderReserves(sync: PoolSyncEvent, pool: Pool): { poolQuote: bigint; poolToken: bigint } {
  return pool.tokenFirst
    ? { poolToken: sync.reserve0, poolQuote: sync.reserve1 }
    : { poolToken: sync.reserve1, poolQuote: sync.reserve0 }
}
