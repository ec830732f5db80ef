import type { Db } from '../../db/client.ts'
import { heartbeatAge } from '../../db/queries/indexer-lease.ts'
import { DURATION_BUCKETS, type Metrics } from '../../lib/telemetry/create-metrics.ts'
import type { Applied } from './apply.ts'
import type { Batch } from './batch.ts'
import type { StepKind } from './follow.ts'

/** A scrape must not wait for a database that hangs. */
const READ_DEADLINE_MS = 2_000
/** The gauges of one scrape share one query. */
const SHARED_MS = 500

/** How far the index is, as the database tells: every process can, whoever leads. */
export function watchProgress(metrics: Metrics, db: Db): void {
  const read = async () => {
    const { promise: deadline, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), READ_DEADLINE_MS)
    const query = db
      .selectFrom('chain_state')
      .select(['checkpoint_number', 'checkpoint_time', 'head_number', 'halted', heartbeatAge])
      .executeTakeFirst()
    query.catch(() => {})
    return Promise.race([query, deadline]).finally(() => clearTimeout(timer))
  }
  type State = NonNullable<Awaited<ReturnType<typeof read>>>
  let shared: { at: number; state: ReturnType<typeof read> } | undefined
  const add = (name: string, help: string, value: (state: State) => number | null) =>
    metrics.gauge(name, help, async () => {
      if (!shared || Date.now() - shared.at > SHARED_MS) shared = { at: Date.now(), state: read() }
      const state = await shared.state
      return state ? value(state) : null
    })
  const behind = (state: State) => Math.max(0, state.head_number - state.checkpoint_number)
  add('indexer_head_block', 'Newest block of the chain that the indexer has seen', (state) => state.head_number)
  add('indexer_checkpoint_block', 'Newest block indexed', (state) => state.checkpoint_number)
  add('indexer_lag_blocks', 'Blocks seen and not yet indexed', behind)
  add('indexer_lag_seconds', 'Age of the newest block indexed while blocks are missing; else 0', (state) =>
    behind(state) === 0 ? 0 : Math.max(0, Date.now() / 1000 - state.checkpoint_time),
  )
  add('indexer_halted', '1 after a reorg deeper than the finality depth', (state) => (state.halted === null ? 0 : 1))
  // By the clock of the database, which is the same for every process.
  add('indexer_heartbeat_age_seconds', 'Time since any indexer gave a sign of life', (state) => state.heartbeat_age)
}

/** What this process's own indexer does. Returns what it must be told. */
export function watchIndexer(metrics: Metrics, isLeading: () => boolean) {
  metrics.gauge('indexer_leader', '1 if this process is the active indexer', () => (isLeading() ? 1 : 0))
  const events = metrics.counter('indexer_events_total', 'Events applied, of backfill and head together')
  const undone = metrics.counter('indexer_events_undone_total', 'Events that reorgs took away')
  const rejected = metrics.counter('indexer_logs_refused_total', 'Logs of our contracts that say what cannot be')
  const batches = metrics.counter('indexer_batches_total', 'Batches applied')
  const reorgs = metrics.counter('indexer_reorgs_total', 'Reorganisations of the chain that were followed')
  const durations = metrics.histogram('indexer_step_duration_seconds', 'Fetching and applying what a step found', {
    labels: ['kind'],
    buckets: DURATION_BUCKETS,
  })
  return {
    onStep: (kind: StepKind, seconds: number) => durations.observe({ kind }, seconds),
    onApplied: (applied: Applied, { advance }: Batch) => {
      events.inc(applied.events.length)
      undone.inc(applied.undone.length)
      rejected.inc(applied.rejected.count)
      batches.inc()
      if (advance?.forkPoint !== undefined) reorgs.inc()
    },
  }
}
