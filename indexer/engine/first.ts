import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import { type At, isAfter, isSame, type Position } from './batch.ts'
import type { Refuse } from './refusals.ts'

/** What the database took for the first of its kind was not, because a receipt was synced ahead of the indexer. */
export class OvertakenError extends Error {
  override name = 'OvertakenError'
}

interface Happened {
  at: At
  contract: string
}

/**
 * Without those that make what was made before. A raise, a proposal or a pool is made once: the first event that says so
 * counts, whatever its contract says later. makes: the id of what an event makes; findMade: where those were made that
 * are known. Throws OvertakenError if one is known that is later than what is given.
 */
export async function keepFirst<T extends Happened>(
  happenings: readonly T[],
  makes: (happening: T) => string | undefined,
  findMade: (ids: readonly string[]) => Promise<ReadonlyMap<string, Position>>,
  refuse?: Refuse,
): Promise<readonly T[]> {
  const first = new Map<string, Position>()
  for (const happening of happenings) {
    const id = makes(happening)
    if (id !== undefined && !first.has(id)) first.set(id, happening.at)
  }
  if (first.size === 0) return happenings
  for (const [id, made] of await findMade([...first.keys()])) {
    const given = first.get(id)
    if (given && isAfter(made, given)) throw new OvertakenError(`${id} was made earlier than it was`)
    first.set(id, made)
  }
  return happenings.filter((happening) => {
    const id = makes(happening)
    const counts = id === undefined || isSame(first.get(id), happening.at)
    if (!counts) refuse?.(happening.at, happening.contract, `${id} was made before`)
    return counts
  })
}

/** Where those of these were created whose creation is known. */
export async function findCreated(
  trx: Transaction<Database>,
  table: 'raises' | 'raise_proposals' | 'staking_pools',
  ids: readonly string[],
): Promise<Map<string, Position>> {
  const { rows } = await sql<{ id: string; created_block: number; created_log: number }>`
    select id, created_block, created_log from ${sql.table(table)}
    where id = any(${ids}::text[]) and created_block is not null`.execute(trx)
  return new Map(rows.map((row) => [row.id, { block: row.created_block, log: row.created_log }]))
}
