import type { Transaction } from 'kysely'
import { announce, type NewEvent } from '../../db/queries/outbox.ts'
import { findTokens } from '../../db/queries/tokens.ts'
import type { Database } from '../../db/schema.ts'
import type { Action } from '../engine/domain.ts'
import type { Undone } from '../engine/undo.ts'
import {
  buildCandles,
  buildGraduations,
  buildLaunches,
  buildNotifications,
  buildRetractions,
  buildStatistics,
  buildTokenUpdates,
  buildTrades,
  buildTransactions,
} from './build-live-events.ts'
import type { ChainEvent } from './interpret-blocks.ts'
import type { LiveUpdate } from './live-update.ts'
import type { NotificationRef } from './store-notifications.ts'

/**
 * Seconds before the chain's clock within which an event is live. A backfill announces nothing: nobody waits for what is long
 * past, and what a page shows it has read. Ten minutes, so that nothing is lost while a node or the active indexer is
 * being replaced.
 */
const LIVE_SECONDS = 600

/** What a transaction has written of the chain, by its end. */
export interface Written {
  events: readonly ChainEvent[]
  undone: Undone
  /** What was done at the contracts of domains. */
  actions: readonly Action[]
  notifications: readonly NotificationRef[]
}

/**
 * What a domain says of some news. Those of all domains are asked in this order, and heard in it: first what is no more.
 * What is done at the contracts of a domain is told as transactions already; one with more to say adds a function here.
 */
type BuildEvents = (trx: Transaction<Database>, update: LiveUpdate) => NewEvent[] | Promise<NewEvent[]>
const builders: readonly BuildEvents[] = [
  buildRetractions,
  buildLaunches,
  buildTrades,
  buildGraduations,
  buildCandles,
  buildTokenUpdates,
  buildTransactions,
  buildNotifications,
  buildStatistics,
]

/**
 * Announces what has just been written, in the same transaction and as its last statements. clock: unix seconds of the newest
 * block that is known. Answers how many events that made.
 */
export async function announceWritten(
  trx: Transaction<Database>,
  { events, undone, actions, notifications }: Written,
  { clock, chainId }: { clock: number; chainId: number },
): Promise<number> {
  const isLive = ({ at }: Pick<Action, 'at'>) => clock - at.time <= LIVE_SECONDS
  const [live, liveActions] = [events.filter(isLive), actions.filter(isLive)]
  const isUndone = undone.events.length + undone.actions.length + undone.notifications.length > 0
  if (live.length === 0 && liveActions.length === 0 && !isUndone) return 0
  const touched = new Set([...live, ...undone.events].map(({ token }) => token))
  const rows = await findTokens(trx, [...touched])
  const livePositions = new Set([...live, ...liveActions].map(({ at }) => `${at.blockNumber}/${at.logIndex}`))
  const update: LiveUpdate = {
    chainId,
    events: live,
    undone,
    actions: liveActions,
    notifications: notifications.filter(({ block_number, log_index }) =>
      livePositions.has(`${block_number}/${log_index}`),
    ),
    tokens: new Map(rows.map((row) => [row.address, row])),
  }
  const liveEvents: NewEvent[] = []
  for (const build of builders) liveEvents.push(...(await build(trx, update)))
  await announce(trx, liveEvents)
  return liveEvents.length
}
