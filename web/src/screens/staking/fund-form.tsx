import { buildFunding, type Schema, transact } from '@slipway/sdk'
import { formatAmount } from '@slipway/sdk/helpers'
import type { FormEvent } from 'react'
import { Outcome } from '../../components/action-button.tsx'
import { AmountField, BESIDE_FEE, useAmount } from '../../components/amount-field.tsx'
import { Button } from '../../components/button.tsx'
import { useCoin } from '../../data/config.tsx'
import { api } from '../../lib/api.ts'
import { gasOf } from '../../lib/gas.ts'
import { useSpendable, useWalletBalance } from '../../transactions/balances.ts'
import { useAction } from '../../transactions/use-action.ts'
import { isNativeToken } from './use-token-symbol.ts'

/** Adds rewards to a pool, which anyone can do. */
export function FundForm({ pool, symbol }: { pool: Schema<'StakingPool'>; symbol: string }) {
  const coin = useCoin()
  const { rewardToken } = pool
  const isNative = isNativeToken(rewardToken)
  const paid = isNative ? null : rewardToken
  const { data: balance } = useWalletBalance(paid)
  const spendable = useSpendable(paid, gasOf.fund)
  const decimals = isNative ? coin.decimals : 18
  const field = useAmount({ symbol, decimals }, spendable, isNative ? BESIDE_FEE : undefined)
  const { amount } = field
  const fund = useAction({ label: `Rewards in ${symbol}` }, (value: bigint, { wallet, flow }) =>
    transact(api, wallet, buildFunding(pool.id, value, { rewardToken }), api.staking.syncFunding.with(), {
      ...(!isNative && { approval: { token: rewardToken, amount: value } }),
      ...flow,
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const clear = () => field.setText('')
    if (amount !== null) fund.start(amount, clear, clear)
  }
  return (
    <details className="rounded-lg border border-line px-3.5 py-2.5">
      <summary className="cursor-pointer font-semibold text-muted hover:text-ink">Add rewards to this pool</summary>
      <form onSubmit={submit} className="mt-3 grid gap-3">
        <AmountField
          label={`Rewards in ${symbol}`}
          amount={field}
          disabled={fund.isPending}
          hint={`Balance ${formatAmount(balance, decimals)} ${symbol}. Those who stake share it; it cannot be taken back.`}
        />
        <Button type="submit" disabled={fund.isPending || amount === null} className="justify-self-start">
          {fund.progress ?? 'Add rewards'}
        </Button>
        <Outcome action={fund} done="The rewards were added." />
      </form>
    </details>
  )
}
