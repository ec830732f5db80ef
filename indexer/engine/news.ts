import type { At } from './batch.ts'

/** Seconds before the chain's clock within which an event is news: a backfill tells nobody of what is long past. */
const NEWS_SECONDS = 3_600

/** How many wallets one event is told to at most, because apply holds a lock meanwhile. */
export const MAX_AUDIENCE = 10_000

/** Whether something is worth telling of at a time of the chain's clock, in unix seconds. */
export const isNews = ({ time }: Pick<At, 'time'>, clock: number): boolean => clock - time <= NEWS_SECONDS
