import { type Kysely, sql } from 'kysely'

/*
 * The proposals of a raise by state. What is decided for good, and what the votes come to, has an index each in the order of
 * the list; what is still voted on is found by the end of its voting. Anybody who committed may propose as often as they like:
 * without these, thousands that came to nothing would be read to find the one that passed.
 */
const made = sql`created_block is not null`
const open = sql`${made} and executed_at is null and cancelled_at is null`
const passed = sql`for_votes + abstain_votes >= quorum and for_votes > against_votes`
const latest = sql`raise_proposals (raise, created_block desc, created_log desc)`

const statements = [
  sql`create index raise_proposals_voting on raise_proposals (raise, vote_end) where ${open}`,
  sql`create index raise_proposals_passed on ${latest} where ${open} and ${passed}`,
  sql`create index raise_proposals_failing on ${latest} where ${open} and not (${passed})`,
  sql`create index raise_proposals_executed on ${latest} where ${made} and executed_at is not null`,
  sql`create index raise_proposals_cancelled on ${latest}
    where ${made} and executed_at is null and cancelled_at is not null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
