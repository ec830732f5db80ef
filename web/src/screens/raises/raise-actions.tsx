import {
  buildCommitment,
  buildFinalization,
  buildRefund,
  buildRegistration,
  buildTokenClaim,
  syncCommitment,
  syncFinalization,
  syncRefund,
  syncRegistration,
  syncTokenClaim,
  transact,
} from '@slipway/sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Notice } from '../../components/states.tsx'
import { useCoin } from '../../data/config.tsx'
import { formatAmount, parseAmount } from '../../lib/amounts.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'
import type { Raise } from './raise-status.tsx'

/** What the connected wallet can do now in a raise. */
export function RaiseActions({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const { wallet, setConnecting } = useSession()
  const { status, myCommitment: mine } = raise
  const hasEnded = Date.parse(raise.endAt) <= Date.parse(raise.asOf)
  const canFinalize = status === 'succeeded' || (status === 'active' && hasEnded)
  const needsRegistration = raise.registrationRequired && mine?.registered !== true
  return (
    <section aria-labelledby={`take-part-${raise.number}`} className="panel grid gap-3 p-4">
      <h2 id={`take-part-${raise.number}`} className="font-bold">
        Take part
      </h2>
      {mine && (
        <p className="text-muted">
          You committed <strong className="text-ink">{coin.format(mine.amount)}</strong>.
        </p>
      )}
      {!wallet && (
        <Button kind="primary" onClick={() => setConnecting(true)}>
          Connect a wallet
        </Button>
      )}
      {wallet && status === 'upcoming' && <p className="text-muted">It has not started yet.</p>}
      {wallet && status === 'registration' && (needsRegistration ? <Register raise={raise} /> : <Registered />)}
      {wallet && status === 'active' && !hasEnded && (needsRegistration ? <Missed /> : <CommitForm raise={raise} />)}
      {wallet && canFinalize && <Finalize raise={raise} />}
      {wallet && mine && BigInt(mine.claimable) > 0n && <Claim raise={raise} />}
      {wallet && mine && BigInt(mine.refundable) > 0n && <Refund raise={raise} />}
      {status === 'finalized' && !(mine && BigInt(mine.claimable) > 0n) && (
        <p className="text-muted">The funds are released by votes of those who committed.</p>
      )}
      {(status === 'failed' || status === 'cancelled') && <p className="text-muted">Commitments can be taken back.</p>}
    </section>
  )
}

const Registered = () => <Notice tone="good">You are registered. You can commit once the raise starts.</Notice>
const Missed = () => <p className="text-muted">Only wallets that registered in time can commit.</p>

function CommitForm({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const [text, setText] = useState('')
  const amount = parseAmount(text, coin.decimals)
  const commit = useAction((value: bigint, { client, wallet, onStep }) =>
    transact(client, wallet, buildCommitment(raise.id, value), syncCommitment, { path: { id: raise.id }, onStep }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (amount) commit.start(amount, () => setText(''))
  }
  const bounds = [
    ...(raise.walletMin === '0' ? [] : [`at least ${coin.figure(raise.walletMin)}`]),
    `at most ${coin.figure(raise.walletMax)}`,
  ]
  return (
    <form onSubmit={submit} className="grid gap-3">
      <FormField
        label={`Amount in ${coin.symbol}`}
        inputMode="decimal"
        autoComplete="off"
        placeholder="0.0"
        value={text}
        disabled={commit.isBusy}
        hint={`Per wallet ${bounds.join(', ')} ${coin.symbol}. What exceeds it is returned.`}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" kind="primary" disabled={commit.isBusy || !amount}>
        {commit.progress ?? 'Commit'}
      </Button>
      <Outcome action={commit} done="Committed." />
    </form>
  )
}

function Register({ raise }: { raise: Raise }) {
  const { id } = raise
  const action = useAction((_: undefined, { client, wallet, onStep }) =>
    transact(client, wallet, buildRegistration(id), syncRegistration, { path: { id }, onStep }),
  )
  return <ActionButton action={action} label="Register" done="Registered." />
}

function Finalize({ raise }: { raise: Raise }) {
  const { id } = raise
  const action = useAction((_: undefined, { client, wallet, onStep }) =>
    transact(client, wallet, buildFinalization(id), syncFinalization, { path: { id }, onStep }),
  )
  return <ActionButton action={action} label="Finalize the raise" done="Finalized." />
}

function Claim({ raise }: { raise: Raise }) {
  const { id } = raise
  const action = useAction((_: undefined, { client, wallet, onStep }) =>
    transact(client, wallet, buildTokenClaim(id), syncTokenClaim, { path: { id }, onStep }),
  )
  const label = `Claim ${formatAmount(raise.myCommitment?.claimable)} ${raise.tokenSymbol ?? 'tokens'}`
  return <ActionButton action={action} label={label} done="Claimed." />
}

function Refund({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const { id } = raise
  const action = useAction((_: undefined, { client, wallet, onStep }) => {
    // After a token claim, a dissolved raise takes the tokens back.
    const claimed = raise.myCommitment?.tokensClaimed ?? '0'
    const approval = claimed === '0' ? {} : { approval: { token: raise.token, amount: claimed } }
    return transact(client, wallet, buildRefund(id), syncRefund, { path: { id }, onStep, ...approval })
  })
  const label = `Take back ${coin.format(raise.myCommitment?.refundable)}`
  return <ActionButton action={action} label={label} done="Refunded." />
}

interface ActionLike {
  isBusy: boolean
  progress: string | null
  error: string | null
  result: unknown
}

export function Outcome({ action, done }: { action: ActionLike; done: string }) {
  if (action.error) return <Notice tone="bad">{action.error}</Notice>
  return action.result !== undefined && !action.isBusy ? <Notice tone="good">{done}</Notice> : null
}

interface ActionButtonProps {
  action: ActionLike & { start(variables: undefined): void }
  label: string
  done: string
}

export function ActionButton({ action, label, done }: ActionButtonProps) {
  return (
    <div className="grid gap-2">
      <Button kind="primary" disabled={action.isBusy} onClick={() => action.start(undefined)}>
        {action.progress ?? label}
      </Button>
      <Outcome action={action} done={done} />
    </div>
  )
}
