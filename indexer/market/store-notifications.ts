import { sql, type Transaction } from 'kysely'
import type { NotificationType } from '../../db/queries/notifications.ts'
import type { Database } from '../../db/schema.ts'
import type { NotificationRef } from '../engine/module.ts'
import { isRecent, MAX_RECIPIENTS } from '../engine/notification-limits.ts'
import { type ChainEvent, type OfKind, ofKind } from './events.ts'

/**
 * Inserts notifications in the transaction that stores the events: for creators of trades by others, for followers of
 * launches, for creators and likers of graduations, for wallets with an alert about the trader. clock: unix seconds. Returns the new ones.
 *
 * Recipients are chosen in a part of its own: Citus does not join reference and local tables for an insert.
 *
 * Invariants: an event notifies once, however often it is applied (the key is its position), and a reorg deletes by
 * position (see undo). A rebuild keeps the table, because it has the readers' marks.
 */
export async function storeNotifications(
  trx: Transaction<Database>,
  events: readonly ChainEvent[],
  clock: number,
): Promise<NotificationRef[]> {
  const recent = events.filter(({ at }) => isRecent(at, clock))
  return [
    ...(await notifyOfTrades(trx, ofKind(recent, 'trade'))),
    ...(await notifyOfLaunches(trx, ofKind(recent, 'create'))),
    ...(await notifyOfGraduations(trx, ofKind(recent, 'graduate'))),
  ]
}

/** Notifies the creator of a token of its trades by others, and wallets of the trades for which they have an alert. */
async function notifyOfTrades(
  trx: Transaction<Database>,
  trades: readonly OfKind<'trade'>[],
): Promise<NotificationRef[]> {
  if (trades.length === 0) return []
  const payloads = trades.map(({ side, venue, quoteAmount, tokenAmount }) => ({
    side,
    venue,
    quoteAmount: quoteAmount.toString(),
    tokenAmount: tokenAmount.toString(),
  }))
  const traders = trades.map(({ trader, traderKnown }) => (traderKnown ? trader : null))
  const { rows } = await sql<NotificationRef>`
    with events as materialized (
      select e.*, w.trader
      from ${eventTable(trades, payloads)}
      join unnest(${traders}::text[]) with ordinality as w (trader, n) using (n)
    ), notified as materialized (
      select t.creator as recipient, ${sql.lit<NotificationType>('trade_on_my_token')} as type, e.*
      from events e
      join tokens t on t.address = e.token
      where t.creator is distinct from e.trader
      union all
      select '0x' || encode(a.wallet, 'hex'), ${sql.lit<NotificationType>('trade_alert')}, e.*
      from events e
      cross join lateral (
        select wallet from trade_alerts
        where trader = decode(substr(e.trader, 3), 'hex') and since_block < e.block_number
        order by id desc limit ${MAX_RECIPIENTS}
      ) a
    )
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select recipient, type, trader, token, payload, block_number, log_index
    from notified
    order by n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}

async function notifyOfLaunches(
  trx: Transaction<Database>,
  launches: readonly OfKind<'create'>[],
): Promise<NotificationRef[]> {
  if (launches.length === 0) return []
  const { rows } = await sql<NotificationRef>`
    with notified as materialized (
      select r.follower, t.creator, e.*
      from ${eventTable(launches)}
      join tokens t on t.address = e.token
      cross join lateral (
        select follower from follows where followee = t.creator
        order by created_at desc, follower desc limit ${MAX_RECIPIENTS}
      ) r
    )
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select follower, ${sql.lit<NotificationType>('followed_creator_launched')}, creator, token, payload, block_number, log_index
    from notified
    order by n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}

async function notifyOfGraduations(
  trx: Transaction<Database>,
  graduations: readonly OfKind<'graduate'>[],
): Promise<NotificationRef[]> {
  if (graduations.length === 0) return []
  const payloads = graduations.map(({ pool }) => ({ pool }))
  const { rows } = await sql<NotificationRef>`
    with notified as materialized (
      select r.wallet, e.*
      from ${eventTable(graduations, payloads)}
      join tokens t on t.address = e.token
      cross join lateral (
        select t.creator as wallet
        union (select wallet from token_likes
          where token_id = t.id order by wallet limit ${MAX_RECIPIENTS})
      ) r
    )
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select wallet, ${sql.lit<NotificationType>('graduated')}, null, token, payload, block_number, log_index
    from notified
    order by n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}

/** The events as a table `e`, numbered by n, with their payloads. */
function eventTable(events: readonly (ChainEvent & { token: string })[], payloads: readonly object[] = []) {
  const contents = events.map(({ at: { txHash, blockNumber, logIndex, time } }, index) => {
    const timestamp = new Date(time * 1000).toISOString()
    return JSON.stringify({ ...payloads[index], txHash, blockNumber, logIndex, timestamp })
  })
  return sql`unnest(${events.map(({ token }) => token)}::text[], ${contents}::jsonb[],
    ${events.map(({ at }) => at.blockNumber)}::bigint[], ${events.map(({ at }) => at.logIndex)}::integer[])
    with ordinality as e (token, payload, block_number, log_index, n)`
}
