import type pg from 'pg'
import type { Metrics } from './create-metrics.ts'

/** Exports database connections by pool and state. */
export function watchPools(metrics: Metrics, pools: Record<string, pg.Pool>): void {
  const each = (read: (pool: pg.Pool) => number) => () =>
    Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, read(pool)]))
  const add = (name: string, help: string, read: (pool: pg.Pool) => number) =>
    metrics.gauges(name, help, 'pool', each(read))
  add('database_connections', 'Connections of a pool', (pool) => pool.totalCount)
  add('database_connections_idle', 'Idle connections of a pool', (pool) => pool.idleCount)
  add('database_requests_waiting', 'Queries waiting for a connection', (pool) => pool.waitingCount)
}
