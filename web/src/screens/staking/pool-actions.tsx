import {
  buildRewardClaim,
  buildStake,
  buildUnstake,
  buildWithdrawal,
  formatUnits,
  type Schema,
  transact,
} from '@slipway/sdk'
import { formatAmount, formatDistance } from '@slipway/sdk/helpers'
import { Outcome } from '../../components/action-button.tsx'
import { AmountField, useAmount } from '../../components/amount-field.tsx'
import { Button } from '../../components/button.tsx'
import { api } from '../../lib/api.ts'
import { useNow } from '../../lib/time.ts'
import { useKeptFocus } from '../../lib/use-kept-focus.ts'
import { useWalletBalance } from '../../transactions/balances.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'

/** Tokens launched here have 18 decimals. */
const TOKEN_DECIMALS = 18

interface Props {
  pool: Schema<'StakingPool'>
  position: Schema<'StakingPosition'> | undefined
  stakedSymbol: string
  rewardSymbol: string
}

type StakingAction = { name: 'stake' | 'unstake'; amount: bigint } | { name: 'withdraw' | 'claim' }

const nouns = { stake: 'Stake', unstake: 'Unstaking', withdraw: 'Withdrawal', claim: 'Claim' } as const

interface AllProps {
  of: string
  amount: bigint
  onChoose(amount: bigint): void
}

const All = ({ of, amount, onChoose }: AllProps) => (
  <button
    type="button"
    aria-label={`All of ${of}`}
    className="underline hover:text-ink disabled:no-underline"
    disabled={amount === 0n}
    onClick={() => onChoose(amount)}
  >
    All
  </button>
)

export function PoolActions({ pool, position, stakedSymbol, rewardSymbol }: Props) {
  const now = useNow()
  const { wallet, setConnecting } = useSession()
  const { data: balance } = useWalletBalance(pool.stakingToken)
  const staked = BigInt(position?.staked ?? 0)
  // One field for both ways: each button checks its own limit.
  const isMoreStaked = balance !== undefined && staked > balance
  const field = useAmount(
    { symbol: stakedSymbol, decimals: TOKEN_DECIMALS },
    isMoreStaked ? staked : balance,
    isMoreStaked ? 'You staked' : 'You have',
  )
  const { amount } = field
  const labelOf = ({ name }: StakingAction) => `${nouns[name]} of ${name === 'claim' ? rewardSymbol : stakedSymbol}`
  const action = useAction({ label: labelOf }, (chosen: StakingAction, { wallet: signer, flow }) => {
    if (chosen.name === 'stake')
      return transact(api, signer, buildStake(pool.id, chosen.amount), api.staking.syncStake.with(), {
        approval: { token: pool.stakingToken, amount: chosen.amount },
        ...flow,
      })
    if (chosen.name === 'unstake')
      return transact(api, signer, buildUnstake(pool.id, chosen.amount), api.staking.syncUnstake.with(), flow)
    if (chosen.name === 'withdraw')
      return transact(api, signer, buildWithdrawal(pool.id), api.staking.syncWithdrawal.with(), flow)
    return transact(api, signer, buildRewardClaim(pool.id), api.staking.syncRewardClaim.with(), flow)
  })
  const group = useKeptFocus<HTMLDivElement>(action.isPending)
  if (!wallet)
    return (
      <Button kind="primary" onClick={() => setConnecting(true)}>
        Connect a wallet
      </Button>
    )
  const earned = BigInt(position?.earned ?? 0)
  const pending = BigInt(position?.pendingUnstake ?? 0)
  const withdrawableAt = position?.withdrawableAt ?? null
  const canWithdraw = pending > 0n && (withdrawableAt === null || Date.parse(withdrawableAt) <= now)
  const clear = () => field.setText('')
  const fill = (all: bigint) => field.setText(formatUnits(all, TOKEN_DECIMALS))
  const isAboveStake = amount !== null && amount > staked
  const isAboveBalance = amount !== null && balance !== undefined && amount > balance
  return (
    <div ref={group} tabIndex={-1} className="grid gap-3 rounded-lg bg-sunken outline-none p-3.5">
      <dl className="flex flex-wrap justify-between gap-3 text-xs">
        <div>
          <dt className="text-faint">You staked</dt>
          <dd className="text-sm font-bold">
            {formatAmount(staked)} <bdi>{stakedSymbol}</bdi>
          </dd>
        </div>
        <div className="text-right">
          <dt className="text-faint">You earned</dt>
          <dd className="text-sm font-bold">
            {formatAmount(earned)} <bdi>{rewardSymbol}</bdi>
          </dd>
        </div>
      </dl>
      <AmountField label={`Amount of ${stakedSymbol}`} amount={field} disabled={action.isPending} />
      <p className="-mt-2 flex flex-wrap gap-x-3 text-2xs text-faint wrap-anywhere">
        <span>
          Balance {formatAmount(balance)} <bdi>{stakedSymbol}</bdi>{' '}
          <All of="the balance" amount={balance ?? 0n} onChoose={fill} />
        </span>
        <span>
          Staked {formatAmount(staked, TOKEN_DECIMALS)} <bdi>{stakedSymbol}</bdi>{' '}
          <All of="the stake" amount={staked} onChoose={fill} />
        </span>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          disabled={action.isPending || !amount || amount > (balance ?? 0n)}
          onClick={() => amount && action.start({ name: 'stake', amount }, clear, clear)}
        >
          Stake
        </Button>
        <Button
          disabled={action.isPending || !amount || amount > staked}
          onClick={() => amount && action.start({ name: 'unstake', amount }, clear, clear)}
        >
          Unstake
        </Button>
        <Button disabled={action.isPending || earned === 0n} onClick={() => action.start({ name: 'claim' })}>
          Claim
        </Button>
        {pending > 0n && (
          <Button
            kind={canWithdraw ? 'primary' : 'plain'}
            disabled={action.isPending || !canWithdraw}
            onClick={() => action.start({ name: 'withdraw' })}
          >
            Withdraw {formatAmount(pending)}
            {!canWithdraw && withdrawableAt && ` ${formatDistance(withdrawableAt, now)}`}
          </Button>
        )}
        {action.progress && <span className="self-center text-xs text-muted">{action.progress}</span>}
      </div>
      {(isAboveStake || isAboveBalance) && (
        <p className="text-xs text-muted wrap-anywhere">
          {isAboveStake
            ? staked === 0n
              ? 'You can only stake this: nothing of yours is staked.'
              : `You can only stake this: at most ${formatUnits(staked, TOKEN_DECIMALS)} ${stakedSymbol} can be unstaked.`
            : `You can only unstake this: your balance is ${formatAmount(balance)} ${stakedSymbol}.`}
        </p>
      )}
      {pending > 0n && staked > 0n && (
        <p className="text-xs text-warn">
          {canWithdraw
            ? `Withdraw first: unstaking more makes the ${formatAmount(pending)} ${stakedSymbol} that you can withdraw now wait again.`
            : `Unstaking more starts the wait of the pending ${formatAmount(pending)} ${stakedSymbol} again.`}
        </p>
      )}
      <Outcome action={action} done="Done." />
    </div>
  )
}
