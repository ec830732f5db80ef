import { sql, type Transaction } from 'kysely'
import { formatUsd, parseUsd } from '../../chain/amounts.ts'
import type { BlockRange } from '../../chain/rpc/split-range.ts'
import { lockForApply } from '../../db/apply-lock.ts'
import type { Db } from '../../db/client.ts'
import { makePartitions } from '../../db/partitions.ts'
import type { Database } from '../../db/schema.ts'
import type { DataChange } from '../../lib/cache/data-versions.ts'
import type { Backfill, DecodedAhead } from './backfill.ts'
import type { Advance, Batch, Block } from './batch.ts'
import { deleteEmptyBlocks, findConflict, type MergedBlocks, mergeStored } from './blocks.ts'
import { listIndexed, selectState } from './contracts.ts'
import { type DecodedBlocks, decodeNewLogs, joinEvents, listEvents, openDecoders, type StoredEvents } from './decode.ts'
import { FinalityError, StaleBatchError, UnseenBlockError } from './errors.ts'
import { type Addition, enqueueLiveEvents, isLiveAt, lacksEvents, type Written } from './live-events.ts'
import type { Checkpoint, Clock, IndexedContracts, IndexedEvent, IndexerModule, NotificationRef } from './module.ts'
import { storeRates } from './prices/quotes.ts'
import { RejectedLogs } from './rejected-logs.ts'
import { joinUndone, NOTHING_UNDONE, type Undone, undoFrom } from './undo.ts'
import { toMultirange } from './unproven.ts'
import { writeNewBlocks } from './write-events.ts'

export const CONTRADICTED = 'the node contradicts a block that was taken as final'

export interface Applied {
  /** Where a batch of the indexer has moved the checkpoint to, after all ranges that were added to it; null for other batches. */
  advance: Advance | null
  /** Number of events applied for the first time. */
  eventCount: number
  /** Events undone by a reorg. */
  undone: readonly IndexedEvent[]
  /** New logs that are invalid and have no effect. */
  rejected: Pick<RejectedLogs, 'count' | 'undecided' | 'unquoted' | 'examples'>
  /** The data that changed. Pass it to the live bus after the commit. */
  change: DataChange
}

export interface ApplyOptions {
  /** The batch as it was decoded before its transaction. Used only if nothing that it depends on has changed since. */
  decoded?: DecodedAhead | undefined
  /** Adds ranges that arrive while the batch is written; see Backfill.openExtension. */
  backfill?: Pick<Backfill, 'openExtension'> | undefined
}

/** Throws FinalityError while the indexer is halted by a reorg of a final block, not while it is stopped or lags. */
export function requireNotHalted({ halted }: { halted: string | null }): void {
  if (halted !== null) throw new FinalityError('the chain was reorganised below a block that was taken as final')
}

/**
 * Applies a batch in the given transaction. Backfill, head, receipt syncs and corrections write every chain-derived row here; a
 * rebuild uses the same writers.
 *
 * Invariants: an event counts once, because the stored logs of a block record what has been applied. Batches commute: a
 * figure is a sum, or carries the position of the event that set it, or is recomputed for the keys touched. Orphaned
 * blocks are undone before their replacements are applied. One lock makes read-modify-write safe.
 */
export const applyBatch = (
  trx: Transaction<Database>,
  modules: readonly IndexerModule[],
  batch: Batch,
  options?: ApplyOptions,
): Promise<Applied> => applyBatches(trx, modules, [{ ...options, batch }])

/**
 * Applies several batches in one transaction; their live events are written together at its end. `add` runs after the last
 * batch, under the lock; what it returns is written with their live events.
 */
export async function applyBatches(
  trx: Transaction<Database>,
  modules: readonly IndexerModule[],
  batches: readonly (ApplyOptions & { batch: Batch })[],
  add?: (rejected: Applied['rejected']) => Promise<Addition>,
): Promise<Applied> {
  await lockForApply(trx)
  const rejected = new RejectedLogs()
  let written = NOTHING_WRITTEN
  let advance: Advance | null = null
  for (const batch of batches) {
    const { reached, ...ofBatch } = await writeBatch(trx, batch, modules, rejected)
    written = joinWritten(written, ofBatch)
    advance = reached
  }
  const change = await enqueueLiveEvents(trx, modules, written, await add?.(rejected))
  return { advance, eventCount: written.eventCount, undone: listEvents(written.undone.events), rejected, change }
}

/** See IndexedContracts.backfilling. */
const NONE_BACKFILLED: IndexedContracts['backfilling'] = new Map()

const NOTHING_WRITTEN: Written = {
  events: [],
  eventCount: 0,
  cacheTags: new Set(),
  tokens: [],
  undone: NOTHING_UNDONE,
  notifications: [],
  stored: [],
  endsGap: false,
}

const joinWritten = (a: Written, b: Written): Written => ({
  events: joinEvents(a.events, b.events),
  eventCount: a.eventCount + b.eventCount,
  cacheTags: new Set([...a.cacheTags, ...b.cacheTags]),
  tokens: a.tokens.concat(b.tokens),
  undone: joinUndone(a.undone, b.undone),
  notifications: a.notifications.concat(b.notifications),
  stored: a.stored.concat(b.stored),
  endsGap: a.endsGap || b.endsGap,
})

/** The steps of a batch: docs/indexer.md, "The data path". */
async function writeBatch(
  trx: Transaction<Database>,
  { batch, backfill, decoded: ahead }: ApplyOptions & { batch: Batch },
  modules: readonly IndexerModule[],
  rejected: RejectedLogs,
): Promise<Written & { reached: Advance | null }> {
  const state = await selectState(trx).executeTakeFirstOrThrow()
  requireApplicable(batch, state)
  // A newer version may have added contracts to chain_state. Their events must be undone, too.
  const listed = listIndexed(state, modules)
  // A receipt sync or a correction has all logs about a token in its transaction, so it leaves none to the backfill of a contract.
  const contracts = batch.advance ? listed : { ...listed, backfilling: NONE_BACKFILLED }
  const undone = await undoOrphanedBlocks(trx, contracts, batch, state)
  if (batch.advance) await requireAllStoredFetched(trx, batch.advance, batch.blocks)
  const merged = await mergeStored(trx, batch.blocks)
  const { isUndone } = undone
  const isBackfilling = listed.backfilling.size > 0
  const decoded = await decodeMerged(trx, contracts, merged, { batch, ahead, state, isUndone, isBackfilling })
  await makePartitions(trx, decoded.blocks)

  // The newest block of a receipt sync above the known head: it is the new head.
  const { advance } = batch
  const newest = advance ? undefined : batch.blocks.findLast(({ number }) => number > state.head_number)
  const clock = { from: state.clock_time, to: advance?.head.time ?? Math.max(state.clock_time, newest?.time ?? 0) }
  const isExtended = advance !== null && !isUndone
  const extend = isExtended
    ? await backfill?.openExtension(trx, { to: advance.to, undoCount: state.undo_count })
    : undefined
  const { last, ...written } = await writeNewBlocks(trx, modules, { decoded, merged, clock, rejected, extend })
  const reached =
    advance && last ? { ...advance, to: last.to, nativeUsd: last.nativeUsd, quotePrices: last.quotePrices } : advance
  // An outage of the node, or a backfill.
  const lacksSome = reached !== null && (state.lacks_events || lacksEvents(written))
  const endsGap = lacksSome && isLiveAt(reached.to.time, clock.to)
  const move = { reached, newest, clock, wasFinal: state.finalized_number, quotes: contracts.quotes }
  await moveState(trx, { ...move, lacksEvents: lacksSome && !endsGap })
  const stored: StoredEvents = decoded.stored ?? new Map()
  const due = reached ? await notifyAtCheckpoint(trx, modules, { ...reached.to, clock: clock.to }, stored) : []
  const notifications = written.notifications.concat(due)
  return { ...written, notifications, stored: [...stored.values()].flat(), undone, reached, endsGap }
}

interface DecodeContext {
  batch: Batch
  /** The batch as it was decoded before the transaction. */
  ahead: DecodedAhead | undefined
  state: ChainState
  /** Whether blocks were undone in the transaction. */
  isUndone: boolean
  /** Whether the backfill of a contract is running. */
  isBackfilling: boolean
}

/** The new events of a batch: those that were decoded ahead, if nothing that they depend on has changed since. */
async function decodeMerged(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  merged: MergedBlocks,
  { batch, ahead, state, isUndone, isBackfilling }: DecodeContext,
): Promise<DecodedBlocks> {
  const { advance, blocks, isHistory } = batch
  const isUnchanged = !isUndone && !blocks.some(({ number }) => merged.isStored(number))
  if (isUnchanged && ahead?.undoCount === state.undo_count) return ahead
  // A receipt sync may have a log whose creation is not stored yet: the node has omitted it, or a backfill will bring it. The
  // log must not be stored as rejected, because a stored log counts as processed.
  const mayLackCreations =
    advance === null &&
    (isUndone || (isBackfilling && !isHistory) || blocks.some(({ number }) => number > state.checkpoint_number))
  return decodeNewLogs(await openDecoders(trx, contracts, merged.blocks), merged, { mayLackCreations })
}

interface Move {
  /** Where a batch of the indexer moves the checkpoint to. */
  reached: Advance | null
  /** The block of another batch that is the new head. */
  newest: Block | undefined
  clock: Clock
  /** The last final block before. */
  wasFinal: number
  quotes: IndexedContracts['quotes']
  /** Whether events up to there were too old to be sent, and subscribers do not know it yet. */
  lacksEvents: boolean
}

/** Moves the checkpoint, or the head alone, with the prices there. */
async function moveState(
  trx: Transaction<Database>,
  { reached, newest, clock, wasFinal, quotes, lacksEvents }: Move,
): Promise<void> {
  if (reached) await moveCheckpoint(trx, reached, { clock, wasFinal, lacksEvents })
  else if (newest) await raiseHead(trx, newest, clock)
  const priced = reached ?? newest
  if (priced) await storeRates(trx, quotes, priced)
}

async function notifyAtCheckpoint(
  trx: Transaction<Database>,
  modules: readonly IndexerModule[],
  checkpoint: Checkpoint,
  stored: StoredEvents,
): Promise<NotificationRef[]> {
  let added: NotificationRef[] = []
  for (const module of modules) {
    const events = stored.get(module)
    if (events) added = added.concat((await module.notifyOfStored?.(trx, events, checkpoint.clock)) ?? [])
    added = added.concat((await module.notifyByTime?.(trx, checkpoint)) ?? [])
  }
  return added
}

type ChainState = {
  checkpoint_number: number
  finalized_number: number
  halted: string | null
  undo_count: number
  lacks_events: boolean
}

/**
 * Throws StaleBatchError if the checkpoint has moved or blocks were undone since a batch of the indexer was fetched, and
 * FinalityError for any other batch while the indexer is halted.
 */
function requireApplicable({ advance }: Batch, state: ChainState): void {
  if (!advance) requireNotHalted(state)
  else if (advance.from !== state.checkpoint_number)
    throw new StaleBatchError(`The batch starts at ${advance.from}, the checkpoint is ${state.checkpoint_number}`)
  else if (advance.undoCount !== undefined && advance.undoCount !== state.undo_count)
    throw new StaleBatchError('Blocks were undone or repaired while the batch was fetched')
}

/** Undoes the stored blocks from the lowest one that the batch replaces or contradicts. */
async function undoOrphanedBlocks(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  { advance, blocks, canonicalBlocks = [] }: Batch,
  state: ChainState,
): Promise<Undone> {
  let undone = NOTHING_UNDONE
  if (advance?.undoAbove !== undefined) undone = await undoFrom(trx, contracts, advance.undoAbove + 1)
  const conflict = await findConflict(trx, [...canonicalBlocks, ...blocks], { comparePrices: advance !== null })
  // Only the indexer may decide that a final block was orphaned.
  if (!advance && conflict !== undefined && conflict <= state.finalized_number) {
    // A stored block above the checkpoint is from a receipt sync and may be orphaned. The indexer compares it when it gets there.
    if (conflict <= state.checkpoint_number) throw new FinalityError(CONTRADICTED)
    throw new StaleBatchError(`Block ${conflict} is final, but the stored block at this height has another hash`)
  }
  if (conflict !== undefined) undone = joinUndone(undone, await undoFrom(trx, contracts, conflict))
  return undone
}

/**
 * Throws UnseenBlockError if a block of the range is stored that the batch lacks. A range has only blocks with logs, and those
 * that were stored when it was fetched. One that a receipt sync has stored since may be orphaned; the next fetch compares it, unless
 * the chain has skipped its height.
 */
async function requireAllStoredFetched(
  trx: Transaction<Database>,
  { from, to }: Advance,
  blocks: readonly Block[],
): Promise<void> {
  if (blocks.length === to.number - from) return
  const offered = new Set(blocks.map(({ number }) => number))
  const stored = await trx
    .selectFrom('blocks')
    .select('number')
    .where('number', '>', from)
    .where('number', '<=', to.number)
    .execute()
  const unseen = stored.find(({ number }) => !offered.has(number))
  if (unseen) throw new UnseenBlockError(unseen.number)
}

async function moveCheckpoint(
  trx: Transaction<Database>,
  advance: Advance,
  { clock, wasFinal, lacksEvents }: Pick<Move, 'clock' | 'wasFinal' | 'lacksEvents'>,
): Promise<void> {
  await trx
    .updateTable('chain_state')
    .set({
      checkpoint_number: advance.to.number,
      checkpoint_hash: advance.to.hash,
      checkpoint_time: advance.to.time,
      clock_time: clock.to,
      head_number: advance.head.number,
      head_time: advance.head.time,
      finalized_number: advance.finalized,
      quote_usd: advance.nativeUsd === null ? null : formatUsd(advance.nativeUsd),
      halted: null,
      lacks_events: lacksEvents,
      unproven: sql`unproven + ${toMultirange(advance.isProven ? [] : listAdvanced(advance))}`,
    })
    .execute()
  // Earlier batches have deleted the empty blocks that were final before.
  await deleteEmptyBlocks({ from: Math.min(wasFinal, advance.from), below: advance.finalized }).execute(trx)
}

/** The blocks that this batch has indexed. */
function listAdvanced({ from, undoAbove = from, to }: Advance): BlockRange[] {
  return to.number > undoAbove ? [{ from: undoAbove + 1, to: to.number }] : []
}

/** A receipt sync moves the clock, the head and the price, but not the checkpoint. */
async function raiseHead(trx: Transaction<Database>, newest: Block, clock: Clock): Promise<void> {
  await trx
    .updateTable('chain_state')
    .set({
      clock_time: clock.to,
      head_number: newest.number,
      head_time: newest.time,
      ...(newest.nativeUsd !== null && { quote_usd: formatUsd(newest.nativeUsd) }),
    })
    .execute()
}

/** The last stored price of the native coin in USD, USD_DECIMALS decimals. */
export async function readNativeUsd(db: Db): Promise<bigint | null> {
  const state = await db.selectFrom('chain_state').select('quote_usd').executeTakeFirst()
  return state?.quote_usd ? parseUsd(state.quote_usd) : null
}
