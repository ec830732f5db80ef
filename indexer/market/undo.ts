import { sql, type Transaction } from 'kysely'
import { requestMetadata } from '../../db/queries/token-metadata.ts'
import type { Database } from '../../db/schema.ts'
import { readTokenIds } from '../../db/token-ids.ts'
import { getLaunchpad } from '../../launchpads/index.ts'
import { Deltas } from './deltas.ts'
import { type ChainEvent, ofKind } from './events.ts'
import { storeBundlers } from './launch-wallets/store-bundlers.ts'
import { storeSnipers } from './launch-wallets/store-snipers.ts'
import { PairMap } from './pair-map.ts'
import { restoreLatest } from './restore-latest.ts'
import { restoreLots, undoProfits } from './restore-lots.ts'
import { addToBalances, type Balances, loadBalances, pairArrays, saveBalances } from './store-balances.ts'
import { isPriced, rebuildCandles } from './store-candles.ts'
import { setVenues } from './store-launches.ts'
import { storePlatform } from './store-platform.ts'
import { storeRevenue } from './store-revenue.ts'
import { loadFigures, refreshHolders, writeFigures } from './store-tokens.ts'
import { dropIdleWallets, loadWallets, saveWallets } from './store-wallets.ts'
import { addToFigures, type TokenFigures } from './token-figures.ts'
import { rearmAlerts } from './trigger-alerts.ts'

/** Tables with a row for each event. */
const OF_EVENTS = ['trades', 'pool_states', 'transfers', 'fee_shares', 'tokens']

/**
 * Undoes the events from a height on: sums are subtracted, other figures are recomputed for the tokens, wallets and
 * candles touched. Returns the numbers of these tokens.
 */
export async function undoMarket(
  trx: Transaction<Database>,
  events: readonly ChainEvent[],
  from: number,
): Promise<number[]> {
  const { clock_time: clock } = await trx.selectFrom('chain_state').select('clock_time').executeTakeFirstOrThrow()
  const deltas = new Deltas()
  for (const event of events) deltas.add(event, clock, -1)
  await undoProfits(trx, from, deltas, clock)
  const priced = events.filter(isPriced)
  // Launches that are undone are found no more.
  const ids = await readTokenIds(trx, [...new Set(priced.map(({ token }) => token))])
  const balances: Balances = new PairMap()
  await loadBalances(trx, balances, deltas.pairs.values())
  const figures = await loadFigures(trx, touchedTokens(deltas, events))
  for (const table of OF_EVENTS) await sql`delete from ${sql.table(table)} where block_number >= ${from}`.execute(trx)
  await undoMetadataRequests(trx, events)
  await rearmAlerts(trx, from)
  await storeRevenue(trx, deltas, (token) => figures.get(token)!.id)

  addToBalances(balances, deltas)
  await saveBalances(trx, balances)
  const trades = events.filter((event) => event.kind === 'trade')
  const traded = new Set(trades.flatMap(({ token, trader }) => balances.get(token, trader) ?? []))
  await restoreLots(trx, [...traded], deltas, clock)
  // Remove balances that were first seen in the undone blocks.
  const pairs = pairArrays(balances.values())
  await sql`delete from balances b using unnest(${pairs.ids}::integer[], ${pairs.wallets}::bytea[]) as k (token_id, wallet)
    where b.token_id = k.token_id and b.wallet = k.wallet and b.first_seen_block >= ${from}`.execute(trx)
  await saveWallets(trx, deltas, await loadWallets(trx, deltas.wallets.keys()))
  await dropIdleWallets(trx, deltas.wallets.keys())
  if (priced.length > 0) {
    const since = priced.reduce((earliest, { at }) => Math.min(earliest, at.time), Number.POSITIVE_INFINITY)
    await rebuildCandles(
      trx,
      [...ids.values()].map(({ id }) => id),
      since,
    )
  }

  for (const [token, row] of figures) addToFigures(row, deltas.tokens.get(token), undefined)
  await restoreLatest(trx, from, figures)
  const { left = [], gone = [] } = Object.groupBy(figures.values(), ({ created }) => (created ? 'left' : 'gone'))
  await writeFigures(trx, left)
  await sql`delete from token_figures where token_id = any(${gone.map(({ id }) => id)}::integer[])`.execute(trx)
  const closed = [...figures.values()].filter(({ poolAddress }) => poolAddress === null)
  await sql`delete from pools where token_id = any(${closed.map(({ id }) => id)}::integer[])`.execute(trx)
  await undoVenues(trx, events, figures)
  for (const table of ['snipers', 'bundlers'])
    await sql`delete from ${sql.table(table)} where token_id = any(${gone.map(({ id }) => id)}::integer[])`.execute(trx)
  await storeSnipers(trx, deltas, figures)
  const closedPools = ofKind(events, 'graduate').map(({ token }) => token)
  await storeBundlers(trx, deltas, figures, closedPools)
  await refreshHolders(trx, [...figures.keys()])
  await storePlatform(trx, deltas, figures)
  return [...figures.values()].map(({ id }) => id)
}

/** Where a launchpad has several types of pools, no graduation has chosen one any more. */
async function undoVenues(
  trx: Transaction<Database>,
  events: readonly ChainEvent[],
  figures: ReadonlyMap<string, TokenFigures>,
): Promise<void> {
  const closed = ofKind(events, 'graduate').flatMap(({ token, poolType }) => {
    const row = figures.get(token)
    if (poolType === null || !row?.created) return []
    return { id: row.id, venue: getLaunchpad(row.launchpadKind).venue.name }
  })
  if (closed.length > 0) await setVenues(trx, closed)
}

/** Launches that are gone need no metadata; where an update is gone, the former document counts again. */
async function undoMetadataRequests(trx: Transaction<Database>, events: readonly ChainEvent[]): Promise<void> {
  const launched = ofKind(events, 'create').map(({ token }) => token)
  if (launched.length > 0) await trx.deleteFrom('metadata_reads').where('token', 'in', launched).execute()
  const gone = new Set(launched)
  const updates = ofKind(events, 'metadata-update').filter(({ token }) => !gone.has(token))
  await requestMetadata(
    trx,
    updates.map(({ token }) => ({ token, updatedAt: Number.POSITIVE_INFINITY })),
  )
}

function touchedTokens(deltas: Deltas, events: readonly ChainEvent[]): string[] {
  const tokens = new Set(deltas.tokens.keys())
  for (const { token } of deltas.pairs.values()) tokens.add(token)
  for (const event of events) tokens.add(event.token)
  return [...tokens]
}
