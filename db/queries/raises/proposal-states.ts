import { type RawBuilder, sql } from 'kysely'

const now = sql`(select clock_time from chain_state limit 1)`
export const isOpen = sql`executed_at is null and cancelled_at is null`
export const hasPassed = sql`for_votes + abstain_votes >= quorum and for_votes > against_votes`

/**
 * proposalStateAt of chain/raises.ts in SQL: exclusive conditions, exactly one of which holds. Each begins with the
 * condition of its index, and ends with the part that depends on the clock.
 */
export function inState(raise: string, state: ProposalState): RawBuilder<unknown>[] {
  return conditions[state](sql`(select dissolved_at from raises where id = ${raise})`)
}

const conditions = {
  pending: (dissolvedAt) => [isVotedOn(dissolvedAt, sql`vote_start > ${now}`)],
  active: (dissolvedAt) => [isVotedOn(dissolvedAt, sql`vote_start <= ${now}`)],
  succeeded: (dissolvedAt) => [
    sql`${isOpen} and ${hasPassed} and ${isLost(dissolvedAt)} is not true and vote_end <= ${now} and expires_at > ${now}`,
  ],
  defeated: (dissolvedAt) => [
    sql`${isOpen} and not (${hasPassed}) and ${isLost(dissolvedAt)} is not true and vote_end <= ${now}`,
  ],
  expired: (dissolvedAt) => [
    sql`${isOpen} and ${hasPassed} and ${isLost(dissolvedAt)} is not true and vote_end <= ${now} and expires_at <= ${now}`,
  ],
  executed: () => [sql`executed_at is not null`],
  // Executed or cancelled one by one, or with their raise; the second branch reads nothing unless the raise was
  // dissolved.
  cancelled: (dissolvedAt) => [
    sql`executed_at is null and cancelled_at is not null`,
    sql`${isOpen} and ${dissolvedAt} is not null and ${isLost(dissolvedAt)}`,
  ],
} satisfies Record<string, (dissolvedAt: RawBuilder<unknown>) => RawBuilder<unknown>[]>
export type ProposalState = keyof typeof conditions

/** Whether the dissolution of its raise ends an open proposal; null without a dissolution. */
const isLost = (dissolvedAt: RawBuilder<unknown>) =>
  sql`(${dissolvedAt} < case when ${hasPassed} then expires_at else vote_end end)`

// The offset prevents the planner from using the list's order, which would read all decided proposals first: few are
// open, and they have their own index.
const isVotedOn = (dissolvedAt: RawBuilder<unknown>, clock: RawBuilder<unknown>) =>
  sql`${isOpen} and vote_end > ${now} and ${clock} and ${isLost(dissolvedAt)} is not true offset 0`
