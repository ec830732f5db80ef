import { sql, type Transaction } from 'kysely'
import { rewardPrecision } from '../../chain/staking.ts'
import type { NotificationType } from '../../db/queries/notifications.ts'
import type { Database } from '../../db/schema.ts'
import type { NotificationRef } from '../engine/module.ts'
import { isRecent, MAX_RECIPIENTS } from '../engine/notification-limits.ts'
import type { StakingChainEvent } from './events.ts'

type Funding = Extract<StakingChainEvent, { kind: 'fund' }>

/**
 * Notifies stakers, the largest first, that their pool was funded. Anyone may fund any amount, so a funding of less
 * than a hundredth of the remaining rewards notifies nobody: it could flood inboxes. clock: unix seconds.
 * Returns the new notifications.
 */
export async function notifyStakers(
  trx: Transaction<Database>,
  fundings: readonly Funding[],
  clock: number,
): Promise<NotificationRef[]> {
  const recent = fundings.filter((funding) => isRecent(funding.at, clock) && isSubstantial(funding))
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
  const { rows } = await sql<NotificationRef>`
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select r.wallet, ${sql.lit<NotificationType>('reward_funded')}, e.funder, e.pool, e.payload, e.block_number, e.log_index
    from unnest(${recent.map(({ pool }) => pool)}::text[], ${recent.map(({ wallet }) => wallet)}::text[],
      ${payloads}::jsonb[], ${recent.map(({ at }) => at.blockNumber)}::bigint[], ${recent.map(({ at }) => at.logIndex)}::integer[])
      with ordinality as e (pool, funder, payload, block_number, log_index, n)
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
    where then_staked.staked > 0 and r.wallet <> e.funder
    order by n
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}

function isSubstantial({ amount, rewardRate, periodFinish, lastUpdateTime }: Funding): boolean {
  const ahead = (rewardRate * (periodFinish - lastUpdateTime)) / rewardPrecision
  return amount * 100n >= ahead
}
