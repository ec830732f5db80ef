import type { EventContext } from './batch.ts'

/** An event older than this creates no notification, so that a backfill notifies nobody. */
const RECENT_SECONDS = 3_600

/** The most recipients of one event, because they are inserted under the apply lock. */
export const MAX_RECIPIENTS = 10_000

/** clock: unix seconds of the newest block. */
export const isRecent = ({ time }: Pick<EventContext, 'time'>, clock: number): boolean => clock - time <= RECENT_SECONDS
