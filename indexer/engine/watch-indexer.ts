import type { Db } from '../../db/client.ts'
import { provenNumber } from '../../db/queries/chain-state.ts'
import { hasHeartbeat, heartbeatAge } from '../../db/queries/indexer-lease.ts'
import { DURATION_BUCKETS, type Metrics } from '../../lib/telemetry/create-metrics.ts'
import type { Applied } from './apply.ts'
import type { Difference } from './compare-blocks.ts'
import type { StepKind } from './follow.ts'

/** A scrape must not wait for an unresponsive database. */
const READ_DEADLINE_MS = 2_000
/** The gauges of one scrape share one query. */
const SHARED_MS = 500

/** Gauges of the indexing progress, read from the database, so that every process can report them. */
export function watchProgress(metrics: Metrics, db: Db): void {
  const read = async () => {
    const { promise: deadline, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), READ_DEADLINE_MS)
    const query = db
      .selectFrom('chain_state as s')
      .select([
        'checkpoint_number',
        'checkpoint_time',
        'head_number',
        'halted',
        heartbeatAge,
        hasHeartbeat,
        provenNumber,
      ])
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
  add('indexer_proven_block', 'Up to this block all indexed logs are proven', (state) => state.proven_number)
  add('indexer_lag_blocks', 'Blocks seen and not yet indexed; none while no indexer is active', (state) =>
    state.has_heartbeat ? behind(state) : null,
  )
  // Without an indexer nobody sees new blocks: then it grows by the clock.
  add(
    'indexer_lag_seconds',
    'Age of the newest block indexed while blocks are missing or no indexer is active; else 0',
    (state) =>
      behind(state) === 0 && state.has_heartbeat ? 0 : Math.max(0, Date.now() / 1000 - state.checkpoint_time),
  )
  add('indexer_halted', '1 after a reorg of final blocks', (state) => (state.halted === null ? 0 : 1))
  // Uses the database's clock, which all processes share.
  add(
    'indexer_heartbeat_age_seconds',
    'Time since the last heartbeat of the active indexer',
    (state) => state.heartbeat_age,
  )
}

/** Metrics of this process's indexer. Returns the listeners to pass to it. */
export function watchIndexer(metrics: Metrics, isLeading: () => boolean) {
  metrics.gauge('indexer_leader', '1 if this process is the active indexer', () => (isLeading() ? 1 : 0))
  const events = metrics.counter('indexer_events_total', 'Events applied, of backfill and head together')
  const undone = metrics.counter('indexer_events_undone_total', 'Events undone by reorgs')
  const rejected = metrics.counter(
    'indexer_logs_refused_total',
    'Invalid logs of indexed contracts, which have no effect',
  )
  const unquoted = metrics.counter(
    'indexer_launches_unquoted_total',
    'Launches in assets that QUOTES does not name, which have no effect',
  )
  const differences = metrics.counter(
    'indexer_proof_differences_total',
    'Logs, prices and headers of indexed blocks that a proof has corrected, by kind: missing, forged, price or header',
    ['kind'],
  )
  const batches = metrics.counter('indexer_batches_total', 'Batches applied')
  const reorgs = metrics.counter(
    'indexer_reorgs_total',
    'Reorgs that the indexer has followed, without those whose blocks receipt syncs undid before',
  )
  const durations = metrics.histogram('indexer_step_duration_seconds', 'Time to fetch and apply the blocks of a step', {
    labels: ['kind'],
    buckets: DURATION_BUCKETS,
  })
  return {
    onStep: (kind: StepKind, seconds: number) => durations.observe({ kind }, seconds),
    onDifference: ({ missing, forged, price, isHeaderWrong }: Difference) => {
      differences.inc({ kind: 'missing' }, missing.length)
      differences.inc({ kind: 'forged' }, forged.length)
      differences.inc({ kind: 'price' }, price === 'right' ? 0 : 1)
      differences.inc({ kind: 'header' }, isHeaderWrong ? 1 : 0)
    },
    onApplied: (applied: Applied) => {
      events.inc(applied.eventCount)
      undone.inc(applied.undone.length)
      rejected.inc(applied.rejected.count)
      unquoted.inc([...applied.rejected.unquoted.values()].reduce((sum, launches) => sum + launches, 0))
      batches.inc()
      if (applied.advance?.isReorg) reorgs.inc()
    },
  }
}
