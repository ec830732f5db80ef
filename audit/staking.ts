import { sql, type Transaction } from 'kysely'
import { feeStakingAbi } from '../chain/abi/fee-staking.ts'
import type { Chain } from '../chain/rpc/client.ts'
import { earnedAt } from '../chain/staking.ts'
import type { Database } from '../db/schema.ts'
import type { Findings, Row } from './findings.ts'
import type { PinnedReader } from './pinned-reader.ts'

const POSITIONS_PAGE = 500

interface ContractPool {
  stakingToken: string
  rewardToken: string
  cooldownSeconds: number
  periodSeconds: number
  totalStaked: bigint
  lastUpdateTime: bigint
  periodFinish: bigint
  totalFunded: bigint
  totalPaid: bigint
  rewardRate: bigint
  rewardPerToken: bigint
}

interface ContractPosition {
  staked: bigint
  pendingUnstake: bigint
  rewards: bigint
  claimed: bigint
  withdrawableAt: bigint
  rewardPerTokenPaid: bigint
}

interface StakingAudit {
  chain: Chain
  reader: PinnedReader
  contracts: ReadonlySet<string>
  checkpoint: number
}

/** Compares every pool and position with the contract's view functions, and the counts with the rows. */
export async function auditStaking(
  trx: Transaction<Database>,
  findings: Findings,
  { chain, reader, contracts, checkpoint }: StakingAudit,
): Promise<void> {
  const header = await chain.getHeader(checkpoint)
  const time = BigInt(header?.time ?? 0)
  const { rows } = await sql<Row & { id: string; contract: string }>`
    select p.*, (select count(*) from staking_positions where pool = p.id and staked > 0) as stakers
    from staking_pools p order by id`.execute(trx)
  for (const contract of contracts) {
    const subject = `staking contract ${contract} pools`
    await findings.attempt(subject, async () => {
      const count = await reader.read<bigint>(contract, feeStakingAbi, 'poolCount')
      const stored = rows.filter((row) => row.contract === contract && row.created_block !== null).length
      findings.compare(subject, stored, count)
    })
  }
  for (const row of rows) {
    await findings.attempt(`staking pool ${row.id}`, async () => {
      await comparePool(findings, reader, row)
      await comparePositions(trx, findings, reader, row, time)
    })
  }
  await compareAccounts(trx, findings)
}

async function comparePool(findings: Findings, reader: PinnedReader, row: Row): Promise<void> {
  const pool = await reader.read<ContractPool>(String(row.contract), feeStakingAbi, 'pool', [
    BigInt(String(row.number)),
  ])
  findings.compareRows(`staking pool ${row.id}`, row, {
    staking_token: pool.stakingToken.toLowerCase(),
    reward_token: pool.rewardToken.toLowerCase(),
    cooldown_seconds: pool.cooldownSeconds,
    period_seconds: pool.periodSeconds,
    total_staked: pool.totalStaked,
    last_update_time: pool.lastUpdateTime,
    period_finish: pool.periodFinish,
    total_funded: pool.totalFunded,
    total_paid: pool.totalPaid,
    reward_rate: pool.rewardRate,
    reward_per_token: pool.rewardPerToken,
    staker_count: row.stakers ?? null,
  })
}

async function comparePositions(
  trx: Transaction<Database>,
  findings: Findings,
  reader: PinnedReader,
  pool: Row,
  time: bigint,
): Promise<void> {
  const contract = String(pool.contract)
  const number = BigInt(String(pool.number))
  let after = ''
  for (;;) {
    const { rows } = await sql<Row & { wallet: string }>`select * from staking_positions
      where pool = ${pool.id} and wallet > ${after} order by wallet limit ${POSITIONS_PAGE}`.execute(trx)
    const read = <T>(name: 'position' | 'earned') =>
      Promise.all(rows.map(({ wallet }) => reader.read<T>(contract, feeStakingAbi, name, [number, wallet])))
    const [positions, earned] = await Promise.all([read<ContractPosition>('position'), read<bigint>('earned')])
    for (const [index, row] of rows.entries()) {
      const position = positions[index]
      findings.compareRows(
        `staking position ${pool.id}/${row.wallet}`,
        { ...row, earned: computeEarned(pool, row, time) },
        position && {
          staked: position.staked,
          pending_unstake: position.pendingUnstake,
          withdrawable_at: position.withdrawableAt,
          rewards: position.rewards,
          reward_per_token_paid: position.rewardPerTokenPaid,
          claimed: position.claimed,
          earned: earned[index] ?? null,
        },
      )
    }
    after = rows.at(-1)?.wallet ?? after
    if (rows.length < POSITIONS_PAGE) return
  }
}

function computeEarned(pool: Row, position: Row, time: bigint): bigint {
  const big = (row: Row, name: string) => BigInt(String(row[name] ?? 0))
  return earnedAt(
    {
      totalStaked: big(pool, 'total_staked'),
      rewardRate: big(pool, 'reward_rate'),
      rewardPerToken: big(pool, 'reward_per_token'),
      lastUpdateTime: big(pool, 'last_update_time'),
      periodFinish: big(pool, 'period_finish'),
    },
    {
      staked: big(position, 'staked'),
      rewards: big(position, 'rewards'),
      rewardPerTokenPaid: big(position, 'reward_per_token_paid'),
    },
    time,
  )
}

/** Each wallet with an event at a pool has a position, and no other; each row has the position of the latest event. */
async function compareAccounts(trx: Transaction<Database>, findings: Findings): Promise<void> {
  const read = async (statement: ReturnType<typeof sql<Row>>) =>
    new Map((await statement.execute(trx)).rows.map((row) => [`${row.pool}/${row.wallet ?? ''}`, row]))
  const latest = sql`max(array[block_number, log_index::bigint])`
  findings.compareMaps(
    'staking position',
    await read(sql<Row>`select pool, wallet, state_block, state_log from staking_positions`),
    await read(sql<Row>`select pool, wallet, (${latest})[1] as state_block, (${latest})[2] as state_log
      from staking_events where kind <> 'fund' group by pool, wallet`),
  )
  findings.compareMaps(
    'staking pool of events',
    await read(sql<Row>`select id as pool, state_block, state_log, funded_block from staking_pools
      where state_block is not null`),
    await read(sql<Row>`select pool, (${latest})[1] as state_block, (${latest})[2] as state_log,
        max(block_number) filter (where kind = 'fund') as funded_block
      from staking_events group by pool`),
  )
}
