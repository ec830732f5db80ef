import { setImmediate } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import { overlapStatements, type Statements } from '../../db/statements.ts'
import { readTokenIds } from '../../db/token-ids.ts'
import type { Clock, NotificationRef } from '../engine/module.ts'
import { storeActions } from '../engine/store-actions.ts'
import { collectLatest, type Latest } from './collect-latest.ts'
import { Deltas } from './deltas.ts'
import { insertPoolStates, insertTokens, insertTrades } from './insert-rows.ts'
import { type ChainEvent, ofKind } from './interpret-blocks.ts'
import { restoreAth } from './restore-latest.ts'
import { restoreLots } from './restore-lots.ts'
import { addToBalances, loadBalances, saveBalances } from './store-balances.ts'
import { collectCandles, isPriced, loadCandles, saveCandles } from './store-candles.ts'
import { storeNotifications } from './store-notifications.ts'
import { storePlatform } from './store-platform.ts'
import { loadFigures, refreshHolders, writeFigures } from './store-tokens.ts'
import { loadWallets, saveWallets } from './store-wallets.ts'
import { sweepWindows } from './sweep-windows.ts'
import { toActions } from './to-transactions.ts'
import { addToFigures, type TokenFigures } from './token-figures.ts'

/**
 * Derives the market's rows from new events, and removes from the sliding windows what has left them. The stored rows are
 * requested first, then figures are computed, and their rows written; so the database reads and writes while this process
 * computes.
 */
export function applyMarket(
  trx: Transaction<Database>,
  events: readonly ChainEvent[],
  clock: Clock,
): Promise<NotificationRef[]> {
  return overlapStatements(async (statements) => {
    const deltas = new Deltas()
    const swept = statements.start(sweepWindows(trx, deltas, clock.from, clock.to))
    await addEvents(deltas, events, clock)
    await swept

    // A launch gives its token the number that the next statement reads.
    statements.start(insertTokens(trx, ofKind(events, 'create')))
    const numbered = statements.start(
      readTokenIds(trx, [...new Set(events.filter(isPriced).map(({ token }) => token))]),
    )
    const pairs = deltas.pairs.values()
    const loadedBalances = statements.start(loadBalances(trx, pairs))
    const loadedWallets = statements.start(loadWallets(trx, deltas.wallets.keys()))
    const latest = collectLatest(events)
    const touched = new Set([...deltas.tokens.keys(), ...latest.keys(), ...pairs.map(({ token }) => token)])
    const loadedFigures = statements.start(loadFigures(trx, [...touched]))
    const candles = collectCandles(events)
    const ids = await numbered
    const loadedCandles = statements.start(loadCandles(trx, candles, ids))

    // The largest rows come first: the others are computed while these are written.
    const trades = ofKind(events, 'trade')
    const balances = await loadedBalances
    const { profits, late } = addToBalances(balances, deltas, trades)
    for (const [trade, profit] of profits) deltas.addProfit(trade.trader, trade.at.time, profit, clock.to, 1)
    statements.start(saveBalances(trx, balances))
    statements.start(insertTrades(trx, trades, profits, ids))
    statements.start(insertPoolStates(trx, ofKind(events, 'pool-state')))
    statements.start(storeActions(trx, toActions(events)))
    const notifications = statements.start(storeNotifications(trx, events, clock.to))
    if (late.length > 0) {
      // It reads the stored trades and balances.
      await statements.finish()
      await restoreLots(trx, late, deltas, clock.to)
    }
    statements.start(saveWallets(trx, deltas, await loadedWallets))
    statements.start(saveCandles(trx, candles, await loadedCandles, ids))

    const figures = await loadedFigures
    await addToAllFigures(trx, figures, { deltas, latest, statements })
    statements.start(writeFigures(trx, [...figures.values()]))
    // What follows is computed by the database from the rows above.
    await statements.finish()
    await refreshHolders(trx, [...new Set([...pairs.map(({ token }) => token), ...latest.keys()])])
    await restoreHidden(trx, events)
    await storePlatform(trx, deltas)
    return notifications
  })
}

/** Events between two turns of the event loop; they take some milliseconds. */
const EVENTS_PER_TURN = 5_000

async function addEvents(deltas: Deltas, events: readonly ChainEvent[], clock: Clock): Promise<void> {
  for (const [index, event] of events.entries()) {
    deltas.add(event, clock.to, 1)
    if (index % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) await setImmediate()
  }
}

interface Changes {
  deltas: Deltas
  latest: ReadonlyMap<string, Latest>
  /** Those that write the candles. */
  statements: Statements
}

async function addToAllFigures(
  trx: Transaction<Database>,
  figures: ReadonlyMap<string, TokenFigures>,
  { deltas, latest, statements }: Changes,
): Promise<void> {
  // Trades stored before the launch were valued without the token's supply.
  const preceded = new Map(
    [...figures].filter(([token, row]) => latest.get(token)?.created && row.sums.total.trades > 0),
  )
  for (const [token, row] of figures) addToFigures(row, deltas.tokens.get(token), latest.get(token))
  if (preceded.size === 0) return
  await statements.finish()
  await restoreAth(trx, [...preceded.keys()], preceded)
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
