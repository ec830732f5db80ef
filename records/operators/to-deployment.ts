import type { Static } from '@sinclair/typebox'
import type { AddedRow, IndexedRow } from '../../db/queries/deployments/deployments.ts'
import type { Deployment } from '../../schemas/operators/deployments.ts'

type Record = Static<typeof Deployment>

/** A contract that operators have added. */
export function toAddedDeployment(row: AddedRow, indexed: IndexedRow | undefined): Record {
  const { address, kind, start_block: startBlock, completed_at: completedAt } = row
  const end = indexed ? Math.min(indexed.checkpoint_number, indexed.finalized_number) : startBlock - 1
  const reached = completedAt === null ? (row.backfilled_to ?? startBlock - 1) : (indexed?.checkpoint_number ?? 0)
  return {
    ...{ address, kind: kind as Record['kind'], startBlock, source: 'api' },
    state: completedAt !== null ? 'complete' : row.followed_from === null ? 'waiting' : 'backfilling',
    progressPct: completedAt === null ? toPercent(startBlock, reached, end) : 100,
    indexedBlock: row.followed_from === null || reached < startBlock ? null : reached,
    removed: row.removed_at !== null,
    addedBy: row.added_by,
    addedAt: row.added_at.toISOString(),
  }
}

/** One that DEPLOYMENTS names. */
export function toConfiguredDeployment(
  { address, kind, startBlock }: Pick<Record, 'address' | 'kind' | 'startBlock'>,
  indexed: IndexedRow | undefined,
): Record {
  const isIndexed = indexed !== undefined && Object.hasOwn(indexed.contract_kinds as object, address)
  const reached = indexed?.checkpoint_number ?? startBlock - 1
  const isComplete = indexed !== undefined && reached >= indexed.finalized_number
  return {
    ...{ address, kind, startBlock, source: 'settings' },
    state: !isIndexed || isComplete ? 'complete' : 'backfilling',
    progressPct: !isIndexed || isComplete ? 100 : toPercent(startBlock, reached, indexed.finalized_number),
    indexedBlock: isIndexed && reached >= startBlock ? reached : null,
    ...{ removed: false, addedBy: null, addedAt: null },
  }
}

/** Rounded down, so that 100 is the end. */
function toPercent(startBlock: number, reached: number, end: number): number {
  const [done, total] = [reached - startBlock + 1, end - startBlock + 1]
  return total <= 0 ? 0 : Math.max(0, Math.min(99.9, Math.floor((1_000 * done) / total) / 10))
}
