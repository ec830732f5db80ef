import {
  buildFeeRightTransfer,
  buildFeeShares,
  type FeeRight,
  type FeeShare,
  isAddress,
  type Schema,
  toUserMessage,
  transact,
} from '@slipway/sdk'
import { formatShare } from '@slipway/sdk/helpers'
import { type FormEvent, useState } from 'react'
import { ActionError } from '../../components/action-error.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Notice, Skeleton } from '../../components/states.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useConfig } from '../../data/config.tsx'
import { useFeeRight } from '../../transactions/fee-right.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'
import { readFeeShares, writeFeeShares } from './fee-shares.ts'

interface Props {
  /** Whose fees are split; null while the dialog is closed. */
  creation: Schema<'Creation'> | null
  onClose(): void
  onDone(): void
}

/** Shows who gets a token's creator fees, and lets the owner of the right to them change that. */
export function FeeSharesDialog({ creation, onClose, onDone }: Props) {
  return (
    <Dialog title={`Fees of ${creation?.name ?? ''}`} isOpen={creation !== null} onClose={onClose}>
      {creation && <FeeRightPanel token={creation.token} onDone={onDone} onClose={onClose} />}
    </Dialog>
  )
}

interface PanelProps {
  token: string
  onDone(): void
  onClose(): void
}

function FeeRightPanel({ token, onDone, onClose }: PanelProps) {
  const { wallet } = useSession()
  const { data: right, error } = useFeeRight(token)
  if (error && !right) return <Notice tone="bad">{toUserMessage(error)}</Notice>
  if (!right) return <Skeleton className="h-40 rounded-md" />
  const done = () => {
    onDone()
    onClose()
  }
  return (
    <div className="grid gap-4">
      <PresentShares right={right} />
      {right.owner === wallet ? (
        <>
          <SharesForm token={token} right={right} onDone={done} />
          <TransferForm token={token} right={right} onDone={done} />
        </>
      ) : (
        <Notice tone="info">
          The right to these fees belongs to <WalletName wallet={right.owner} />, who alone can split them.
        </Notice>
      )}
    </div>
  )
}

function PresentShares({ right: { owner, shares } }: { right: FeeRight }) {
  const shown = shares.length === 0 ? [{ recipient: owner, bps: 10_000 }] : shares
  return (
    <section aria-label="Present split">
      <h3 className="mb-1 text-xs font-semibold text-muted">Who gets the fees now</h3>
      <ul className="grid gap-1 text-sm">
        {shown.map(({ recipient, bps }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a recipient can have several shares
          <li key={place} className="flex justify-between gap-3">
            <WalletName wallet={recipient} className="min-w-0 truncate" />
            <span className="font-semibold">{formatShare(bps)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface FormProps {
  token: string
  right: FeeRight
  onDone(): void
}

function SharesForm({ token, right: { launchpad, shares: present }, onDone }: FormProps) {
  const config = useConfig()
  const [text, setText] = useState(() => writeFeeShares(present))
  const [isChecked, setChecked] = useState(false)
  const { shares, problem } = readFeeShares(text)
  const action = useAction({ label: 'Split of creator fees' }, (split: readonly FeeShare[], { client, wallet, flow }) =>
    transact(client, wallet, buildFeeShares(config, { token, launchpad, shares: split }), undefined, flow),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!problem) action.start(shares ?? [], onDone)
  }
  return (
    <form className="grid gap-3" onSubmit={submit}>
      <FormField
        label="Recipients"
        multiline
        value={text}
        placeholder={'0x… 60\n0x… 40'}
        hint="One a line: a wallet and its percents, 100 together. Leave it empty to get all of the fees yourself. What can be claimed now is paid out first, as before."
        error={isChecked ? problem : null}
        disabled={action.isPending}
        onChange={(event: { target: { value: string } }) => setText(event.target.value)}
      />
      {action.error && (
        <Notice tone="bad">
          <ActionError error={action.error} action={action} />
        </Notice>
      )}
      <Button type="submit" kind="primary" disabled={action.isPending}>
        {action.progress ?? 'Split'}
      </Button>
    </form>
  )
}

function TransferForm({ token, right: { launchpad }, onDone }: FormProps) {
  const config = useConfig()
  const [text, setText] = useState('')
  const [isChecked, setChecked] = useState(false)
  const to = text.trim()
  const problem = isAddress(to) ? null : to === '' ? 'Enter the address of a wallet.' : `${to} is not an address.`
  const action = useAction(
    { label: 'Transfer of the right to creator fees' },
    (owner: string, { client, wallet, flow }) =>
      transact(client, wallet, buildFeeRightTransfer(config, { token, launchpad, to: owner }), undefined, flow),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!problem) action.start(to, onDone)
  }
  return (
    <details className="rounded-md border border-line p-3">
      <summary className="cursor-pointer text-xs font-semibold text-muted">Give the right to the fees away</summary>
      <form className="mt-3 grid gap-3" onSubmit={submit}>
        <FormField
          label="New owner"
          value={text}
          autoComplete="off"
          spellCheck={false}
          hint="Gets all later fees, and alone splits them. You cannot take the right back. What can be claimed now is paid out first, as before."
          error={isChecked ? problem : null}
          disabled={action.isPending}
          onChange={(event: { target: { value: string } }) => setText(event.target.value)}
        />
        {action.error && (
          <Notice tone="bad">
            <ActionError error={action.error} action={action} />
          </Notice>
        )}
        <Button type="submit" kind="down" disabled={action.isPending}>
          {action.progress ?? 'Transfer the right for good'}
        </Button>
      </form>
    </details>
  )
}
