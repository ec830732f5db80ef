import { sql, type Transaction } from 'kysely'
import type { NotificationType } from '../../db/queries/notifications.ts'
import { positionTable } from '../../db/queries/positions.ts'
import type { Database } from '../../db/schema.ts'
import type { Act } from '../engine/domain.ts'
import { isNews, MAX_AUDIENCE } from '../engine/news.ts'
import type { Happening } from './interpret.ts'

/** A notification that is new, and the event that it tells of. */
export interface Notice {
  id: number
  block_number: number
  log_index: number
}

type OfKind<K extends Happening['kind']> = Extract<Happening, { kind: K }>

/**
 * Tells wallets of what happened on the chain, in the transaction that stores it: creators of trades by others, followers of
 * launches, creators and those who like a token of its graduation. clock: unix seconds.
 *
 * What must hold: an event is told of once, however often it is applied (the key is its position); a reorg deletes what was
 * told by position (see undo). Whether a notification was read is the reader's, so a rebuild leaves the table alone.
 * Answers what is new.
 */
export async function storeNotifications(
  trx: Transaction<Database>,
  happenings: readonly Happening[],
  clock: number,
): Promise<Notice[]> {
  const news = happenings.filter(({ at }) => isNews(at, clock))
  const ofKind = <K extends Happening['kind']>(kind: K) =>
    news.filter((happening): happening is OfKind<K> => happening.kind === kind)
  return [
    ...(await tellOfTrades(trx, ofKind('trade'))),
    ...(await tellOfLaunches(trx, ofKind('create'))),
    ...(await tellOfGraduations(trx, ofKind('graduate'))),
  ]
}

/** What was told of these acts, which are new: so is all that is there. */
export async function findNoticesOf(trx: Transaction<Database>, acts: readonly Act[]): Promise<Notice[]> {
  if (acts.length === 0) return []
  const positions = acts.map(({ at }) => ({ blockNumber: at.block, logIndex: at.log }))
  const { rows } = await sql<Notice>`
    select n.id, n.block_number, n.log_index from ${positionTable(positions)}
    join notifications n using (block_number, log_index)
    where n.block_number is not null
    order by n.id`.execute(trx)
  return rows
}

async function tellOfTrades(trx: Transaction<Database>, trades: readonly OfKind<'trade'>[]): Promise<Notice[]> {
  if (trades.length === 0) return []
  const payloads = trades.map(({ side, venue, quoteAmount, tokenAmount }) => ({
    side,
    venue,
    quoteAmount: quoteAmount.toString(),
    tokenAmount: tokenAmount.toString(),
  }))
  const { rows } = await sql<Notice>`
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select t.creator, ${sql.lit<NotificationType>('trade_on_my_token')}, w.trader, e.token, e.payload, e.block_number, e.log_index
    from ${eventTable(trades, payloads)}
    join unnest(${trades.map(({ trader, traderKnown }) => (traderKnown ? trader : null))}::text[])
      with ordinality as w (trader, n) using (n)
    join tokens t on t.address = e.token
    where t.creator is distinct from w.trader
    order by n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}

async function tellOfLaunches(trx: Transaction<Database>, launches: readonly OfKind<'create'>[]): Promise<Notice[]> {
  if (launches.length === 0) return []
  const { rows } = await sql<Notice>`
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select r.follower, ${sql.lit<NotificationType>('followed_creator_launched')}, t.creator, e.token, e.payload, e.block_number, e.log_index
    from ${eventTable(launches)}
    join tokens t on t.address = e.token
    cross join lateral (
      select follower from follows where followee = t.creator
      order by created_at desc, follower desc limit ${MAX_AUDIENCE}
    ) r
    order by n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}

async function tellOfGraduations(
  trx: Transaction<Database>,
  graduations: readonly OfKind<'graduate'>[],
): Promise<Notice[]> {
  if (graduations.length === 0) return []
  const payloads = graduations.map(({ pool }) => ({ pool }))
  const { rows } = await sql<Notice>`
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select r.wallet, ${sql.lit<NotificationType>('graduated')}, null, e.token, e.payload, e.block_number, e.log_index
    from ${eventTable(graduations, payloads)}
    join tokens t on t.address = e.token
    cross join lateral (
      select t.creator as wallet
      union (select wallet from token_likes
        where token = e.token and creation = t.creation order by wallet limit ${MAX_AUDIENCE})
    ) r
    order by n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}

/** The events as a table `e`, numbered by n, with what to say of each. */
function eventTable(events: readonly (Happening & { token: string })[], payloads: readonly object[] = []) {
  const said = events.map(({ at: { txHash, block, log, time } }, index) => {
    const timestamp = new Date(time * 1000).toISOString()
    return JSON.stringify({ ...payloads[index], txHash, blockNumber: block, logIndex: log, timestamp })
  })
  return sql`unnest(${events.map(({ token }) => token)}::text[], ${said}::jsonb[],
    ${events.map(({ at }) => at.block)}::bigint[], ${events.map(({ at }) => at.log)}::integer[])
    with ordinality as e (token, payload, block_number, log_index, n)`
}
