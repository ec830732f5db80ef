import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import type { Clock, NotificationRef } from '../engine/module.ts'
import { storeActions } from '../engine/store-actions.ts'
import { collectLatest } from './collect-latest.ts'
import { Deltas } from './deltas.ts'
import { insertRows } from './insert-rows.ts'
import type { ChainEvent } from './interpret-blocks.ts'
import { restoreAth } from './restore-latest.ts'
import { restoreLots } from './restore-lots.ts'
import { storeBalances } from './store-balances.ts'
import { collectCandles, storeCandles } from './store-candles.ts'
import { storeNotifications } from './store-notifications.ts'
import { storePlatform } from './store-platform.ts'
import { loadFigures, refreshHolders, writeFigures } from './store-tokens.ts'
import { storeWallets } from './store-wallets.ts'
import { sweepWindows } from './sweep-windows.ts'
import { toActions } from './to-transactions.ts'
import { addToFigures } from './token-figures.ts'

/** Derives the market's rows from new events, and removes from the sliding windows what has left them. */
export async function applyMarket(
  trx: Transaction<Database>,
  events: readonly ChainEvent[],
  clock: Clock,
): Promise<NotificationRef[]> {
  const deltas = new Deltas()
  await sweepWindows(trx, deltas, clock.from, clock.to)
  for (const event of events) deltas.add(event, clock.to, 1)
  const trades = events.filter((event) => event.kind === 'trade')
  const { profits, late } = await storeBalances(trx, deltas, trades)
  for (const [trade, profit] of profits) deltas.addProfit(trade.trader, trade.at.time, profit, clock.to, 1)
  const ids = await insertRows(trx, events, profits)
  await storeActions(trx, toActions(events))
  const notifications = await storeNotifications(trx, events, clock.to)
  await restoreLots(trx, late, deltas, clock.to)
  await storeWallets(trx, deltas)
  await storeCandles(trx, collectCandles(events), ids)
  await updateTokenFigures(trx, events, deltas)
  await restoreHidden(trx, events)
  await storePlatform(trx, deltas)
  return notifications
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

/**
 * Restores the operators' decision on tokens created again after a reorg. It is keyed by creation, so another token at
 * the same address is not hidden.
 */
async function restoreHidden(trx: Transaction<Database>, events: readonly ChainEvent[]): Promise<void> {
  const created = events.filter((event) => event.kind === 'create').map(({ token }) => token)
  if (created.length === 0) return
  await sql`update token_figures f set hidden = not f.hidden
    from tokens t left join token_metadata m on m.token = t.address and m.creation = t.creation
    where t.address = f.token and t.address = any(${created}::text[]) and f.hidden <> coalesce(m.hidden, false)`.execute(
    trx,
  )
}
