import { sql, type Transaction } from 'kysely'
import type { NotificationType } from '../../db/queries/notifications.ts'
import type { Database } from '../../db/schema.ts'
import type { NotificationRef } from '../engine/module.ts'
import { isRecent, MAX_BATCH_RECIPIENTS, MAX_RECIPIENTS, QUIET_SECONDS } from '../engine/notification-limits.ts'
import type { RaiseChainEvent } from './events.ts'

/** A notification of an event, before it has recipients. */
interface NotificationDraft {
  event: RaiseChainEvent
  type: NotificationType
  payload: Record<string, string>
}

/** Executions of a raise that notify within QUIET_SECONDS. Each takes a vote, but a majority may prepare any number of them. */
const MAX_EXECUTIONS = 10

/**
 * Notifies followers of a creator that it opened a raise, and committers of the outcome, of proposals, and of what is
 * done with their money; the largest commitments first. clock: unix seconds. Returns the new notifications.
 */
export async function notifyOfRaises(
  trx: Transaction<Database>,
  events: readonly RaiseChainEvent[],
  clock: number,
): Promise<NotificationRef[]> {
  const recent = events.filter(({ at }) => isRecent(at, clock))
  return notify(
    trx,
    recent.flatMap((event) => draftNotification(event) ?? []),
  )
}

/** Undefined for events that cause no notification. */
function draftNotification(event: RaiseChainEvent): NotificationDraft | undefined {
  const proposal = event.proposal ?? ''
  switch (event.kind) {
    case 'raise_create': {
      const { title, token } = event.terms
      return { event, type: 'raise_opened', payload: { title, token } }
    }
    case 'finalize': {
      const type = event.succeeded ? 'raise_finalized' : 'raise_failed'
      return { event, type, payload: { totalCommitted: event.totalCommitted.toString() } }
    }
    case 'cancel_raise':
      return { event, type: 'raise_cancelled', payload: { totalCommitted: event.totalCommitted.toString() } }
    case 'dissolve':
      return { event, type: 'raise_dissolved', payload: { escrow: event.escrow.toString() } }
    case 'propose': {
      const { title, amount, recipient } = event.terms
      return {
        event,
        type: 'raise_proposal_opened',
        payload: { proposal, title, amount: amount.toString(), recipient },
      }
    }
    case 'execute': {
      const { amount, recipient } = event
      return { event, type: 'raise_proposal_executed', payload: { proposal, amount: amount.toString(), recipient } }
    }
    default:
      return undefined
  }
}

const isBefore = sql`(p.block_number, p.log_index) < (e.block_number, e.log_index)`

/**
 * Whether an event `e` follows others like it within QUIET_SECONDS. A raise or proposal can be created and cancelled at once,
 * any number of times.
 */
const isRepeated = sql`coalesce(case e.type
  when 'raise_opened' then (
    select created_at from raises
    where creator = e.actor and created_block is not null
      and (created_block, created_log) < (e.block_number, e.log_index)
    order by created_block desc, created_log desc limit 1
  )
  when 'raise_proposal_opened' then (
    select block_time from raise_events p
    where p.raise = e.raise and p.wallet = e.actor and p.kind = 'propose' and ${isBefore}
    order by p.block_number desc, p.log_index desc limit 1
  )
  when 'raise_proposal_executed' then (
    select block_time from raise_events p where p.raise = e.raise and p.kind = 'execute' and ${isBefore}
    order by p.block_number desc, p.log_index desc offset ${MAX_EXECUTIONS - 1} limit 1
  )
end > e.block_time - ${QUIET_SECONDS}::bigint, false)`

/**
 * The recipients of an event `e`. Wallets that have left by then neither vote nor share in what is released; those whose money is
 * still set aside get it after a dissolution as before.
 */
const audience = sql`
  (select follower as wallet from follows where e.type = 'raise_opened' and followee = e.actor
    order by created_at desc, follower desc limit ${MAX_RECIPIENTS})
  union all
  (select wallet from raise_commitments c
    where e.type <> 'raise_opened' and raise = e.raise and amount > 0 and (exited_amount is null or not exists (
      select from raise_events p
      where p.raise = e.raise and p.wallet = c.wallet and ${isBefore}
        and p.kind = case when e.type = 'raise_dissolved' then 'refund' else 'exit' end
    ))
    order by amount desc, wallet desc limit ${MAX_RECIPIENTS})`

/** An actor is not notified of its own event. */
async function notify(trx: Transaction<Database>, drafts: readonly NotificationDraft[]): Promise<NotificationRef[]> {
  if (drafts.length === 0) return []
  const newestFirst = drafts.toSorted(
    ({ event: { at: a } }, { event: { at: b } }) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex,
  )
  const payloads = newestFirst.map(({ event: { at }, payload }) => {
    const timestamp = new Date(at.time * 1000).toISOString()
    return JSON.stringify({
      ...payload,
      txHash: at.txHash,
      blockNumber: at.blockNumber,
      logIndex: at.logIndex,
      timestamp,
    })
  })
  const column = <T>(read: (event: RaiseChainEvent) => T) => newestFirst.map(({ event }) => read(event))
  // The recipients of the newest events are taken first, and inserted last: lists are in the order of ids.
  const { rows } = await sql<NotificationRef>`
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select wallet, type, actor, raise, payload, block_number, log_index
    from (
      select r.wallet, e.*, row_number() over () as n
      from unnest(${newestFirst.map(({ type }) => type)}::text[], ${column(({ wallet }) => wallet)}::text[],
        ${column(({ raise }) => raise)}::text[], ${payloads}::jsonb[], ${column(({ at }) => at.blockNumber)}::bigint[],
        ${column(({ at }) => at.logIndex)}::integer[], ${column(({ at }) => at.time)}::bigint[])
        as e (type, actor, raise, payload, block_number, log_index, block_time)
      cross join lateral (${audience}) r
      where r.wallet <> e.actor and not ${isRepeated}
      limit ${MAX_BATCH_RECIPIENTS}
    ) r
    order by block_number, log_index, n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}
