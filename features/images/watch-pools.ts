import type { ChildPool } from '../../lib/child-pool/child-pool.ts'
import type { Metrics } from '../../lib/telemetry/create-metrics.ts'

type Pool = ChildPool<never, unknown>

/** Registers metrics of child-process pools. Returns the function that adds a pool. */
export function watchPools(metrics: Metrics): (name: string, pool: Pool) => void {
  const pools = new Map<string, Pool>()
  const byPool = (read: (pool: Pool) => number) => () =>
    Object.fromEntries(Array.from(pools, ([name, pool]) => [name, read(pool)]))
  metrics.gauges(
    'child_processes',
    'Child processes for images and link previews',
    'pool',
    byPool(({ children }) => children),
  )
  metrics.gauges(
    'child_queue_size',
    'Jobs waiting for a child process',
    'pool',
    byPool(({ queued }) => queued),
  )
  metrics.totals(
    'child_process_starts_total',
    'Child processes started',
    byPool(({ counts }) => counts.started),
    'pool',
  )
  metrics.totals(
    'child_process_kills_total',
    'Child processes that ended during a job, by reason: time (CPU or wall clock), memory, crash',
    () => {
      const sum = { time: 0, memory: 0, crash: 0 }
      for (const { counts } of pools.values())
        for (const reason of ['time', 'memory', 'crash'] as const) sum[reason] += counts.killed[reason]
      return sum
    },
    'reason',
  )
  return (name, pool) => void pools.set(name, pool)
}
