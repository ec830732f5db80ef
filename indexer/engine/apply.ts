import { sql, type Transaction } from 'kysely'
import { formatUsd, parseUsd } from '../../chain/amounts.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import { announceWritten, type Written } from '../market/announce.ts'
import { collectLatest } from '../market/collect-latest.ts'
import { Deltas } from '../market/deltas.ts'
import { insertRows } from '../market/insert-rows.ts'
import { type ChainEvent, interpretBlocks } from '../market/interpret-blocks.ts'
import { restoreAth } from '../market/restore-latest.ts'
import { restoreLots } from '../market/restore-lots.ts'
import { storeBalances } from '../market/store-balances.ts'
import { collectCandles, storeCandles } from '../market/store-candles.ts'
import { findNotificationsOf, type NotificationRef, storeNotifications } from '../market/store-notifications.ts'
import { storePlatform } from '../market/store-platform.ts'
import { loadFigures, refreshHolders, writeFigures } from '../market/store-tokens.ts'
import { storeWallets } from '../market/store-wallets.ts'
import { sweepWindows } from '../market/sweep-windows.ts'
import { addToFigures } from '../market/token-figures.ts'
import type { Batch, Block } from './batch.ts'
import { findConflict, type StoredLogs, storeNewLogs } from './blocks.ts'
import { type Action, pickLogs } from './domain.ts'
import { domains } from './domains.ts'
import { OutOfOrderError } from './keep-first-creations.ts'
import { type IndexedContracts, isIndexed, loadRegistry } from './registry.ts'
import { RejectedLogs, type RejectLog } from './rejected-logs.ts'
import { joinUndone, NOTHING_UNDONE, type Undone, undoFrom } from './undo.ts'

export const CONTRADICTED = 'the node contradicts a block that was taken as final'

/** Key of the advisory lock that every writer of chain-derived rows takes. */
const APPLY_LOCK = 7_308_339_910

export interface Applied {
  /** Events applied for the first time. */
  events: ChainEvent[]
  /** Events undone by a reorg. */
  undone: ChainEvent[]
  /** New logs that are invalid and have no effect. */
  rejected: Pick<RejectedLogs, 'count' | 'examples'>
  /** Number of rows added to the outbox. Wake the subscribers after the commit. */
  announced: number
}

/** The checkpoint has moved since the batch was fetched, or the batch contradicts final blocks. Fetch again. */
export class StaleBatchError extends Error {
  override name = 'StaleBatchError'
}

/**
 * A receipt contradicts final blocks, or the indexer is halted after a deep reorg. Nothing is written until the chain
 * is back or an operator acts. The message is public.
 */
export class FinalityError extends Error {
  override name = 'FinalityError'
}

/** Throws FinalityError while the indexer is halted; a stopped or lagging indexer is no reason. */
export function requireNotHalted({ halted }: { halted: string | null }): void {
  if (halted !== null) throw new FinalityError('the chain was reorganised below a block that was taken as final')
}

/**
 * Whether rows ahead of the batch block it: rows of an orphaned branch, or a creation that is stored although an
 * earlier one exists. The batch can be applied once they are undone.
 */
export function isRetryableConflict(error: unknown): boolean {
  return error instanceof OutOfOrderError || (error as { code?: unknown } | null)?.code === '23505'
}

/**
 * Applies a batch in the given transaction. Every chain-derived row is written here, by backfill, head following and
 * receipt syncs.
 *
 * Invariants: an event counts once, because the stored logs of a block record what has been applied. Batches commute: a
 * figure is a sum, or carries the position of the event that set it, or is recomputed for the keys touched. Orphaned
 * blocks are undone before their replacements are applied. One lock makes read-modify-write safe.
 */
export const applyBatch = (trx: Transaction<Database>, contracts: IndexedContracts, batch: Batch): Promise<Applied> =>
  applyBatches(trx, contracts, [batch])

/** Applies several batches in one transaction; their live events are written together at its end. */
export async function applyBatches(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  batches: readonly Batch[],
): Promise<Applied> {
  await lockForApply(trx)
  // concat, because a spread into push overflows the stack for large arrays.
  let events: ChainEvent[] = []
  let undone = NOTHING_UNDONE
  let actions: Action[] = []
  let notifications: NotificationRef[] = []
  let end = { clock: 0, chainId: 0 }
  const rejected = new RejectedLogs()
  for (const batch of batches) {
    const written = await writeBatch(trx, contracts, batch, rejected)
    events = events.concat(written.events)
    undone = joinUndone(undone, written.undone)
    actions = actions.concat(written.actions)
    notifications = notifications.concat(written.notifications)
    end = written
  }
  const announced = await announceWritten(trx, { events, undone, actions, notifications }, end)
  return { events, undone: undone.events, rejected, announced }
}

async function writeBatch(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  batch: Batch,
  rejected: RejectedLogs,
): Promise<Written & { clock: number; chainId: number }> {
  const state = await trx.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
  const { advance } = batch
  if (advance && advance.from !== state.checkpoint_number) {
    throw new StaleBatchError(`The batch starts at ${advance.from}, the checkpoint is ${state.checkpoint_number}`)
  }

  if (!advance) requireNotHalted(state)
  const undone = await undoOrphaned(trx, contracts, batch, state)
  if (advance) await requireAllStoredFetched(trx, advance, batch.blocks)
  const stored = await storeNewLogs(trx, await dropForeignLogs(trx, contracts, batch.blocks))
  // A receipt sync ahead of the indexer has seen a newer head.
  const newest = batch.blocks.findLast(({ number }) => !advance && number > state.head_number)
  const clock = advance ? advance.head.time : Math.max(state.clock_time, newest?.time ?? 0)
  const windows = { from: state.clock_time, to: clock }
  const { events, actions, notifications } = await applyBlocks(trx, contracts, stored, windows, rejected)
  if (advance) await moveCheckpoint(trx, advance, { clock, isReorg: undone.events.length > 0 })
  else if (newest) await raiseHead(trx, newest, clock)
  return { events, undone, actions, notifications, clock, chainId: state.chain_id }
}

/** Undoes the stored blocks that the batch replaces. */
async function undoOrphaned(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  { advance, blocks, canonicalBlocks = [] }: Batch,
  state: { checkpoint_number: number; finalized_number: number },
): Promise<Undone> {
  let undone = NOTHING_UNDONE
  if (advance?.forkPoint !== undefined) undone = await undoFrom(trx, contracts, advance.forkPoint + 1)
  const conflict = await findConflict(trx, [...canonicalBlocks, ...blocks], { comparePrices: advance !== null })
  // Only the indexer may decide that a final block was orphaned.
  if (!advance && conflict !== undefined && conflict <= state.finalized_number) {
    // Above the checkpoint only receipt syncs have written: the indexer may still find that the stored block is
    // orphaned.
    if (conflict <= state.checkpoint_number) throw new FinalityError(CONTRADICTED)
    throw new StaleBatchError(`Block ${conflict} is final, and another one`)
  }
  if (conflict !== undefined) undone = joinUndone(undone, await undoFrom(trx, contracts, conflict))
  return undone
}

async function moveCheckpoint(
  trx: Transaction<Database>,
  advance: NonNullable<Batch['advance']>,
  { clock, isReorg }: { clock: number; isReorg: boolean },
): Promise<void> {
  await trx
    .updateTable('chain_state')
    .set({
      checkpoint_number: advance.to.number,
      checkpoint_hash: advance.to.hash,
      checkpoint_time: advance.to.time,
      clock_time: clock,
      head_number: advance.head.number,
      head_time: advance.head.time,
      finalized_number: advance.finalized,
      quote_usd: advance.quoteUsd === null ? null : formatUsd(advance.quoteUsd),
      halted: null,
      reorgs: sql`reorgs + ${isReorg || advance.forkPoint !== undefined ? 1 : 0}::integer`,
      updated_at: sql`now()`,
    })
    .execute()
  await sql`delete from blocks where log_count = 0 and number < ${advance.finalized}`.execute(trx)
}

/** A receipt sync moves the clock and the head, and never the checkpoint. */
async function raiseHead(trx: Transaction<Database>, newest: Block, clock: number): Promise<void> {
  await trx
    .updateTable('chain_state')
    .set({
      clock_time: clock,
      head_number: newest.number,
      head_time: newest.time,
      ...(newest.quoteUsd !== null && { quote_usd: formatUsd(newest.quoteUsd) }),
    })
    .execute()
}

/**
 * A receipt synced while the batch was being fetched may be of an orphaned block, which the batch does not contain.
 * Throws StaleBatchError; the next fetch includes that block.
 */
async function requireAllStoredFetched(
  trx: Transaction<Database>,
  { from, to }: NonNullable<Batch['advance']>,
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
  if (unseen) throw new StaleBatchError(`Block ${unseen.number} was stored while the batch was fetched`)
}

/** Waits until the previous writer of chain-derived rows has committed. */
export async function lockForApply(trx: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${APPLY_LOCK}::bigint)`.execute(trx)
}

/** Drops logs of foreign contracts and of events that are not indexed. */
async function dropForeignLogs(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  blocks: readonly Block[],
): Promise<Block[]> {
  const registry = await loadRegistry(trx, contracts, blocks)
  return blocks.map((block) => {
    const logs = block.logs.filter((log) => isIndexed(registry, block.number, log))
    return logs.length === block.logs.length ? block : { ...block, logs }
  })
}

/**
 * Derives all rows from logs that are applied for the first time. clock: unix seconds, the end of the sliding windows
 * before and after. Invalid logs are added to `rejected`.
 */
export async function applyBlocks(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  { blocks, isNew }: StoredLogs,
  clock: { from: number; to: number },
  rejected: RejectedLogs = new RejectedLogs(),
): Promise<{ events: ChainEvent[]; actions: Action[]; notifications: NotificationRef[] }> {
  const registry = await loadRegistry(trx, contracts, blocks)
  if (registry.isOutOfOrder)
    throw new OutOfOrderError('An earlier launch or graduation than the stored one has arrived')
  const rejectLog: RejectLog = (at, contract, reason) => {
    if (isNew(at.blockNumber, at.logIndex)) rejected.add(at, contract, reason)
  }
  const events = interpretBlocks(blocks, registry, rejectLog).filter(({ at }) => isNew(at.blockNumber, at.logIndex))
  const deltas = new Deltas()
  await sweepWindows(trx, deltas, clock.from, clock.to)
  for (const event of events) deltas.add(event, clock.to, 1)
  const trades = events.filter((event) => event.kind === 'trade')
  const { profits, late } = await storeBalances(trx, deltas, trades)
  for (const [trade, profit] of profits) deltas.addProfit(trade.trader, trade.at.time, profit, clock.to, 1)
  await insertRows(trx, events, profits)
  const notifications = await storeNotifications(trx, events, clock.to)
  await restoreLots(trx, late, deltas, clock.to)
  await storeWallets(trx, deltas)
  await storeCandles(trx, collectCandles(events))
  await updateTokenFigures(trx, events, deltas)
  await restoreHidden(trx, events)
  const actions = await applyDomains(trx, contracts, { blocks, isNew }, clock.to, rejectLog)
  const actionNotifications = await findNotificationsOf(trx, actions)
  await storePlatform(trx, deltas)
  return { events, actions, notifications: notifications.concat(actionNotifications) }
}

async function updateTokenFigures(
  trx: Transaction<Database>,
  events: readonly ChainEvent[],
  deltas: Deltas,
): Promise<void> {
  const latest = collectLatest(events)
  const figures = await loadFigures(trx, [...new Set([...deltas.tokens.keys(), ...latest.keys()])])
  // Trades stored before the launch were valued without the token's supply.
  const preceded = new Map(
    [...figures].filter(([token, row]) => latest.get(token)?.created && row.sums.total.trades > 0),
  )
  for (const [token, row] of figures) addToFigures(row, deltas.tokens.get(token), latest.get(token))
  if (preceded.size > 0) await restoreAth(trx, [...preceded.keys()], preceded)
  await writeFigures(trx, [...figures.values()])
  await refreshHolders(trx, [...new Set([...deltas.pairs.values().map(({ token }) => token), ...latest.keys()])])
}

/** Returns the actions at the domains' contracts. */
async function applyDomains(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  { blocks, isNew }: StoredLogs,
  clock: number,
  rejectLog: RejectLog,
): Promise<Action[]> {
  let actions: Action[] = []
  for (const domain of domains) {
    const logs = pickLogs(blocks, contracts[domain.name], isNew)
    if (logs.length === 0) continue
    await domain.apply(trx, logs, clock, rejectLog)
    actions = actions.concat(domain.readActions(logs))
  }
  return actions
}

/**
 * Restores the operators' decision on tokens created again after a reorg. It is keyed by creation, so another token at
 * the same address is not hidden.
 */
async function restoreHidden(trx: Transaction<Database>, events: readonly ChainEvent[]): Promise<void> {
  const created = events.filter(({ kind }) => kind === 'create').map((event) => 'token' in event && event.token)
  if (created.length === 0) return
  await sql`update token_figures f set hidden = not f.hidden
    from tokens t left join token_metadata m on m.token = t.address and m.creation = t.creation
    where t.address = f.token and t.address = any(${created}::text[]) and f.hidden <> coalesce(m.hidden, false)`.execute(
    trx,
  )
}

/** The last stored price of the native coin in USD, USD_DECIMALS decimals. */
export async function readQuoteUsd(db: Db): Promise<bigint | null> {
  const state = await db.selectFrom('chain_state').select('quote_usd').executeTakeFirst()
  return state?.quote_usd ? parseUsd(state.quote_usd) : null
}
