import { type RawBuilder, sql } from 'kysely'

const now = sql`(select clock_time from chain_state limit 1)`
const isOpen = sql`executed_at is null and cancelled_at is null`
const hasPassed = sql`for_votes + abstain_votes >= quorum and for_votes > against_votes`

/**
 * proposalStateAt of chain/raises.ts in SQL, for the proposals of a raise: conditions that exclude each other, and of which one
 * holds. Each begins with that of the index that serves it, and ends with the clock's part.
 */
export function inState(raise: string, state: ProposalState): RawBuilder<unknown>[] {
  return conditions[state](sql`(select dissolved_at from raises where id = ${raise})`)
}

const conditions = {
  pending: (dissolvedAt) => [isVotedOn(dissolvedAt, sql`vote_start > ${now}`)],
  active: (dissolvedAt) => [isVotedOn(dissolvedAt, sql`vote_start <= ${now}`)],
  succeeded: (dissolvedAt) => [sql`${isOpen} and ${hasPassed} and ${dissolvedAt} is null and vote_end <= ${now}`],
  defeated: (dissolvedAt) => [
    sql`${isOpen} and not (${hasPassed}) and ${isLost(dissolvedAt)} is not true and vote_end <= ${now}`,
  ],
  executed: () => [sql`executed_at is not null`],
  // One by one, and those that their raise took with it: nothing is looked at for these unless it was dissolved.
  cancelled: (dissolvedAt) => [
    sql`executed_at is null and cancelled_at is not null`,
    sql`${isOpen} and ${dissolvedAt} is not null and ${isLost(dissolvedAt)}`,
  ],
} satisfies Record<string, (dissolvedAt: RawBuilder<unknown>) => RawBuilder<unknown>[]>
export type ProposalState = keyof typeof conditions

/** Of an open one: the end of its raise was its own. Null while the raise goes on. */
const isLost = (dissolvedAt: RawBuilder<unknown>) =>
  sql`(${dissolvedAt} < vote_end or (${dissolvedAt} is not null and ${hasPassed}))`

// The offset keeps the order of the list out of it, by which all that is decided might be read first: of what is voted on
// there is little, and its own index finds it.
const isVotedOn = (dissolvedAt: RawBuilder<unknown>, clock: RawBuilder<unknown>) =>
  sql`${isOpen} and vote_end > ${now} and ${clock} and ${isLost(dissolvedAt)} is not true offset 0`
