import {
  buildCommitment,
  buildFinalization,
  buildRefund,
  buildRegistration,
  buildTokenClaim,
  transact,
} from '@slipway/sdk'
import { formatAmount, formatDuration, formatPercent } from '@slipway/sdk/helpers'
import type { FormEvent } from 'react'
import { ActionButton, Outcome } from '../../components/action-button.tsx'
import { AmountField, BESIDE_FEE, useAmount } from '../../components/amount-field.tsx'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/states.tsx'
import { useCoin } from '../../data/config.tsx'
import { api } from '../../lib/api.ts'
import { gasOf } from '../../lib/gas.ts'
import { useSpendable, useWalletBalance } from '../../transactions/balances.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'
import { RaiseManagement } from './raise-management.tsx'
import { isFinalizable } from './raise-rules.ts'
import type { Raise } from './raise-status.tsx'
import { SignInPrompt } from './sign-in-prompt.tsx'

/** What the connected wallet can do now in a raise. */
export function RaiseActions({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const { wallet, setConnecting } = useSession()
  const { status, myCommitment: mine } = raise
  const hasEnded = Date.parse(raise.endAt) <= Date.parse(raise.asOf)
  const needsRegistration = raise.registrationRequired && mine?.registered !== true
  return (
    <section aria-labelledby={`take-part-${raise.number}`} className="panel grid gap-3 p-4">
      <h2 id={`take-part-${raise.number}`} className="font-bold">
        Take part
      </h2>
      {mine && mine.amount !== '0' && (
        <p className="text-muted">
          You committed <strong className="text-ink">{coin.format(mine.amount)}</strong>
          {mine.exited && ', and left with your share of what was unreleased'}.
        </p>
      )}
      {!wallet && (
        <Button kind="primary" onClick={() => setConnecting(true)}>
          Connect a wallet
        </Button>
      )}
      {wallet && status === 'upcoming' && <p className="text-muted">It has not started yet.</p>}
      {wallet && status === 'registration' && (needsRegistration ? <Register raise={raise} /> : <Registered />)}
      {wallet && status === 'active' && !hasEnded && <CommitOrReason raise={raise} isMissed={needsRegistration} />}
      {status !== 'upcoming' && <SignInPrompt label="Sign in to see your commitment" />}
      {wallet && isFinalizable(raise) && <Finalize raise={raise} />}
      {wallet && mine && BigInt(mine.claimable) > 0n && <Claim raise={raise} />}
      {wallet && mine && BigInt(mine.refundable) > 0n && <Refund raise={raise} />}
      {status === 'finalized' && raise.dissolvedAt === null && !(mine && BigInt(mine.claimable) > 0n) && (
        <MajorityRule raise={raise} />
      )}
      {(status === 'failed' || status === 'cancelled') && raise.participantCount > 0 && (
        <p className="text-muted">Commitments can be taken back.</p>
      )}
      {raise.dissolvedAt !== null && (
        <p className="text-muted">The raise was dissolved. Shares of what is left can be taken back.</p>
      )}
      <RaiseManagement raise={raise} />
    </section>
  )
}

const Registered = () => <Notice tone="good">You are registered. You can commit once the raise starts.</Notice>
function CommitOrReason({ raise, isMissed }: { raise: Raise; isMissed: boolean }) {
  const { wallet } = useSession()
  if (wallet === raise.creator) return <p className="text-muted">The creator of a raise cannot commit to it.</p>
  return isMissed ? <Missed /> : <CommitForm raise={raise} />
}

const Missed = () => <p className="text-muted">Only wallets that registered in time can commit.</p>

function CommitForm({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const { data: balance } = useWalletBalance(null)
  const field = useAmount(coin, useSpendable(null, gasOf.commit), BESIDE_FEE)
  const { amount } = field
  const commit = useAction({ label: 'Commitment' }, (value: bigint, { wallet, flow }) =>
    transact(api, wallet, buildCommitment(raise.id, value), api.raises.syncCommitment.with(raise.id), flow),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const clear = () => field.setText('')
    if (amount && !isBelowMinimum) commit.start(amount, clear, clear)
  }
  // The contract adds up the commitments of a wallet, and takes less from the one that reaches the goal.
  const minimum = BigInt(raise.walletMin) - BigInt(raise.myCommitment?.amount ?? 0)
  const isBelowMinimum =
    amount !== null && amount < minimum && BigInt(raise.totalCommitted) + amount < BigInt(raise.goalMax)
  const bounds = [
    ...(raise.walletMin === '0' ? [] : [`at least ${coin.figure(raise.walletMin)}`]),
    `at most ${coin.figure(raise.walletMax)}`,
  ]
  return (
    <form onSubmit={submit} className="grid gap-3">
      <AmountField
        label={`Amount in ${coin.symbol}`}
        amount={field}
        problem={isBelowMinimum ? `A wallet commits at least ${coin.format(raise.walletMin)}.` : null}
        disabled={commit.isPending}
        hint={`Per wallet ${bounds.join(', ')} ${coin.symbol}. What exceeds it is returned. Balance ${coin.format(balance)}.`}
      />
      <Button type="submit" kind="primary" disabled={commit.isPending || !amount || isBelowMinimum}>
        {commit.progress ?? 'Commit'}
      </Button>
      <MajorityRule raise={raise} />
      <Outcome action={commit} done="Committed." />
    </form>
  )
}

/** The protection of a minority, in one sentence: docs/contracts.md has the same. */
function MajorityRule({ raise }: { raise: Raise }) {
  return (
    <p className="text-xs text-muted">
      A majority of the commitments decides what is paid out, at most {formatPercent(raise.releaseBps / 100, 0)} of them
      in {formatDuration(raise.releasePeriodSeconds)}, but it cannot keep your share of the rest from you: after each
      vote that passes you have {formatDuration(raise.exitWindowSeconds)} to leave with it, unless you voted for the
      payment.
    </p>
  )
}

function Register({ raise }: { raise: Raise }) {
  const { id } = raise
  const action = useAction({ label: 'Registration' }, (_: undefined, { wallet, flow }) =>
    transact(api, wallet, buildRegistration(id), api.raises.syncRegistration.with(id), flow),
  )
  return <ActionButton action={action} label="Register" done="Registered." />
}

function Finalize({ raise }: { raise: Raise }) {
  const { id } = raise
  const action = useAction({ label: 'Finalization of the raise' }, (_: undefined, { wallet, flow }) =>
    transact(api, wallet, buildFinalization(id), api.raises.syncFinalization.with(id), flow),
  )
  return (
    <>
      {raise.status === 'failed' && (
        <p className="text-xs text-muted">Finalizing a failed raise returns its tokens to the creator.</p>
      )}
      <ActionButton action={action} label="Finalize the raise" done="Finalized." />
    </>
  )
}

function Claim({ raise }: { raise: Raise }) {
  const { id } = raise
  const action = useAction({ label: 'Claim of tokens' }, (_: undefined, { wallet, flow }) =>
    transact(api, wallet, buildTokenClaim(id), api.raises.syncTokenClaim.with(id), flow),
  )
  const label = `Claim ${formatAmount(raise.myCommitment?.claimable)} ${raise.tokenSymbol ?? 'tokens'}`
  return <ActionButton action={action} label={label} done="Claimed." />
}

function Refund({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const { id } = raise
  const owed = raise.myCommitment?.tokensOwed ?? '0'
  const action = useAction({ label: 'Refund' }, (_: undefined, { wallet, flow }) => {
    // After a token claim, a dissolved raise and an exit take tokens back.
    const mine = raise.myCommitment
    const returned = mine?.exited || owed !== '0' ? owed : (mine?.tokensClaimed ?? '0')
    const approval = returned === '0' ? {} : { approval: { token: raise.token, amount: returned } }
    return transact(api, wallet, buildRefund(id), api.raises.syncRefund.with(id), { ...flow, ...approval })
  })
  const tokens = owed === '0' ? '' : ` and return ${formatAmount(owed)} ${raise.tokenSymbol ?? 'tokens'}`
  const label = `Take back ${coin.format(raise.myCommitment?.refundable)}${tokens}`
  return <ActionButton action={action} label={label} done="Refunded." />
}
