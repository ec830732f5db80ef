import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** The log of an event: the key of every record that is derived from it. */
export interface LogPosition {
  blockNumber: number
  logIndex: number
}

/** Position of the last row of the previous page, as a cursor carries it. */
export type PositionKeyset = readonly [blockNumber: number, logIndex: number]

/** `(block, log) < keyset`, or true. A row comparison lets the scan start at the keyset in the index. */
export function isBefore(keyset: PositionKeyset | null, block: string, log: string): RawBuilder<boolean> {
  if (!keyset) return sql<boolean>`true`
  return sql<boolean>`(${sql.ref(block)}, ${sql.ref(log)}) < (${keyset[0]}::bigint, ${keyset[1]}::bigint)`
}

/** The positions as a table `wanted (block_number, log_index)` to join with. */
export function positionTable(positions: readonly LogPosition[]): RawBuilder<unknown> {
  const blocks = positions.map((position) => position.blockNumber)
  const logs = positions.map((position) => position.logIndex)
  return sql`unnest(${blocks}::bigint[], ${logs}::integer[]) as wanted (block_number, log_index)`
}

/** Positions of the stored creations among these ids. */
export async function findCreated(
  db: Kysely<Database>,
  table: 'raises' | 'raise_proposals' | 'staking_pools',
  ids: readonly string[],
): Promise<ReadonlyMap<string, LogPosition>> {
  const { rows } = await sql<{ id: string; created_block: number; created_log: number }>`
    select id, created_block, created_log from ${sql.table(table)}
    where id = any(${ids}::text[]) and created_block is not null`.execute(db)
  return new Map(rows.map((row) => [row.id, { blockNumber: row.created_block, logIndex: row.created_log }]))
}
