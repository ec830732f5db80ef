import { sql, type Transaction } from 'kysely'
import type { Statements } from '../../db/postgres/pipeline.ts'
import { isRemoved } from '../../db/queries/deployments/visibility.ts'
import { requestMetadata } from '../../db/queries/token-metadata.ts'
import type { Database } from '../../db/schema.ts'
import { getTokenIds, readTokenIds, type TokenIds } from '../../db/token-ids.ts'
import type { Clock, EventWriter, NotificationRef } from '../engine/module.ts'
import { isRecent } from '../engine/notification-limits.ts'
import { storeActions } from '../engine/store-actions.ts'
import { collectLatest, type Latest } from './collect-latest.ts'
import { Deltas, type PairDelta } from './deltas.ts'
import { type ChainEvent, type OfKind, ofKind } from './events.ts'
import { deleteTransfers, insertPoolStates, insertTrades, insertTransfers } from './insert-rows.ts'
import { storeBundlers } from './launch-wallets/store-bundlers.ts'
import { storeSnipers } from './launch-wallets/store-snipers.ts'
import { listMetadataRequests } from './list-metadata-requests.ts'
import { type NumberedPair, PairMap } from './pair-map.ts'
import { findStoredTransfers } from './pair-transfers.ts'
import { restoreLots } from './restore-lots.ts'
import {
  addMissingRows,
  addToBalances,
  applyTradesToLots,
  type Balances,
  type LoadedPairs,
  loadBalances,
  saveBalances,
} from './store-balances.ts'
import { FinestCandles, loadCandles, mergeResolutions, RESOLUTIONS, saveCandles } from './store-candles.ts'
import { storeFeeShares } from './store-fee-shares.ts'
import { setVenues, storeLaunches } from './store-launches.ts'
import { storeNotifications } from './store-notifications.ts'
import { storePlatform } from './store-platform.ts'
import { storeRevenue } from './store-revenue.ts'
import { loadFigures, refreshHolders, storePools, writeFigures } from './store-tokens.ts'
import { loadWallets, saveWallets } from './store-wallets.ts'
import { sweepWindows, type WindowsSwept } from './sweep-windows.ts'
import { toActions } from './to-transactions.ts'
import { addToFigures } from './token-figures.ts'
import { mayTrigger, type TriggerEvent, triggerAlerts } from './trigger-alerts.ts'

/**
 * Derives the market's rows from new events, and removes from the sliding windows what has left them. The rows of the events
 * themselves are written with each part. Balances, figures and candles change with most events, so they are kept in memory,
 * and written once at the end. Stored rows are requested before they are needed, so the database reads and writes while this
 * process computes.
 */
export class MarketWriter implements EventWriter<ChainEvent> {
  readonly #trx: Transaction<Database>
  readonly #clock: Clock
  readonly #statements: Statements
  readonly #deltas = new Deltas()
  readonly #swept: Promise<WindowsSwept>
  readonly #ids = new Map<string, TokenIds>()
  readonly #latest = new Map<string, Latest>()
  readonly #candles = new FinestCandles()
  readonly #balances: Balances = new PairMap()
  readonly #late = new PairMap<NumberedPair>()
  readonly #launched: string[] = []
  readonly #notifications: NotificationRef[] = []
  /** Recent events that may trigger alerts. */
  readonly #triggers: TriggerEvent[] = []
  #changedTokens: readonly number[] = []
  /** The last parts added: their rows are written while the next ones are computed. */
  readonly #unwritten: Part[] = []

  constructor(trx: Transaction<Database>, clock: Clock, statements: Statements) {
    this.#trx = trx
    this.#clock = clock
    this.#statements = statements
    this.#swept = statements.start(sweepWindows(trx, this.#deltas, clock.from, clock.to))
  }

  get pendingRows(): number {
    return this.#deltas.pairs.size + this.#candles.size * RESOLUTIONS.length
  }

  get changedTokens(): readonly number[] {
    return this.#changedTokens
  }

  async add(events: readonly ChainEvent[]): Promise<void> {
    const statements = this.#statements
    const trx = this.#trx
    this.#deltas.addAll(events, this.#clock.to)
    const swept = await this.#swept
    collectLatest(events, this.#latest)
    this.#collectTriggers(events)
    this.#candles.add(events)
    // A launch gives its token the number that the next statement reads.
    const launches = ofKind(events, 'create')
    for (const { token } of launches) this.#launched.push(token)
    storeLaunches(trx, statements, launches)
    const numbered = statements.start(this.#readMissingIds(events))
    const newPairs = this.#deltas.takeNewPairs()
    const loaded = statements.start(loadBalances(trx, this.#balances, newPairs))
    // The events that have rows of their own: half of all are transfers.
    const written = events.filter(({ kind }) => kind !== 'transfer')
    this.#unwritten.push({
      events: written,
      transfers: ofKind(events, 'transfer').filter(({ isLoose }) => isLoose),
      stored: findStoredTransfers(events),
      swept,
      numbered,
      loaded,
    })
    // The reads above are queued before the writes of the earlier parts, and do not wait for them.
    while (this.#unwritten.length > PARTS_AHEAD) await this.#writeEvents(this.#unwritten.shift()!)
  }

  /** Writes the rows of a part. */
  async #writeEvents({ events, transfers, stored, swept, numbered, loaded }: Part): Promise<void> {
    const statements = this.#statements
    const trx = this.#trx
    const ids = await numbered
    addMissingRows(this.#balances, await loaded, ids)
    const trades = ofKind(events, 'trade')
    const profits = applyTradesToLots(this.#balances, trades, this.#late)
    for (const [trade, profit] of profits) {
      this.#deltas.addProfit(trade.launchpadKind, trade.trader, trade.at.time, profit, this.#clock.to, 1)
    }
    statements.start(insertTrades(trx, swept, trades, profits, ids))
    statements.start(insertPoolStates(trx, ofKind(events, 'pool-state'), ids))
    statements.start(insertTransfers(trx, transfers, ids))
    if (stored.length > 0) statements.start(deleteTransfers(trx, stored))
    statements.start(storeActions(trx, toActions(events)))
    statements.start(storeFeeShares(trx, events, ids))
    statements.start(requestMetadata(trx, listMetadataRequests(events)))
    statements.start(this.#storeNotifications(events))
  }

  async finish(): Promise<NotificationRef[]> {
    const statements = this.#statements
    const trx = this.#trx
    const deltas = this.#deltas
    const latest = this.#latest
    for (const part of this.#unwritten) await this.#writeEvents(part)
    const pairs = deltas.pairs.values()
    const touched = new Set([...deltas.tokens.keys(), ...latest.keys(), ...pairs.map(({ token }) => token)])
    const candles = mergeResolutions(this.#candles)
    const loadedWallets = statements.start(loadWallets(trx, deltas.wallets.keys()))
    const loadedFigures = statements.start(loadFigures(trx, [...touched]))
    const loadedCandles = statements.start(loadCandles(trx, candles, this.#ids))

    // The largest rows come first: the others are computed while these are written.
    addToBalances(this.#balances, deltas)
    statements.start(saveBalances(trx, this.#balances))
    const late = this.#late.values()
    if (late.length > 0) {
      // It reads the stored trades and balances.
      await statements.finish()
      await restoreLots(trx, late, deltas, this.#clock.to)
    }
    statements.start(saveWallets(trx, deltas, await loadedWallets))
    statements.start(saveCandles(trx, candles, await loadedCandles, this.#ids))
    statements.start(storeRevenue(trx, deltas, (token) => getTokenIds(this.#ids, token).id))

    const figures = await loadedFigures
    for (const [token, row] of figures) addToFigures(row, deltas.tokens.get(token), latest.get(token))
    this.#changedTokens = [...figures.values()].map(({ id }) => id)
    statements.start(writeFigures(trx, [...figures.values()]))
    const opened = [...latest].flatMap(([token, { graduated }]) =>
      graduated ? { pool: graduated.pool, id: figures.get(token)!.id, venue: graduated.poolType } : [],
    )
    statements.start(storePools(trx, opened))
    const typed = opened.flatMap(({ id, venue }) => (venue === null ? [] : [{ id, venue }]))
    if (typed.length > 0) statements.start(setVenues(trx, typed))
    // What follows is computed by the database from the rows above.
    await statements.finish()
    await storeSnipers(trx, deltas, figures)
    const graduated = [...latest].flatMap(([token, { graduated: opened }]) => (opened ? [token] : []))
    await storeBundlers(trx, deltas, figures, graduated)
    await refreshHolders(trx, [...new Set([...pairs.map(({ token }) => token), ...latest.keys()])])
    await this.#restoreHidden()
    await storePlatform(trx, deltas, figures)
    for (const alert of await triggerAlerts(trx, this.#triggers, this.#ids)) this.#notifications.push(alert)
    return this.#notifications
  }

  async #readMissingIds(events: readonly ChainEvent[]): Promise<ReadonlyMap<string, TokenIds>> {
    const missing = new Set<string>()
    for (const { token } of events) if (!this.#ids.has(token)) missing.add(token)
    for (const [token, ids] of await readTokenIds(this.#trx, [...missing])) this.#ids.set(token, ids)
    return this.#ids
  }

  #collectTriggers(events: readonly ChainEvent[]): void {
    for (const event of events) if (mayTrigger(event) && isRecent(event.at, this.#clock.to)) this.#triggers.push(event)
  }

  async #storeNotifications(events: readonly ChainEvent[]): Promise<void> {
    for (const added of await storeNotifications(this.#trx, events, this.#clock.to)) this.#notifications.push(added)
  }

  /**
   * Restores the operators' decision on tokens launched again after a reorg, and hides those of a removed launchpad. Another launch
   * at the same address has another number, so it is not hidden.
   */
  async #restoreHidden(): Promise<void> {
    if (this.#launched.length === 0) return
    await sql`update token_figures f set hidden = not f.hidden
      from tokens t left join token_metadata m on m.token_id = t.id
      where t.id = f.token_id and t.address = any(${this.#launched}::text[])
        and f.hidden <> (coalesce(m.hidden, false) or ${isRemoved('t')})`.execute(this.#trx)
  }
}

interface Part {
  events: readonly ChainEvent[]
  /** The loose ones. */
  transfers: readonly OfKind<'transfer'>[]
  /** Those that are stored as loose, and are not. */
  stored: readonly OfKind<'transfer'>[]
  swept: WindowsSwept
  /** The numbers of its tokens. */
  numbered: Promise<ReadonlyMap<string, TokenIds>>
  loaded: Promise<LoadedPairs<PairDelta>>
}

/**
 * Two parts ahead let this process compute one while the database reads the stored rows of another and writes those of a third.
 * More would take memory.
 */
const PARTS_AHEAD = 2
