import { sql, type Transaction } from 'kysely'
import { findNotifications } from '../../db/queries/notifications.ts'
import {
  type ChangedTokens,
  enqueueEvents,
  enqueueMissingEvents,
  type NewEvent,
  toChangeEvent,
} from '../../db/queries/outbox.ts'
import { findQuotesOf, type QuoteAssetRow } from '../../db/queries/quote-assets.ts'
import type { Database } from '../../db/schema.ts'
import { ALL_CACHE_TAGS, type DataChange } from '../../lib/cache/data-versions.ts'
import { channels, channelsOfTransaction } from '../../records/channels.ts'
import { toEvent, toNotificationEvent } from '../../records/events.ts'
import { toTransaction } from '../../records/to-transaction.ts'
import { type DecodedEvents, listEvents } from './decode.ts'
import type { IndexedEvent, IndexerModule, NotificationRef } from './module.ts'
import type { ActionRow } from './store-actions.ts'
import type { Undone } from './undo.ts'

/**
 * An event older than this causes no live events, so that a backfill sends none. Ten minutes, so that none is lost
 * while a node or the active indexer is replaced.
 */
const LIVE_SECONDS = 600

/** What a transaction has written. */
export interface Written {
  /** The recent events; older ones cause no live events. */
  events: DecodedEvents
  /** The number of all events. */
  eventCount: number
  /** Data that all events have changed: see lib/cache/data-versions.ts. */
  cacheTags: ReadonlySet<string>
  /** Numbers of tokens whose figures were written, also those that only a sliding window has changed. */
  tokens: readonly number[]
  undone: Undone
  notifications: readonly NotificationRef[]
  /** Events of earlier transactions that may have notified only now. */
  stored: readonly IndexedEvent[]
  /** Events before this were too old to be sent, and all later ones will be recent: see lacksEvents. */
  endsGap: boolean
}

/** Whether events of a time are sent, by a clock in unix seconds. */
export const isLiveAt = (time: number, clock: number): boolean => clock - time <= LIVE_SECONDS

const isLive = ({ at }: IndexedEvent, clock: number) => isLiveAt(at.time, clock)

/** Whether some events of a batch were too old to be sent. */
export const lacksEvents = ({ events, eventCount }: Pick<Written, 'events' | 'eventCount'>): boolean =>
  listEvents(events).length < eventCount

/** The events that are at most LIVE_SECONDS older than a clock in unix seconds. */
export const keepRecent = (decoded: DecodedEvents, clock: number): DecodedEvents =>
  decoded.map(({ module, events }) => ({ module, events: events.filter((event) => isLive(event, clock)) }))

export function listCacheTags(decoded: DecodedEvents): string[] {
  const touched = decoded.filter(({ events }) => events.length > 0)
  return touched.flatMap(({ module, events }) => [module.name, ...(module.cacheTagsOf?.(events) ?? [])])
}

/** What a transaction changes besides what it has applied. */
export interface Addition {
  /** Cache tags: see lib/cache/data-versions.ts. */
  cacheTags: readonly string[]
  events: readonly NewEvent[]
}

/** More single cache tags than this become the cache tag of all of their kind. */
const MAX_CACHE_TAGS = 200

/** Above this number, as in a backfill, the tokens are not listed, and processes that keep figures in memory read all of them. */
const MAX_CHANGED_TOKENS = 10_000

/**
 * Writes the live events of a transaction to the outbox, as its last statements, with the data that it changes. Returns
 * that change.
 */
export async function enqueueLiveEvents(
  trx: Transaction<Database>,
  modules: readonly IndexerModule[],
  written: Written,
  added: Addition = { cacheTags: [], events: [] },
): Promise<DataChange> {
  const cacheTags = [...new Set([...boundCacheTags(written), ...added.cacheTags])]
  const tokens = listChangedTokens(written)
  if (written.endsGap) await enqueueMissingEvents(trx)
  const events = [...(await buildLiveEvents(trx, modules, written)), ...added.events, toChangeEvent(cacheTags, tokens)]
  const seq = await enqueueEvents(trx, events)
  return { seq, cacheTags }
}

/** Every batch may move the clock. An undo restores figures of many tokens, so it changes all. */
function boundCacheTags({ cacheTags, undone }: Written): readonly string[] {
  return undone.isUndone || cacheTags.size > MAX_CACHE_TAGS ? ALL_CACHE_TAGS : ['chain', ...cacheTags]
}

function listChangedTokens({ tokens, undone }: Written): ChangedTokens {
  const changed = new Set([...tokens, ...undone.tokens])
  return changed.size > MAX_CHANGED_TOKENS ? 'all' : [...changed]
}

/** Retractions come first, then the events of each module, then those that all modules share. */
async function buildLiveEvents(
  trx: Transaction<Database>,
  modules: readonly IndexerModule[],
  { events, undone, notifications, stored }: Written,
): Promise<NewEvent[]> {
  const state = await trx
    .selectFrom('chain_state')
    .select([
      'chain_id as chainId',
      'native_symbol as nativeSymbol',
      'finalized_number as finalized',
      'clock_time as clock',
    ])
    .select(sql<boolean>`exists(select from quotes)`.as('hasQuotes'))
    .executeTakeFirstOrThrow()
  const live = keepRecent(events, state.clock)
  const notifying = [...listEvents(live), ...stored.filter((event) => isLive(event, state.clock))]
  const notices = listLive(notifications, notifying)
  const isUndone = listEvents(undone.events).length + undone.notifications.length > 0
  if (listEvents(live).length === 0 && !isUndone && notices.length === 0) return []

  const retractions: NewEvent[] = []
  const updates: NewEvent[] = []
  for (const [index, { module, events: own }] of live.entries()) {
    const built = await module.buildLiveEvents?.(trx, {
      ...state,
      events: own,
      undone: undone.events[index]?.events ?? [],
    })
    retractions.push(...(built?.retractions ?? []))
    updates.push(...(built?.events ?? []))
  }
  return [
    ...retractions,
    ...listTransactions(undone.events).map((row) => retractTransaction(row, state)),
    ...undone.notifications.map(({ id, recipient }) =>
      toEvent('notification.retracted', [channels.wallet(recipient)], { id: String(id) }),
    ),
    ...updates,
    ...(await buildTransactionEvents(trx, listTransactions(live), state)),
    ...(await findNotifications(trx, notices)).reverse().map(toNotificationEvent),
    ...(await buildSummaries(trx, modules)),
  ]
}

type State = { finalized: number; nativeSymbol: string; hasQuotes: boolean }

/** The transactions of all modules, in chain order. */
function listTransactions(decoded: DecodedEvents): ActionRow[] {
  const rows = decoded.flatMap(({ module, events }) => module.toTransactions(events))
  return rows.sort((a, b) => a.at.blockNumber - b.at.blockNumber || a.at.logIndex - b.at.logIndex)
}

function toRecord(
  { at, type, wallet, subject, data }: ActionRow,
  nativeSymbol: string,
  confirmed: boolean,
  quote: QuoteAssetRow | null = null,
) {
  return toTransaction({
    ...{ block_number: at.blockNumber, log_index: at.logIndex, block_time: at.time, tx_hash: at.txHash },
    ...{ type, wallet, subject, data, confirmed, native_symbol: nativeSymbol, quote },
  })
}

async function buildTransactionEvents(
  trx: Transaction<Database>,
  rows: readonly ActionRow[],
  { finalized, nativeSymbol, hasQuotes }: State,
): Promise<NewEvent[]> {
  const subjects = hasQuotes ? rows.map(({ subject }) => subject) : []
  const quotes = await findQuotesOf(trx, subjects)
  return rows.map((row) => {
    const record = toRecord(row, nativeSymbol, row.at.blockNumber <= finalized, quotes.get(row.subject))
    return toEvent('transaction', channelsOfTransaction(row.wallet, record), record)
  })
}

function retractTransaction(row: ActionRow, { nativeSymbol }: State): NewEvent {
  const { quote, amounts, timestamp, confirmed, ...record } = toRecord(row, nativeSymbol, false)
  return toEvent('transaction.retracted', channelsOfTransaction(row.wallet, record), record)
}

/** The ids of notifications of live events, and of time: those of older events wait in the recipient's list. */
function listLive(notifications: readonly NotificationRef[], events: readonly IndexedEvent[]): number[] {
  const positions = new Set(events.map(({ at }) => `${at.blockNumber}/${at.logIndex}`))
  const isOfLive = ({ block_number: block, log_index: log }: NotificationRef) =>
    log === null || positions.has(`${block}/${log}`)
  return notifications.filter(isOfLive).map(({ id }) => id)
}

async function buildSummaries(trx: Transaction<Database>, modules: readonly IndexerModule[]): Promise<NewEvent[]> {
  const events: NewEvent[] = []
  for (const module of modules) events.push(...((await module.buildSummaries?.(trx)) ?? []))
  return events
}
