import type { Schema } from '@slipway/sdk'
import { formatAmount } from '@slipway/sdk/helpers'
import { Link } from '@tanstack/react-router'
import { Empty } from '../../components/states.tsx'
import { useCoin } from '../../data/config.tsx'
import { RaiseStatus } from '../raises/raise-status.tsx'
import { useTokenSymbol } from '../staking/use-token-symbol.ts'

const itemClass = 'flex items-center justify-between gap-3 border-b border-line/60 px-4 py-2.5 last:border-0'

export function StakeList({ portfolio: { staking } }: { portfolio: Schema<'Portfolio'> }) {
  return (
    <section aria-labelledby="stakes" className="panel">
      <h2 id="stakes" className="border-b border-line px-4 py-2.5 font-bold">
        Staked
      </h2>
      {staking.length === 0 && (
        <Empty icon="clock" title="Nothing is staked">
          <Link to="/staking" className="underline">
            See the pools
          </Link>
        </Empty>
      )}
      <ul>
        {staking.map((position) => (
          <Stake key={position.poolId} position={position} />
        ))}
      </ul>
    </section>
  )
}

function Stake({ position }: { position: Schema<'StakingPosition'> }) {
  const { staked, earned, stakingToken, rewardToken } = position
  const [stakedSymbol, rewardSymbol] = [useTokenSymbol(stakingToken), useTokenSymbol(rewardToken)]
  return (
    <li className={`${itemClass} flex-wrap`}>
      <Link to="/staking" className="min-w-0 truncate font-semibold hover:underline">
        {formatAmount(staked)} <bdi>{stakedSymbol}</bdi> staked
      </Link>
      <span className="min-w-0 truncate text-muted">
        {formatAmount(earned)} <bdi>{rewardSymbol}</bdi> earned
      </span>
    </li>
  )
}

export function CommitmentList({ portfolio: { commitments } }: { portfolio: Schema<'Portfolio'> }) {
  const coin = useCoin()
  return (
    <section aria-labelledby="commitments" className="panel">
      <h2 id="commitments" className="border-b border-line px-4 py-2.5 font-bold">
        Commitments to raises
      </h2>
      {commitments.length === 0 && (
        <Empty icon="users" title="No commitments">
          <Link to="/raises" className="underline">
            See the raises
          </Link>
        </Empty>
      )}
      <ul>
        {commitments.map(({ raiseId, title, amount, status }) => (
          <li key={raiseId} className={itemClass}>
            <Link to="/raises/$id" params={{ id: raiseId }} className="min-w-0 truncate font-semibold hover:underline">
              <bdi>{title}</bdi>
            </Link>
            <span className="flex shrink-0 items-center gap-2 text-muted">
              {coin.format(amount)} <RaiseStatus status={status} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
