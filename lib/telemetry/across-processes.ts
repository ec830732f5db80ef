export type Aggregation = 'sum' | 'max' | 'min'

/** Gauges that say the same in every process, or whose worst value counts. Others add up. By name, without the prefix. */
const AGGREGATIONS: Readonly<Record<string, Aggregation>> = {
  clock_skew_seconds: 'max',
  database_replica_lag_seconds: 'max',
  database_replica_used: 'min',
  event_loop_lag_seconds: 'max',
  health_check: 'min',
  indexer_checkpoint_block: 'max',
  indexer_halted: 'max',
  indexer_head_block: 'max',
  indexer_heartbeat_age_seconds: 'max',
  indexer_lag_blocks: 'max',
  indexer_lag_seconds: 'max',
  indexer_leader: 'max',
  indexer_proven_block: 'max',
  market_data_circuit_open: 'max',
  // Those of the process that was started last.
  process_start_time_seconds: 'max',
  process_uptime_seconds: 'min',
  rpc_circuits_open: 'max',
}

/** How the values of a gauge in several processes of one service become one value. */
export const aggregationOf = (name: string): Aggregation => AGGREGATIONS[name] ?? 'sum'
