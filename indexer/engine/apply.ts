import { sql, type Transaction } from 'kysely'
import { formatUsd, parseUsd } from '../../chain/amounts.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import { announceWritten, type Written } from '../market/announce.ts'
import { addToFigures } from '../market/figures.ts'
import { type Happening, interpretBlocks } from '../market/interpret.ts'
import { collectLatest } from '../market/latest.ts'
import { restoreAth } from '../market/restore-latest.ts'
import { restoreLots } from '../market/restore-lots.ts'
import { insertRows } from '../market/rows.ts'
import { storeBalances } from '../market/store-balances.ts'
import { collectCandles, storeCandles } from '../market/store-candles.ts'
import { findNoticesOf, type Notice, storeNotifications } from '../market/store-notifications.ts'
import { storePlatform } from '../market/store-platform.ts'
import { loadFigures, refreshHolders, writeFigures } from '../market/store-tokens.ts'
import { storeWallets } from '../market/store-wallets.ts'
import { Sums } from '../market/sums.ts'
import { sweepWindows } from '../market/sweep.ts'
import type { Batch, Block } from './batch.ts'
import { findConflict, takeFreshBlocks } from './blocks.ts'
import { type Act, pickLogs } from './domain.ts'
import { domains } from './domains.ts'
import { OvertakenError } from './first.ts'
import { Refusals, type Refuse } from './refusals.ts'
import { type Deployment, isOurs, loadRegistry } from './registry.ts'
import { joinUndone, NOTHING_UNDONE, undoFrom } from './undo.ts'

export const CONTRADICTED = 'the node contradicts a block that was taken as final'

/** Any fixed number will do; every writer of chain-derived rows takes this lock. */
const APPLY_LOCK = 7_308_339_910

export interface Applied {
  /** What was new. */
  happenings: Happening[]
  /** What a reorg took away. */
  undone: Happening[]
  /** What was new, and has no effect because it cannot be. */
  refused: Pick<Refusals, 'count' | 'examples'>
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
export function isInTheWay(error: unknown): boolean {
  return error instanceof OvertakenError || (error as { code?: unknown } | null)?.code === '23505'
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
export const applyBatch = (trx: Transaction<Database>, deployment: Deployment, batch: Batch): Promise<Applied> =>
  applyBatches(trx, deployment, [batch])

/** Several batches in one transaction, which are announced together at its end. */
export async function applyBatches(
  trx: Transaction<Database>,
  deployment: Deployment,
  batches: readonly Batch[],
): Promise<Applied> {
  await lockForApply(trx)
  // Joined by concat: there may be more of them than a call takes arguments.
  let happenings: Happening[] = []
  let undone = NOTHING_UNDONE
  let acts: Act[] = []
  let notices: Notice[] = []
  let end = { clock: 0, chainId: 0 }
  const refused = new Refusals()
  for (const batch of batches) {
    const written = await writeBatch(trx, deployment, batch, refused)
    happenings = happenings.concat(written.happenings)
    undone = joinUndone(undone, written.undone)
    acts = acts.concat(written.acts)
    notices = notices.concat(written.notices)
    end = written
  }
  const announced = await announceWritten(trx, { happenings, undone, acts, notices }, end)
  return { happenings, undone: undone.happenings, refused, announced }
}

async function writeBatch(
  trx: Transaction<Database>,
  deployment: Deployment,
  batch: Batch,
  refused: Refusals,
): Promise<Written & { clock: number; chainId: number }> {
  const state = await trx.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
  const { advance } = batch
  if (advance && advance.from !== state.checkpoint_number) {
    throw new StaleBatchError(`The batch starts at ${advance.from}, the checkpoint is ${state.checkpoint_number}`)
  }

  if (!advance) requireNotHalted(state)

  let undone = NOTHING_UNDONE
  if (advance?.forkPoint !== undefined) undone = await undoFrom(trx, deployment, advance.forkPoint + 1)
  const offered = [...(batch.witnesses ?? []), ...batch.blocks]
  const conflict = await findConflict(trx, offered, { comparePrices: advance !== null })
  // What is final is only ever contradicted by a node on another branch, and only the indexer may judge that.
  if (!advance && conflict !== undefined && conflict <= state.finalized_number) {
    // Above the checkpoint only a receipt has been there, and the indexer may yet find that its branch is gone.
    if (conflict <= state.checkpoint_number) throw new FinalityError(CONTRADICTED)
    throw new StaleBatchError(`Block ${conflict} is final, and another one`)
  }
  if (conflict !== undefined) undone = joinUndone(undone, await undoFrom(trx, deployment, conflict))
  if (advance) await requireOffered(trx, advance, batch.blocks)

  const fresh = await takeFreshBlocks(trx, await keepOurs(trx, deployment, batch.blocks))
  // A sync that is ahead of the indexer has seen a newer head than anybody.
  const newest = batch.blocks.findLast(({ number }) => !advance && number > state.head_number)
  const clock = advance ? advance.head.time : Math.max(state.clock_time, newest?.time ?? 0)
  const windows = { from: state.clock_time, to: clock }
  const { happenings, acts, notices } = await applyBlocks(trx, deployment, fresh, windows, refused)

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
        reorgs: sql`reorgs + ${undone.happenings.length > 0 || advance.forkPoint !== undefined ? 1 : 0}::integer`,
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
  return { happenings, undone, acts, notices, clock, chainId: state.chain_id }
}

/**
 * A receipt that was synced while the batch was being fetched may be of a branch that is gone by now, and nothing in the batch
 * tells: its block was not asked for. Throws StaleBatchError; what is fetched again has that block, too.
 */
async function requireOffered(
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
async function keepOurs(
  trx: Transaction<Database>,
  deployment: Deployment,
  blocks: readonly Block[],
): Promise<Block[]> {
  const registry = await loadRegistry(trx, deployment, blocks)
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
  deployment: Deployment,
  { blocks, isFresh }: Awaited<ReturnType<typeof takeFreshBlocks>>,
  clock: { from: number; to: number },
  refused: Refusals = new Refusals(),
): Promise<{ happenings: Happening[]; acts: Act[]; notices: Notice[] }> {
  const registry = await loadRegistry(trx, deployment, blocks)
  if (registry.isOvertaken) throw new OvertakenError('A token was launched, or has graduated, before it did')
  const refuse: Refuse = (at, contract, reason) => {
    if (isFresh(at.block, at.log)) refused.add(at, contract, reason)
  }
  const happenings = interpretBlocks(blocks, registry, refuse).filter(({ at }) => isFresh(at.block, at.log))
  const sums = new Sums()
  await sweepWindows(trx, sums, clock.from, clock.to)
  for (const happening of happenings) sums.add(happening, clock.to, 1)
  const trades = happenings.filter((happening) => happening.kind === 'trade')
  const { profits, late } = await storeBalances(trx, sums, trades)
  for (const [trade, profit] of profits) sums.addProfit(trade.trader, trade.at.time, profit, clock.to, 1)
  await insertRows(trx, happenings, profits)
  const notices = await storeNotifications(trx, happenings, clock.to)
  await restoreLots(trx, late, sums, clock.to)
  await storeWallets(trx, sums)
  await storeCandles(trx, collectCandles(happenings))

  const latest = collectLatest(happenings)
  const figures = await loadFigures(trx, [...new Set([...sums.tokens.keys(), ...latest.keys()])])
  const preceded = new Map(
    [...figures].filter(([token, row]) => latest.get(token)?.created && row.sums.total.trades > 0),
  )
  for (const [token, row] of figures) addToFigures(row, sums.tokens.get(token), latest.get(token))
  if (preceded.size > 0) await restoreAth(trx, [...preceded.keys()], preceded)
  await writeFigures(trx, [...figures.values()])
  await refreshHolders(trx, [...new Set([...sums.pairs.values().map(({ token }) => token), ...latest.keys()])])
  await keepHidden(trx, happenings)
  let acts: Act[] = []
  for (const domain of domains) {
    const logs = pickLogs(blocks, deployment[domain.name], isFresh)
    if (logs.length === 0) continue
    await domain.apply(trx, logs, clock.to, refuse)
    acts = acts.concat(domain.readActs(logs))
  }
  const noticesOfActs = await findNoticesOf(trx, acts)
  await storePlatform(trx, sums)
  return { happenings, acts, notices: notices.concat(noticesOfActs) }
}

/**
 * An operator's decision outlives the rows that it shows in: a token that a reorg brings back stays hidden, and one that
 * has taken its address is not.
 */
async function keepHidden(trx: Transaction<Database>, happenings: readonly Happening[]): Promise<void> {
  const created = happenings
    .filter(({ kind }) => kind === 'create')
    .map((happening) => 'token' in happening && happening.token)
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
