import { sql } from 'kysely'

/** Seconds since the last heartbeat of an active indexer, by the clock of the database; null if there never was one. */
export const heartbeatAge = sql<number | null>`(
  select extract(epoch from clock_timestamp() - heartbeat_at)::float8 from indexer_lease
)`.as('heartbeat_age')

/** The process that holds the lease, as the log of that process names it; null while nobody does. */
export const leaseHolder = sql<string | null>`(select holder from indexer_lease)`.as('holder')
