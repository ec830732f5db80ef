import { type Kysely, sql } from 'kysely'

/*
 * Committers are notified of a vote that passed when its end is indexed: once, whatever is indexed again. Each batch looks for
 * such votes among those that can still be executed. Ids are compared by the collation "C", so the index has it, too.
 */
const statements = [
  sql`create index raise_proposals_leaving on raise_proposals (expires_at) where created_block is not null
    and executed_at is null and cancelled_at is null and for_votes + abstain_votes >= quorum and for_votes > against_votes
    and executable_at > vote_end and for_votes < total_weight`,
  sql`create unique index notifications_vote on notifications ((payload ->> 'proposal') collate "C", recipient)
    where type = 'raise_proposal_passed'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
