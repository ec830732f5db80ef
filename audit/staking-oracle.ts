import { feeStakingAbi } from '../chain/abi/fee-staking.ts'
import { type AuditedBlock, at, decodeByAbi, type Expected, type IsFirst, keyOf, lower } from './expected.ts'
import type { Row } from './findings.ts'

const kinds: Record<string, string> = {
  Staked: 'stake',
  UnstakeRequested: 'unstake',
  Withdrawn: 'withdraw',
  RewardPaid: 'claim',
  Funded: 'fund',
}

/** The columns of staking_events, by the names of the events' arguments. */
const columns: Record<string, string> = {
  amount: 'amount',
  staked: 'staked',
  totalStaked: 'total_staked',
  pendingUnstake: 'pending_unstake',
  withdrawableAt: 'withdrawable_at',
  rewards: 'rewards',
  rewardRate: 'reward_rate',
  rewardPerToken: 'reward_per_token',
  lastUpdateTime: 'last_update_time',
  periodFinish: 'period_finish',
  totalFunded: 'total_funded',
}

/** Computes the expected rows of staking logs, with viem's decoder. */
export function expectStakingLogs(
  out: Expected,
  block: AuditedBlock,
  contracts: ReadonlySet<string>,
  isFirst: IsFirst,
): void {
  for (const log of block.logs) {
    const contract = lower(log.address)
    const event = contracts.has(contract) ? decodeByAbi(feeStakingAbi, log) : undefined
    if (!event) continue
    const { eventName, args } = event
    const pool = `${contract}-${args.poolId}`
    const kind = kinds[eventName]
    if (eventName === 'PoolCreated') {
      if (!isFirst([`staking pool ${pool}`], keyOf(block, log))) continue
      const { block_number, log_index, block_time, tx_hash } = at(block, log) as Record<string, string | number>
      out.stakingPools.set(pool, {
        ...{ contract, number: args.poolId as bigint },
        ...{ staking_token: lower(args.stakingToken), reward_token: lower(args.rewardToken) },
        cooldown_seconds: args.cooldownSeconds as bigint,
        period_seconds: args.periodSeconds as bigint,
        ...{ created_block: block_number!, created_log: log_index!, created_at: block_time!, tx_hash: tx_hash! },
      })
    } else if (kind) {
      const wallet = lower(args.account ?? args.funder)
      const amounts: Row = {}
      for (const [name, column] of Object.entries(columns)) amounts[column] = (args[name] as bigint | undefined) ?? null
      out.stakingEvents.set(keyOf(block, log), { ...at(block, log), pool, kind, wallet, ...amounts })
      out.actions.set(keyOf(block, log), { ...at(block, log), type: kind, wallet, subject: pool })
    }
  }
}
