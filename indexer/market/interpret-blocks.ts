import { ratioToNumber } from '../../chain/amounts.ts'
import {
  decodeLaunchpadLog,
  decodePoolSwap,
  decodePoolSync,
  decodeTransfer,
  type LaunchpadEvent,
  type PoolSyncEvent,
  type TransferEvent,
  topics,
} from '../../chain/events.ts'
import type { Log } from '../../chain/logs/log.ts'
import { type Block, type EventContext, isAfter, isSame } from '../engine/batch.ts'
import { decodeOrReject, type RejectLog } from '../engine/rejected-logs.ts'
import { decodeCreation } from './decode-creation.ts'
import type { ChainEvent, PoolState } from './events.ts'
import { interpretLaunchpadEvent, interpretSwap, orderReserves } from './interpret-trades.ts'
import { type Payment, Payments } from './payments.ts'
import { type Launch, type Pool, type Registry, wasLaunchedBy } from './registry.ts'

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
