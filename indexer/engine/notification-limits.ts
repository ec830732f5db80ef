import type { EventContext } from './batch.ts'

/** An event older than this creates no notification, so that a backfill notifies nobody. */
const RECENT_SECONDS = 3_600

/** The most recipients of one event, because they are inserted under the apply lock. */
export const MAX_RECIPIENTS = 10_000

/** The most recipients of all events of a batch, for the same reason. The newest events come first. */
export const MAX_BATCH_RECIPIENTS = 50_000

/** What costs next to nothing notifies once in this time. */
export const QUIET_SECONDS = 86_400

/** clock: unix seconds of the newest block. */
export const isRecent = ({ time }: Pick<EventContext, 'time'>, clock: number): boolean => clock - time <= RECENT_SECONDS
