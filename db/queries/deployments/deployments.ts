import { type Kysely, sql, type Transaction } from 'kysely'
import type { Deployment } from '../../../config/config.ts'
import { toBytes } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { logAction } from '../audit-log.ts'

/** A contract that operators have added. */
export interface AddedRow {
  address: string
  kind: string
  start_block: number
  added_by: string
  added_at: Date
  followed_from: number | null
  backfilled_to: number | null
  completed_at: Date | null
  removed_at: Date | null
}

/** The contracts that operators have added, also those that they have removed, in the order of their addition. */
export const listAdded = (db: Kysely<Database>): Promise<AddedRow[]> =>
  db.selectFrom('deployments').selectAll().orderBy('added_at').orderBy('address').execute()

/** The configured contracts, and those that operators have added and not removed. */
export async function listFollowed(
  db: Kysely<Database>,
  configured: readonly Deployment[],
): Promise<readonly Deployment[]> {
  const known = new Set<string>(configured.map(({ address }) => address))
  const added = (await listAdded(db)).filter((row) => row.removed_at === null && !known.has(row.address))
  return [
    ...configured,
    ...added.map(({ kind, address, start_block: startBlock }) => ({ kind, address, startBlock }) as Deployment),
  ]
}

/** How far the chain is indexed; null before the first block. */
export interface IndexedRow {
  checkpoint_number: number
  finalized_number: number
  head_number: number
  wrapped_native: string
  contract_kinds: unknown
}

export const findIndexedRange = (db: Kysely<Database>): Promise<IndexedRow | undefined> =>
  db
    .selectFrom('chain_state')
    .select(['checkpoint_number', 'finalized_number', 'head_number', 'wrapped_native', 'contract_kinds'])
    .executeTakeFirst()

/** Whether the address is that of an indexed token or pool: as a contract of its own, it would lose that role. */
export async function isCreated(db: Kysely<Database>, address: string): Promise<boolean> {
  const { rows } = await sql`
    select from tokens where address = ${address} union all select from pools where pool = ${toBytes(address)}`.execute(
    db,
  )
  return rows.length > 0
}

interface Decision {
  address: string
  actor: string
  reason: string | null
}

/**
 * Adds a contract, or one that was removed again. Returns its row, which is another operator's if they have added it meanwhile. A
 * contract without events is complete at once.
 */
export async function addDeployment(
  trx: Transaction<Database>,
  {
    kind,
    startBlock,
    isIndexed,
    address,
    actor,
    reason,
  }: Decision & { kind: string; startBlock: number; isIndexed: boolean },
): Promise<AddedRow> {
  const { rows } = await sql<AddedRow>`
    insert into deployments (address, kind, start_block, added_by, completed_at)
    values (${address}, ${kind}, ${startBlock}, ${actor}, ${isIndexed ? null : new Date()}::timestamptz)
    on conflict (address) do update set removed_at = null where deployments.removed_at is not null
    returning *`.execute(trx)
  if (rows[0]) await logAction(trx, { actor, action: 'deployment.add', subject: address, reason })
  return rows[0] ?? trx.selectFrom('deployments').selectAll().where('address', '=', address).executeTakeFirstOrThrow()
}

/**
 * Removes a contract, which stays indexed. One that is indexed because DEPLOYMENTS named it gets a row. Returns undefined if it is not
 * known. Idempotent.
 */
export async function removeDeployment(
  trx: Transaction<Database>,
  { address, actor, reason }: Decision,
): Promise<AddedRow | undefined> {
  const findRow = () => trx.selectFrom('deployments').selectAll().where('address', '=', address).executeTakeFirst()
  // A statement of its own, because Citus has these tables on all nodes, and inserts no rows of a query there.
  const { rows: known } = await sql<{ kind: string | null; first: number; checkpoint: number }>`
    select coalesce((select kind from deployments where address = ${address}), contract_kinds ->> ${address}) as kind,
      coalesce((select min(block_number) from tokens where launchpad = ${address}), checkpoint_number) as first,
      checkpoint_number as checkpoint
    from chain_state`.execute(trx)
  const { kind = null, first, checkpoint } = known[0] ?? {}
  if (kind === null) return findRow()
  const { rows } = await sql<AddedRow>`
    insert into deployments (address, kind, start_block, added_by, followed_from, completed_at, removed_at)
    values (${address}, ${kind}, ${first}, ${actor}, ${checkpoint}, now(), now())
    on conflict (address) do update set removed_at = excluded.removed_at where deployments.removed_at is null
    returning *`.execute(trx)
  if (rows[0]) await logAction(trx, { actor, action: 'deployment.remove', subject: address, reason })
  return rows[0] ?? findRow()
}
