import type { Header } from '../../chain/rpc/client.ts'
import type { BulkLoad } from '../../db/bulk-load.ts'
import type { Db } from '../../db/client.ts'
import { findIndexerState, type IndexerState as StoredState } from '../../db/queries/chain-state.ts'
import { findIndexedRange, listAdded } from '../../db/queries/deployments/deployments.ts'
import { MAX_HEARTBEAT_SECONDS } from '../../db/queries/indexer-lease.ts'
import { describeWriteFailure } from '../../db/write-failure.ts'
import { toAddedDeployment } from '../../records/operators/to-deployment.ts'

export interface IndexerState extends StoredState {
  backfills: { address: string; kind: string; progressPct: number }[]
}

/** Undefined before an indexer has started. */
export async function readIndexer(db: Db): Promise<IndexerState | undefined> {
  const state = await findIndexerState(db)
  return state && { ...state, backfills: await listBackfills(db) }
}

/** Most services have none: then nothing else is read. */
async function listBackfills(db: Db): Promise<IndexerState['backfills']> {
  const open = (await listAdded(db)).filter((row) => row.followed_from !== null && row.completed_at === null)
  if (open.length === 0) return []
  const indexed = await findIndexedRange(db)
  return open.map((row) => {
    const { address, kind, progressPct } = toAddedDeployment(row, indexed)
    return { address, kind, progressPct }
  })
}

/** Why the indexer does not index, or is too far behind; null if it does and is not. */
export function explainIndexer(
  state: IndexerState | undefined,
  head: Header | null,
  maxLagBlocks: number,
): string | null {
  if (!state) return 'no indexer has started'
  if (state.write_failure !== null) return `cannot write: ${describeWriteFailure(state.write_failure)}`
  const { heartbeat_age: age, bulk_load: load } = state
  if (age === null || age > MAX_HEARTBEAT_SECONDS)
    return age === null ? 'no indexer has been active' : `no active indexer for ${Math.floor(age)} s`
  if (state.halted !== null) return `halted: ${state.halted.replace(/\.$/, '')}`
  if (load) return head ? describeBackfill(state, load, head) : 'backfilling'
  const lag = lagOf(state, head)
  return lag > maxLagBlocks ? `behind by ${lag} blocks` : null
}

const lagOf = ({ checkpoint_number: block }: IndexerState, head: Header | null): number =>
  Math.max(0, (head?.number ?? block) - block)

/** A bulk load with progress and time left. */
function describeBackfill({ checkpoint_number: block }: IndexerState, load: BulkLoad, head: Header): string {
  const [done, total] = [block - load.from, Math.max(head.number - load.from, 1)]
  if (done >= total) return `backfilling: creating ${load.indexes.length} indexes`
  const elapsed = Math.max(0, Date.now() / 1_000 - load.startedAt)
  const left = done > 0 ? `, about ${Math.ceil((elapsed * (total - done)) / done / 60)} min left` : ''
  return `backfilling: ${Math.floor((100 * done) / total)} % of the blocks${left}`
}

/** The state of an indexer that works, as the API serves it. */
export function toIndexerHealth(state: IndexerState, head: Header) {
  const { checkpoint_time: seconds, heartbeat_age: age } = state
  const lagBlocks = lagOf(state, head)
  return {
    ok: true as const,
    blockNumber: state.checkpoint_number,
    blockTime: seconds > 0 ? new Date(seconds * 1_000).toISOString() : null,
    lagBlocks,
    lagSeconds: lagBlocks === 0 ? 0 : Math.max(0, head.time - seconds),
    // The last part identifies the process and omits the host.
    leader: state.holder?.split(':').at(-1) ?? null,
    heartbeatSeconds: Math.round((age ?? 0) * 10) / 10,
    backfills: state.backfills,
  }
}
