import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import type { Entry } from './entries.ts'

const DAY = 86_400
/** Figures of the last 30 days read trades; a day more, because a reorg moves their end back. */
const NEEDED_DAYS = 31

export interface Bounds {
  /** The highest block that no reorg replaces. */
  final: number
  /** Unix seconds: older rows may be archived. */
  before: number
  isLimited: boolean
  proofs: boolean
}

export async function findBounds(db: Db, { before, proofs }: { before: number; proofs: boolean }): Promise<Bounds> {
  const { rows } = await sql<{ final: number; time: number | null; proofs: string }>`
    select s.finalized_number as final, s.proofs,
      (select time from blocks where number <= s.finalized_number order by number desc limit 1) as time
    from chain_state s`.execute(db)
  const state = rows[0]
  if (!state || state.time === null) throw new Error('No final block is indexed yet: there is nothing to archive')
  const needed = state.time - NEEDED_DAYS * DAY
  return {
    final: state.final,
    before: Math.min(before, needed),
    isLimited: needed < before,
    proofs: proofs && state.proofs === 'on',
  }
}

/** Why a partition stays; undefined if it can be archived. */
export async function findReason(
  db: Db,
  { parent, first, stop }: Pick<Entry, 'parent' | 'first' | 'stop'>,
  { final, before, isLimited, proofs }: Bounds,
): Promise<string | undefined> {
  const young = isLimited
    ? `it reaches into the ${NEEDED_DAYS} days before the last final block, which figures need`
    : 'it has rows that are not old enough'
  if (parent === 'candles') return stop > before ? young : undefined
  if (stop > final + 1) return 'a reorg may still replace its blocks'
  const { rows } = await sql<{ time: number | null; unproven: boolean }>`
    select (select time from blocks where number < ${stop}::bigint order by number desc limit 1) as time,
      unproven && int8range(${first}::bigint, ${stop}::bigint) as unproven
    from chain_state`.execute(db)
  if ((rows[0]?.time ?? 0) >= before) return young
  return proofs && rows[0]?.unproven ? 'its blocks are not proven yet: the indexer is about to' : undefined
}
