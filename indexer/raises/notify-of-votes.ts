import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { NotificationType } from '../../db/queries/notifications.ts'
import { hasPassed, isOpen } from '../../db/queries/raises/proposal-states.ts'
import type { Database } from '../../db/schema.ts'
import type { Checkpoint, NotificationRef } from '../engine/module.ts'
import { MAX_BATCH_RECIPIENTS, MAX_RECIPIENTS } from '../engine/notification-limits.ts'

const type = sql.lit<NotificationType>('raise_proposal_passed')
const toIso = (column: string) =>
  sql`to_char(to_timestamp(${sql.ref(column)}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Notifies the largest committers who did not vote for a release that passed, and have something to take out, that they can
 * leave. A vote is decided once every block before its end is indexed. The notification belongs to the block of the
 * checkpoint, so that a reorg below it removes it; the votes are then looked at again. Returns the new notifications.
 */
export async function notifyOfPassedVotes(
  trx: Transaction<Database>,
  checkpoint: Checkpoint,
): Promise<NotificationRef[]> {
  const { rows } = await buildVoteNotifications(checkpoint).execute(trx)
  return rows
}

/**
 * The statement of notifyOfPassedVotes, exported to test its plan. If all weight voted for a release, nobody is left to notify. A
 * dissolution can be executed at the end of its vote. A subquery with a value is read by index for each proposal. Proposals beyond
 * the limit of rows follow with the next checkpoint.
 */
export const buildVoteNotifications = ({ number, time, clock }: Checkpoint): RawBuilder<NotificationRef> =>
  sql<NotificationRef>`
    with decided as materialized (
      select id, raise, title, amount, recipient, vote_end, executable_at from raise_proposals p
      where created_block is not null and ${isOpen} and ${hasPassed} and expires_at > ${clock}
        and vote_end <= ${time} and executable_at > vote_end and for_votes < total_weight
        and (select n.id from notifications n where n.type = ${type} and n.payload ->> 'proposal' = p.id limit 1) is null
    )
    insert into notifications (recipient, type, subject, payload, block_number)
    select c.wallet, ${type}, p.raise, jsonb_build_object('proposal', p.id, 'title', p.title, 'amount', p.amount::text,
      'recipient', p.recipient, 'voteEnd', ${toIso('p.vote_end')}, 'executableAt', ${toIso('p.executable_at')}), ${number}::bigint
    from decided p
    join raises r on r.id = p.raise and r.dissolved_at is null
    cross join lateral (
      select wallet from raise_commitments e
      where raise = p.raise and amount > 0 and exited_amount is null
        and amount * (r.total_committed - r.released - r.exited_amount) >= r.total_committed - r.exited_weight
        and (
          select support from raise_events where proposal = p.id and wallet = e.wallet and kind = 'vote'
          order by block_number desc, log_index desc limit 1
        ) is distinct from 1
      order by amount desc, wallet desc limit ${MAX_RECIPIENTS}
    ) c
    limit ${MAX_BATCH_RECIPIENTS}
    on conflict do nothing
    returning id, block_number, log_index`
