import { sql, type Transaction } from 'kysely'
import { rewardPrecision } from '../../chain/staking.ts'
import type { NotificationType } from '../../db/queries/notifications.ts'
import type { Database } from '../../db/schema.ts'
import type { NotificationRef } from '../engine/module.ts'
import { isRecent, MAX_BATCH_RECIPIENTS, MAX_RECIPIENTS } from '../engine/notification-limits.ts'
import type { StakingChainEvent } from './events.ts'

type Funding = Extract<StakingChainEvent, { kind: 'fund' }>

/** A funding of less than this part of the remaining rewards notifies nobody. */
const SHARE_OF_REST = 100n
/** Likewise of all that the pool was ever funded with, because an idle pool has no remaining rewards. */
const SHARE_OF_ALL = 10_000n
const DAY_SECONDS = 86_400

/**
 * Notifies stakers, the largest first, that their pool was funded. Anyone may fund any amount any number of times, which could
 * flood inboxes: see isSubstantial and isNew. clock: unix seconds. Returns the new notifications.
 */
export async function notifyStakers(
  trx: Transaction<Database>,
  fundings: readonly Funding[],
  clock: number,
): Promise<NotificationRef[]> {
  const recent = fundings
    .filter((funding) => isRecent(funding.at, clock) && isSubstantial(funding))
    .toSorted(({ at: a }, { at: b }) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex)
  if (recent.length === 0) return []
  const payloads = recent.map(({ at, amount, totalFunded }) =>
    JSON.stringify({
      amount: amount.toString(),
      totalFunded: totalFunded.toString(),
      txHash: at.txHash,
      blockNumber: at.blockNumber,
      logIndex: at.logIndex,
      timestamp: new Date(at.time * 1000).toISOString(),
    }),
  )
  const column = <T>(read: (funding: Funding) => T) => recent.map(read)
  // The recipients of the newest fundings are taken first, and inserted last: lists are in the order of ids.
  const { rows } = await sql<NotificationRef>`
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select wallet, ${sql.lit<NotificationType>('reward_funded')}, funder, pool, payload, block_number, log_index
    from (
      select r.wallet, e.*, row_number() over () as n
      from unnest(${column(({ pool }) => pool)}::text[], ${column(({ wallet }) => wallet)}::text[], ${payloads}::jsonb[],
        ${column(({ at }) => at.blockNumber)}::bigint[], ${column(({ at }) => at.logIndex)}::integer[],
        ${column(({ at }) => at.time - (at.time % DAY_SECONDS))}::bigint[], ${column(({ amount }) => String(amount))}::numeric[],
        ${column(({ totalFunded }) => String(totalFunded))}::numeric[])
        as e (pool, funder, payload, block_number, log_index, day, amount, total_funded)
      cross join lateral (
        select wallet from staking_positions where pool = e.pool and staked > 0
        order by staked desc, wallet limit ${MAX_RECIPIENTS}
      ) r
      cross join lateral (
        select staked from staking_events
        where pool = e.pool and wallet = r.wallet and kind <> 'fund'
          and (block_number, log_index) < (e.block_number, e.log_index)
        order by block_number desc, log_index desc limit 1
      ) then_staked
      where then_staked.staked > 0 and r.wallet <> e.funder and ${isNew}
      limit ${MAX_BATCH_RECIPIENTS}
    ) r
    order by block_number, log_index, n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}

function isSubstantial({ amount, totalFunded, rewardRate, periodFinish, lastUpdateTime }: Funding): boolean {
  const ahead = (rewardRate * (periodFinish - lastUpdateTime)) / rewardPrecision
  return amount * SHARE_OF_REST >= ahead && amount * SHARE_OF_ALL >= totalFunded
}

/**
 * Whether a funding `e` is more than the others of its day before it together, and its wallet's first of that day that is not below
 * the share of the rest. The last funding of an earlier day has the total then.
 */
const isNew = sql`(
  select e.amount > e.total_funded - e.amount - coalesce(l.total_funded, 0) and not exists (
    select from staking_events p
    where p.pool = e.pool and p.kind = 'fund' and p.wallet = e.funder
      and (p.block_number, p.log_index) < (e.block_number, e.log_index)
      and (p.block_number, p.log_index) > (coalesce(l.block_number, -1), coalesce(l.log_index, -1))
      and p.amount * ${SHARE_OF_REST}::numeric >= div(p.reward_rate * (p.period_finish - p.last_update_time), ${rewardPrecision}::numeric)
  )
  from (values (true)) one
  left join lateral (
    select block_number, log_index, total_funded from staking_events p
    where p.pool = e.pool and p.kind = 'fund' and (p.block_number, p.log_index) < (e.block_number, e.log_index)
      and p.block_time < e.day
    order by p.block_number desc, p.log_index desc limit 1
  ) l on true
)`
