import { sql } from 'kysely'

/** Seconds since the last heartbeat of an indexer, by the database's clock; null before the first. */
export const heartbeatAge = sql<number | null>`(
  select extract(epoch from clock_timestamp() - heartbeat_at)::float8 from indexer_lease
)`.as('heartbeat_age')

/** The name of the process that holds the lease, as in its log; null if it is free. */
export const leaseHolder = sql<string | null>`(select holder from indexer_lease)`.as('holder')
