import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { BlockRange } from '../../chain/rpc/split-range.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'

/*
 * chain_state.unproven: the indexed blocks whose logs nothing has proven. Ranges of a backfill are added when they are applied,
 * and removed when receipts have proven each block.
 */

/** The ranges as a multirange, to add to chain_state.unproven or subtract from it. */
export const toMultirange = (ranges: readonly BlockRange[]): RawBuilder<unknown> =>
  sql`${`{${ranges.map(({ from, to }) => `[${from},${to}]`).join(',')}}`}::int8multirange`

/** Whether receipts prove the blocks of a backfill: `unsupported` if no node has receipts that hash to the headers. */
export type ProofState = 'on' | 'off' | 'unsupported'

export async function setProofState(trx: Transaction<Database>, state: ProofState): Promise<void> {
  await sql`update chain_state set proofs = ${state} where proofs <> ${state}`.execute(trx)
}

/** The lowest unproven blocks above a height; undefined if there are none. */
export async function findUnproven(db: Db, after: number): Promise<BlockRange | undefined> {
  const { rows } = await sql<BlockRange>`
    select lower(found) as "from", upper(found) - 1 as "to"
    from chain_state cross join unnest(unproven * int8multirange(int8range(${after}::bigint + 1, checkpoint_number + 1))) found
    where checkpoint_number > ${after}::bigint order by found limit 1`.execute(db)
  return rows[0]
}

export async function removeUnproven(trx: Transaction<Database>, ranges: readonly BlockRange[]): Promise<void> {
  await sql`update chain_state set unproven = unproven - ${toMultirange(ranges)}`.execute(trx)
}

/** Every block above a height was indexed by something that was wrong. */
export async function addUnprovenAbove(trx: Transaction<Database>, height: number): Promise<void> {
  await sql`update chain_state
    set unproven = unproven + int8multirange(int8range(${height}::bigint + 1, greatest(checkpoint_number, ${height}::bigint) + 1))`.execute(
    trx,
  )
}
