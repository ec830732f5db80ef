import type { Schema } from '@slipway/sdk'
import {
  formatAmount,
  formatCount,
  formatDistance,
  formatDuration,
  formatPercent,
  formatUsd,
} from '@slipway/sdk/helpers'
import { useStakingPools, useStakingPositions } from '@slipway/sdk/react'
import { Stat } from '../../components/figures.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Empty, QueryState, Skeleton } from '../../components/states.tsx'
import { useNow } from '../../lib/time.ts'
import { useTitle } from '../../lib/use-title.ts'
import { useSession } from '../../wallet/session.tsx'
import { FundForm } from './fund-form.tsx'
import { PoolActions } from './pool-actions.tsx'
import { useTokenSymbol } from './use-token-symbol.ts'

type Pool = Schema<'StakingPool'>

export function StakingScreen() {
  useTitle('Staking')
  const pools = useStakingPools()
  return (
    <>
      <PageTitle title="Staking" />
      <QueryState query={pools} loading={<Skeleton className="h-64 rounded-lg" />}>
        {() =>
          pools.items.length === 0 ? (
            <div className="panel">
              <Empty icon="clock" title="There are no staking pools" />
            </div>
          ) : (
            <ul className="grid gap-4 lg:grid-cols-2">
              {pools.items.map((pool) => (
                <PoolCard key={pool.id} pool={pool} />
              ))}
            </ul>
          )
        }
      </QueryState>
    </>
  )
}

function PoolCard({ pool }: { pool: Pool }) {
  const now = useNow()
  const { wallet } = useSession()
  const staked = useTokenSymbol(pool.stakingToken)
  const reward = useTokenSymbol(pool.rewardToken)
  const { items } = useStakingPositions(wallet ? { wallet, pool: pool.id } : { pool: pool.id })
  const position = wallet ? items[0] : undefined
  const isPaying = pool.periodFinish !== null && Date.parse(pool.periodFinish) > now
  return (
    <li className="panel grid content-start gap-4 p-5">
      <header className="flex items-start justify-between gap-3">
        <div>
          <h2 className="text-base font-bold">
            Stake <bdi>{staked}</bdi>
          </h2>
          <p className="text-muted">
            Earn <bdi>{reward}</bdi>
          </p>
        </div>
        <p className="text-right">
          <span className="block text-xl font-bold">{formatPercent(pool.aprPct)}</span>
          <span className="text-2xs text-faint">yearly rate</span>
        </p>
      </header>
      <dl className="grid grid-cols-2 gap-3 sm:max-lg:grid-cols-4 xl:grid-cols-4">
        <Stat label="Staked">{formatAmount(pool.totalStaked)}</Stat>
        <Stat label="Worth">{formatUsd(pool.totalStakedUsd)}</Stat>
        <Stat label="Wallets">{formatCount(pool.stakerCount)}</Stat>
        <Stat label="Rewards a day" unit={reward}>
          {formatAmount(pool.rewardPerDay)}
        </Stat>
      </dl>
      <p className="text-xs text-faint">
        {isPaying && pool.periodFinish
          ? `The funded rewards end ${formatDistance(pool.periodFinish, now)}.`
          : 'No rewards are funded at the moment.'}{' '}
        Unstaking takes {formatDuration(pool.cooldownSeconds)}.
      </p>
      <PoolActions pool={pool} position={position} stakedSymbol={staked} rewardSymbol={reward} />
      {wallet && <FundForm pool={pool} symbol={reward} />}
    </li>
  )
}
