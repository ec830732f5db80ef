import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import { Deltas } from '../market/deltas.ts'
import { type ChainEvent, interpretBlocks } from '../market/interpret-blocks.ts'
import { restoreLatest } from '../market/restore-latest.ts'
import { restoreLots, undoProfits } from '../market/restore-lots.ts'
import { pairArrays, storeBalances } from '../market/store-balances.ts'
import { isPriced, rebuildCandles } from '../market/store-candles.ts'
import { storePlatform } from '../market/store-platform.ts'
import { loadFigures, refreshHolders, writeFigures } from '../market/store-tokens.ts'
import { dropIdleWallets, storeWallets } from '../market/store-wallets.ts'
import { addToFigures } from '../market/token-figures.ts'
import { readBlocks } from './blocks.ts'
import { pickLogs } from './domain.ts'
import { domains } from './domains.ts'
import { type IndexedContracts, loadRegistry } from './registry.ts'

const MARKET = ['trades', 'pool_states', 'tokens']

/** Everything that an undo removed. */
export interface Undone {
  events: ChainEvent[]
  actions: UndoneAction[]
  notifications: { id: number; recipient: string }[]
}

export interface UndoneAction {
  block_number: number
  log_index: number
  tx_hash: string
  type: string
  wallet: string
  subject: string
  data: Record<string, unknown>
}

/**
 * Undoes every event from a height on, and sets the checkpoint below it. The counterpart of applyBatch: sums are
 * subtracted, other figures are recomputed for the tokens, wallets and candles touched. Afterwards the tables are as if
 * the events had never been applied.
 */
export async function undoFrom(trx: Transaction<Database>, contracts: IndexedContracts, from: number): Promise<Undone> {
  const { clock_time: clock } = await trx.selectFrom('chain_state').select('clock_time').executeTakeFirstOrThrow()
  const blocks = await readBlocks(trx, { from })
  const events = interpretBlocks(blocks, await loadRegistry(trx, contracts, blocks))
  if (events.length > 0) await undoMarketEvents(trx, events, from, clock)
  for (const domain of domains) {
    const logs = pickLogs(blocks, contracts[domain.name])
    if (logs.length > 0) await domain.undo(trx, logs, from)
  }
  // Written by the market and by every domain.
  const actions = await sql<UndoneAction>`delete from actions where block_number >= ${from}
    returning block_number, log_index, tx_hash, type, wallet, subject, data`.execute(trx)
  const notifications = await sql<Undone['notifications'][number]>`
    delete from notifications where block_number >= ${from} returning id, recipient`.execute(trx)
  await trx.deleteFrom('blocks').where('number', '>=', from).execute()
  await sql`update chain_state set checkpoint_number = ${from - 1}::bigint,
    checkpoint_hash = (select hash from blocks where number = ${from - 1}::bigint)
    where checkpoint_number >= ${from}::bigint`.execute(trx)
  return { events, actions: actions.rows, notifications: notifications.rows }
}

export const NOTHING_UNDONE: Undone = { events: [], actions: [], notifications: [] }

export const joinUndone = (a: Undone, b: Undone): Undone => ({
  events: a.events.concat(b.events),
  actions: a.actions.concat(b.actions),
  notifications: a.notifications.concat(b.notifications),
})

async function undoMarketEvents(
  trx: Transaction<Database>,
  events: readonly ChainEvent[],
  from: number,
  clock: number,
): Promise<void> {
  const deltas = new Deltas()
  for (const event of events) deltas.add(event, clock, -1)
  await undoProfits(trx, from, deltas, clock)
  for (const table of MARKET) await sql`delete from ${sql.table(table)} where block_number >= ${from}`.execute(trx)

  await storeBalances(trx, deltas, [])
  const trades = events.filter((event) => event.kind === 'trade')
  const traded = new Map(trades.map(({ token, trader }) => [`${token}${trader}`, { token, wallet: trader }]))
  await restoreLots(trx, [...traded.values()], deltas, clock)
  // Remove balances that were first seen in the undone blocks.
  const { tokens, wallets } = pairArrays(deltas.pairs.values())
  await sql`delete from balances b using unnest(${tokens}::text[], ${wallets}::text[]) as k (token, wallet)
    where b.token = k.token and b.wallet = k.wallet and b.first_seen_block >= ${from}`.execute(trx)
  await storeWallets(trx, deltas)
  await dropIdleWallets(trx, deltas.wallets.keys())
  const priced = events.filter(isPriced)
  if (priced.length > 0) {
    const since = priced.reduce((earliest, { at }) => Math.min(earliest, at.time), Number.POSITIVE_INFINITY)
    await rebuildCandles(trx, [...new Set(priced.map(({ token }) => token))], since)
  }

  const figures = await loadFigures(trx, touchedTokens(deltas, events))
  for (const [token, row] of figures) addToFigures(row, deltas.tokens.get(token), undefined)
  await restoreLatest(trx, from, figures)
  await writeFigures(trx, [...figures.values()])
  await sql`delete from token_figures where token = any(${[...figures.keys()]}::text[])
    and not launched and trades_total = 0`.execute(trx)
  await refreshHolders(trx, [...figures.keys()])
  await storePlatform(trx, deltas)
}

function touchedTokens(deltas: Deltas, events: readonly ChainEvent[]): string[] {
  const tokens = new Set(deltas.tokens.keys())
  for (const { token } of deltas.pairs.values()) tokens.add(token)
  for (const event of events) tokens.add(event.token)
  return [...tokens]
}
