import type { Metrics } from './create-metrics.ts'

interface Replica {
  status(): { lagSeconds: number | null; state: string }
}

export function watchReplica(metrics: Metrics, replica: Replica): void {
  metrics.gauge('database_replica_lag_seconds', 'Lag of the replica', () => replica.status().lagSeconds)
  metrics.gauge('database_replica_used', '1 while reads may go to the replica', () =>
    replica.status().state === 'ok' ? 1 : 0,
  )
}
