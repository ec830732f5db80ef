import { sql } from 'kysely'

/** Seconds since the last heartbeat of an indexer, by the database's clock; null before the first. */
export const heartbeatAge = sql<number | null>`(
  select extract(epoch from clock_timestamp() - heartbeat_at)::float8 from indexer_lease
)`.as('heartbeat_age')

/** A standby takes over within 15 s, so after this time without a heartbeat no indexer is active. */
export const MAX_HEARTBEAT_SECONDS = 30

/** Whether an indexer is active; what it has stored about the head of the chain is old otherwise. */
export const hasHeartbeat = sql<boolean>`coalesce((
  select heartbeat_at > clock_timestamp() - make_interval(secs => ${sql.lit(MAX_HEARTBEAT_SECONDS)}) from indexer_lease
), false)`.as('has_heartbeat')

/** The name of the process that holds the lease, as in its log; null if it is free. */
export const leaseHolder = sql<string | null>`(select holder from indexer_lease)`.as('holder')
