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
import { findConflict, storeNewLogs } from './blocks.ts'
import { type Action, pickLogs } from './domain.ts'
import { domains } from './domains.ts'
import { OutOfOrderError } from './keep-first-creations.ts'
import { type IndexedContracts, isOurs, loadRegistry } from './registry.ts'
import { RejectedLogs, type RejectLog } from './rejected-logs.ts'
import { joinUndone, NOTHING_UNDONE, undoFrom } from './undo.ts'

export const CONTRADICTED = 'the node contradicts a block that was taken as final'

/** Any fixed number will do; every writer of chain-derived rows takes this lock. */
const APPLY_LOCK = 7_308_339_910

export interface Applied {
  /** What was new. */
  events: ChainEvent[]
  /** What a reorg took away. */
  undone: ChainEvent[]
  /** What was new, and has no effect because it cannot be. */
  rejected: Pick<RejectedLogs, 'count' | 'examples'>
  /** How many events that made in the outbox: wake those who listen, after the commit. */
  announced: number
}

/** The batch was fetched on top of a checkpoint that has moved since, or contradicts what is final. Fetch again. */
export class StaleBatchError extends Error {
  override name = 'StaleBatchError'
}

/**
 * A receipt contradicts what is final, or the indexer has met a reorg below it. Nothing is written until the chain is back,
 * or an operator has decided. The message is public.
 */
export class FinalityError extends Error {
  override name = 'FinalityError'
}

/** Throws FinalityError while the indexer is halted. One that is stopped, or behind, is another matter. */
export function requireNotHalted({ halted }: { halted: string | null }): void {
  if (halted !== null) throw new FinalityError('the chain was reorganised below a block that was taken as final')
}

/**
 * Whether what is stored ahead of a batch stands in its way: a row that a branch which is gone has left, or one of what can
 * be only once, and happened earlier. Without it the batch can be applied.
 */
export function isRetryableConflict(error: unknown): boolean {
  return error instanceof OutOfOrderError || (error as { code?: unknown } | null)?.code === '23505'
}

/**
 * Writes a batch, and all that follows from it, in the given transaction. The only way in which chain-derived rows come to
 * be: backfill, head following and receipt syncs all pass here.
 *
 * What must hold: an event counts once, however often it comes, because a block's stored logs say which ones have been
 * applied; the order of batches does not matter, because figures are sums, or carry the position of what set them, or are
 * recomputed for what was touched; a block of another branch is undone before anything is built on its rival; and
 * everything happens under one lock, so that rows may be read, changed and written back.
 */
export const applyBatch = (trx: Transaction<Database>, contracts: IndexedContracts, batch: Batch): Promise<Applied> =>
  applyBatches(trx, contracts, [batch])

/** Several batches in one transaction, which are announced together at its end. */
export async function applyBatches(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  batches: readonly Batch[],
): Promise<Applied> {
  await lockForApply(trx)
  // Joined by concat: there may be more of them than a call takes arguments.
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

  let undone = NOTHING_UNDONE
  if (advance?.forkPoint !== undefined) undone = await undoFrom(trx, contracts, advance.forkPoint + 1)
  const offered = [...(batch.canonicalBlocks ?? []), ...batch.blocks]
  const conflict = await findConflict(trx, offered, { comparePrices: advance !== null })
  // What is final is only ever contradicted by a node on another branch, and only the indexer may judge that.
  if (!advance && conflict !== undefined && conflict <= state.finalized_number) {
    // Above the checkpoint only a receipt has been there, and the indexer may yet find that its branch is gone.
    if (conflict <= state.checkpoint_number) throw new FinalityError(CONTRADICTED)
    throw new StaleBatchError(`Block ${conflict} is final, and another one`)
  }
  if (conflict !== undefined) undone = joinUndone(undone, await undoFrom(trx, contracts, conflict))
  if (advance) await requireAllStoredFetched(trx, advance, batch.blocks)

  const fresh = await storeNewLogs(trx, await dropForeignLogs(trx, contracts, batch.blocks))
  // A sync that is ahead of the indexer has seen a newer head than anybody.
  const newest = batch.blocks.findLast(({ number }) => !advance && number > state.head_number)
  const clock = advance ? advance.head.time : Math.max(state.clock_time, newest?.time ?? 0)
  const windows = { from: state.clock_time, to: clock }
  const { events, actions, notifications } = await applyBlocks(trx, contracts, fresh, windows, rejected)

  if (advance) {
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
        reorgs: sql`reorgs + ${undone.events.length > 0 || advance.forkPoint !== undefined ? 1 : 0}::integer`,
        updated_at: sql`now()`,
      })
      .execute()
    await sql`delete from blocks where log_count = 0 and number < ${advance.finalized}`.execute(trx)
  } else if (newest) {
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
  return { events, undone, actions, notifications, clock, chainId: state.chain_id }
}

/**
 * A receipt that was synced while the batch was being fetched may be of a branch that is gone by now, and nothing in the batch
 * tells: its block was not asked for. Throws StaleBatchError; what is fetched again has that block, too.
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

/** Every writer of chain-derived rows waits here for the one before it to commit. */
export async function lockForApply(trx: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${APPLY_LOCK}::bigint)`.execute(trx)
}

/** Without the logs of other people's contracts, and what else means nothing to us: they are not stored. */
async function dropForeignLogs(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  blocks: readonly Block[],
): Promise<Block[]> {
  const registry = await loadRegistry(trx, contracts, blocks)
  return blocks.map((block) => {
    const logs = block.logs.filter((log) => isOurs(registry, block.number, log))
    return logs.length === block.logs.length ? block : { ...block, logs }
  })
}

/**
 * Everything that follows from logs that have not been applied yet. Moves the windows' clock first (unix seconds). What cannot
 * be is added to refused.
 */
export async function applyBlocks(
  trx: Transaction<Database>,
  contracts: IndexedContracts,
  { blocks, isFresh }: Awaited<ReturnType<typeof storeNewLogs>>,
  clock: { from: number; to: number },
  rejected: RejectedLogs = new RejectedLogs(),
): Promise<{ events: ChainEvent[]; actions: Action[]; notifications: NotificationRef[] }> {
  const registry = await loadRegistry(trx, contracts, blocks)
  if (registry.isOutOfOrder) throw new OutOfOrderError('A token was launched, or has graduated, before it did')
  const rejectLog: RejectLog = (at, contract, reason) => {
    if (isFresh(at.blockNumber, at.logIndex)) rejected.add(at, contract, reason)
  }
  const events = interpretBlocks(blocks, registry, rejectLog).filter(({ at }) => isFresh(at.blockNumber, at.logIndex))
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

  const latest = collectLatest(events)
  const figures = await loadFigures(trx, [...new Set([...deltas.tokens.keys(), ...latest.keys()])])
  const preceded = new Map(
    [...figures].filter(([token, row]) => latest.get(token)?.created && row.sums.total.trades > 0),
  )
  for (const [token, row] of figures) addToFigures(row, deltas.tokens.get(token), latest.get(token))
  if (preceded.size > 0) await restoreAth(trx, [...preceded.keys()], preceded)
  await writeFigures(trx, [...figures.values()])
  await refreshHolders(trx, [...new Set([...deltas.pairs.values().map(({ token }) => token), ...latest.keys()])])
  await restoreHidden(trx, events)
  let actions: Action[] = []
  for (const domain of domains) {
    const logs = pickLogs(blocks, contracts[domain.name], isFresh)
    if (logs.length === 0) continue
    await domain.apply(trx, logs, clock.to, rejectLog)
    actions = actions.concat(domain.readActions(logs))
  }
  const actionNotifications = await findNotificationsOf(trx, actions)
  await storePlatform(trx, deltas)
  return { events, actions, notifications: notifications.concat(actionNotifications) }
}

/**
 * An operator's decision outlives the rows that it shows in: a token that a reorg brings back stays hidden, and one that
 * has taken its address is not.
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

/** The price that the database last knew, USD_DECIMALS decimals. */
export async function readQuoteUsd(db: Db): Promise<bigint | null> {
  const state = await db.selectFrom('chain_state').select('quote_usd').executeTakeFirst()
  return state?.quote_usd ? parseUsd(state.quote_usd) : null
}
