import type { EventContext } from './batch.ts'

/** Seconds before the chain's clock within which an event is news: a backfill tells nobody of what is long past. */
const RECENT_SECONDS = 3_600

/** How many wallets one event is told to at most, because apply holds a lock meanwhile. */
export const MAX_RECIPIENTS = 10_000

/** Whether something is worth telling of at a time of the chain's clock, in unix seconds. */
export const isRecent = ({ time }: Pick<EventContext, 'time'>, clock: number): boolean => clock - time <= RECENT_SECONDS
