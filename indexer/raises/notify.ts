import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { NotificationType } from '../../db/queries/notifications.ts'
import type { Database } from '../../db/schema.ts'
import type { NotificationRef } from '../engine/module.ts'
import { isRecent, MAX_RECIPIENTS } from '../engine/notification-limits.ts'
import { ofKind, type RaiseChainEvent } from './events.ts'

/** A notification of an event, before it has recipients. */
interface NotificationDraft {
  event: RaiseChainEvent
  type: NotificationType
  payload: Record<string, string>
}

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
  const openings = ofKind(recent, 'raise_create').map((event) => {
    const { title, token } = event.terms
    return { event, type: 'raise_opened' as const, payload: { title, token } }
  })
  const followers = sql`select follower as wallet from follows where followee = e.actor
    order by created_at desc, follower desc limit ${MAX_RECIPIENTS}`
  const toFollowers = await notify(trx, openings, followers)
  const committers = sql`select wallet from raise_commitments where raise = e.raise and amount > 0
    order by amount desc, wallet desc limit ${MAX_RECIPIENTS}`
  const outcomes = recent.flatMap((event) => draftNotification(event) ?? [])
  return toFollowers.concat(await notify(trx, outcomes, committers))
}

/** Drafts the notification of committers; undefined for events that cause none. */
function draftNotification(event: RaiseChainEvent): NotificationDraft | undefined {
  const proposal = event.proposal ?? ''
  switch (event.kind) {
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

/** audience: the recipients of an event `e`. An actor is not notified of its own event. */
async function notify(
  trx: Transaction<Database>,
  drafts: readonly NotificationDraft[],
  audience: RawBuilder<unknown>,
): Promise<NotificationRef[]> {
  if (drafts.length === 0) return []
  const payloads = drafts.map(({ event: { at }, payload }) => {
    const timestamp = new Date(at.time * 1000).toISOString()
    return JSON.stringify({
      ...payload,
      txHash: at.txHash,
      blockNumber: at.blockNumber,
      logIndex: at.logIndex,
      timestamp,
    })
  })
  const column = <T>(read: (event: RaiseChainEvent) => T) => drafts.map(({ event }) => read(event))
  const { rows } = await sql<NotificationRef>`
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select r.wallet, e.type, e.actor, e.raise, e.payload, e.block_number, e.log_index
    from unnest(${drafts.map(({ type }) => type)}::text[], ${column(({ wallet }) => wallet)}::text[],
      ${column(({ raise }) => raise)}::text[], ${payloads}::jsonb[], ${column(({ at }) => at.blockNumber)}::bigint[],
      ${column(({ at }) => at.logIndex)}::integer[])
      with ordinality as e (type, actor, raise, payload, block_number, log_index, n)
    cross join lateral (${audience}) r
    where r.wallet <> e.actor
    order by n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}
