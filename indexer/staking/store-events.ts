import type { Transaction } from 'kysely'
import { type BulkTarget, type Column, writeRows } from '../../db/bulk.ts'
import type { Database } from '../../db/schema.ts'
import { type ActionRow, storeActions } from '../engine/store-actions.ts'
import type { PositionAction, StakingAction } from './events.ts'

type Value = ReturnType<Column<unknown>['value']>

/** A column that fundings do not have. */
const ofAccount =
  (value: (action: PositionAction) => Value) =>
  (action: StakingAction): Value =>
    action.kind === 'fund' ? null : value(action)

const target: BulkTarget<StakingAction> = {
  table: 'staking_events',
  columns: [
    { name: 'block_number', type: 'bigint', value: ({ at }) => at.blockNumber },
    { name: 'log_index', type: 'integer', value: ({ at }) => at.logIndex },
    { name: 'block_time', type: 'bigint', value: ({ at }) => at.time },
    { name: 'tx_hash', type: 'text', value: ({ at }) => at.txHash },
    { name: 'pool', type: 'text', value: ({ pool }) => pool },
    { name: 'kind', type: 'text', value: ({ kind }) => kind },
    { name: 'wallet', type: 'text', value: ({ wallet }) => wallet },
    { name: 'amount', type: 'numeric', value: ({ amount }) => amount },
    { name: 'reward_rate', type: 'numeric', value: ({ rewardRate }) => rewardRate },
    { name: 'reward_per_token', type: 'numeric', value: ({ rewardPerToken }) => rewardPerToken },
    { name: 'last_update_time', type: 'bigint', value: ({ lastUpdateTime }) => lastUpdateTime },
    { name: 'period_finish', type: 'bigint', value: ({ periodFinish }) => periodFinish },
    { name: 'total_staked', type: 'numeric', value: ({ totalStaked }) => totalStaked },
    { name: 'total_funded', type: 'numeric', value: (action) => (action.kind === 'fund' ? action.totalFunded : null) },
    { name: 'staked', type: 'numeric', value: ofAccount(({ staked }) => staked) },
    { name: 'pending_unstake', type: 'numeric', value: ofAccount(({ pendingUnstake }) => pendingUnstake) },
    { name: 'withdrawable_at', type: 'bigint', value: ofAccount(({ withdrawableAt }) => withdrawableAt) },
    { name: 'rewards', type: 'numeric', value: ofAccount(({ rewards }) => rewards) },
  ],
}

/** Appends the events. All are new, so a conflict is a bug and fails. */
export async function storeEvents(trx: Transaction<Database>, actions: readonly StakingAction[]): Promise<void> {
  await writeRows(trx, target, actions)
  await storeActions(trx, actions.map(toTransaction))
}

export function toTransaction({ at, kind: type, wallet, pool: subject, amount }: StakingAction): ActionRow {
  return { at, type, wallet, subject, data: { amount: amount.toString() } }
}
