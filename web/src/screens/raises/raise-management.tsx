import { buildDissolution, buildRaiseCancellation, buildTokenReclaim, transact } from '@slipway/sdk'
import { formatAmount } from '@slipway/sdk/helpers'
import { useList } from '@slipway/sdk/react'
import { type ReactNode, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { Button } from '../../components/button.tsx'
import { api } from '../../lib/api.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'
import { findIdleTime, isCancellable } from './raise-rules.ts'
import type { Raise } from './raise-status.tsx'

/** What is done rarely in a raise, and by those whom it concerns alone. */
export function RaiseManagement({ raise }: { raise: Raise }) {
  const { wallet } = useSession()
  if (!wallet) return null
  return (
    <>
      {wallet === raise.creator && isCancellable(raise) && <Cancel raise={raise} />}
      {raise.tokensReclaimable !== '0' && <Reclaim raise={raise} />}
      {raise.status === 'finalized' && raise.dissolvedAt === null && raise.escrow !== '0' && <Dissolve raise={raise} />}
    </>
  )
}

function Cancel({ raise: { id } }: { raise: Raise }) {
  const action = useAction({ label: 'Cancellation of the raise' }, (_: undefined, { wallet, flow }) =>
    transact(api, wallet, buildRaiseCancellation(id), undefined, flow),
  )
  return (
    <Confirmed label="Call the raise off" warning="All commitments can then be taken back. This cannot be undone.">
      <ActionButton action={action} label="Call it off for good" done="The raise is called off." />
    </Confirmed>
  )
}

/** Tokens that refunds returned. Anyone may send them to the creator, but it concerns the creator alone. */
function Reclaim({ raise }: { raise: Raise }) {
  const { wallet } = useSession()
  const { id, creator, tokensReclaimable, tokenSymbol } = raise
  const action = useAction({ label: 'Return of tokens to the creator' }, (_: undefined, { wallet: signer, flow }) =>
    transact(api, signer, buildTokenReclaim(id), undefined, flow),
  )
  const tokens = `${formatAmount(tokensReclaimable)} ${tokenSymbol ?? 'tokens'}`
  const done = 'The creator has the tokens.'
  if (wallet === creator) return <ActionButton action={action} label={`Reclaim ${tokens}`} done={done} />
  return (
    <details className="border-t border-line pt-3">
      <summary className="text-xs font-semibold text-muted">Management</summary>
      <div className="mt-3 grid gap-2">
        <p className="text-xs text-muted">
          Refunds returned {tokens}, which belong to the creator. Anyone can send them to the creator, and pays the
          network fee.
        </p>
        <ActionButton action={action} label={`Send ${tokens} to the creator`} done={done} isSecondary />
      </div>
    </details>
  )
}

/** For a raise that has released nothing for a long time: anyone may have the rest refunded. */
function Dissolve({ raise }: { raise: Raise }) {
  const { id } = raise
  const time = Date.parse(raise.asOf)
  const mayBeIdle = findIdleTime(raise, []) <= time
  const { data, items } = useList(api.raises.proposals.with(id, { state: 'executed', limit: 100 }), {
    enabled: mayBeIdle && raise.released !== '0',
  })
  const action = useAction({ label: 'Dissolution of the raise' }, (_: undefined, { wallet, flow }) =>
    transact(api, wallet, buildDissolution(id), undefined, flow),
  )
  const isKnown = raise.released === '0' || data !== undefined
  if (!isKnown || findIdleTime(raise, items) > time) return null
  return (
    <Confirmed
      label="Dissolve the raise"
      warning="It has released nothing for 180 days. What is left can then be taken back by those who committed."
    >
      <ActionButton action={action} label="Dissolve it for good" done="The raise is dissolved." />
    </Confirmed>
  )
}

/** A button that first says what it does. */
export function Confirmed({ label, warning, children }: { label: string; warning: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="grid gap-2">
      <Button size="sm" className="justify-self-start" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Do not do it' : label}
      </Button>
      {isOpen && (
        <>
          <p className="text-xs text-muted">{warning}</p>
          {children}
        </>
      )}
    </div>
  )
}
