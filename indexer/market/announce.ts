import type { Transaction } from 'kysely'
import { enqueueEvents, type NewEvent } from '../../db/queries/outbox.ts'
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
 * An event older than this causes no live events, so that a backfill sends none. Ten minutes, so that none is lost
 * while a node or the active indexer is replaced.
 */
const LIVE_SECONDS = 600

/** Everything that a transaction has written. */
export interface Written {
  events: readonly ChainEvent[]
  undone: Undone
  /** Actions at the contracts of other domains. */
  actions: readonly Action[]
  notifications: readonly NotificationRef[]
}

/**
 * Builds live events of one kind. All run in this order, retractions first. Actions of other domains become transaction
 * events; a domain with more events adds a function here.
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
 * Writes the live events of a transaction to the outbox, as its last statements. clock: unix seconds of the newest
 * block. Returns their number.
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
  await enqueueEvents(trx, liveEvents)
  return liveEvents.length
}
