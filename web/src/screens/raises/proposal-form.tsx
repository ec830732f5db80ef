import { buildDissolutionProposal, buildProposal, transact, type UnsignedTransaction } from '@slipway/sdk'
import { formatDuration } from '@slipway/sdk/helpers'
import { type FormEvent, useState } from 'react'
import { Outcome } from '../../components/action-button.tsx'
import { AmountField, useAmount } from '../../components/amount-field.tsx'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/form-field.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { useCoin } from '../../data/config.tsx'
import { api } from '../../lib/api.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'
import { checkTitle } from './raise-draft.ts'
import type { Proposal, Raise } from './raise-status.tsx'

const ADDRESS = /^0x[0-9a-f]{40}$/i

/** What the contract lets one proposal release. */
function releaseLimit({ escrow, remainingCommitted, releaseBps }: Raise): bigint {
  const [held, limit] = [BigInt(escrow), (BigInt(remainingCommitted) * BigInt(releaseBps)) / 10_000n]
  return held < limit ? held : limit
}

export function ProposalForm({ raise, onDone }: { raise: Raise; onDone(): void }) {
  const coin = useCoin()
  const { wallet } = useSession()
  const [title, setTitle] = useState('')
  const limit = releaseLimit(raise)
  const field = useAmount(coin, limit, 'A proposal can release')
  const [recipient, setRecipient] = useState(wallet ?? '')
  const { amount } = field
  const [kind, setKind] = useState<Proposal['kind']>('release')
  const isRelease = kind === 'release'
  const titleProblem = checkTitle(title)
  const [isChecked, setChecked] = useState(false)
  const recipientProblem = ADDRESS.test(recipient.trim()) ? null : 'Enter the address of a wallet: 0x and 40 digits.'
  const isValid = titleProblem === null && (!isRelease || (amount !== null && recipientProblem === null))
  const propose = useAction({ label: 'Proposal' }, (transaction: UnsignedTransaction, { wallet: signer, flow }) =>
    transact(api, signer, transaction, api.raises.syncProposal.with(raise.id), flow),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!isValid) return
    const text = { title: title.trim() }
    const transaction =
      isRelease && amount !== null
        ? buildProposal(raise.id, { ...text, amount, recipient: recipient.trim() })
        : buildDissolutionProposal(raise.id, text)
    propose.start(transaction, onDone, () => {
      setTitle('')
      setChecked(false)
    })
  }
  return (
    <form onSubmit={submit} className="enter grid gap-3 border-b border-line bg-sunken p-4">
      <SelectField label="Purpose" value={kind} onChange={(event) => setKind(event.target.value as Proposal['kind'])}>
        <option value="release">Release funds to a recipient</option>
        <option value="dissolve">Dissolve the raise and refund the rest</option>
      </SelectField>
      <FormField
        label="Title"
        value={title}
        error={isChecked || title !== '' ? titleProblem : null}
        autoComplete="off"
        onChange={(event) => setTitle(event.target.value)}
      />
      {isRelease && (
        <div className="grid gap-3 sm:grid-cols-2">
          <AmountField
            label={`Amount in ${coin.symbol}`}
            amount={field}
            missing={isChecked ? 'How much is released?' : undefined}
            hint={`At most ${coin.format(limit)}, in ${formatDuration(raise.releasePeriodSeconds)}`}
          />
          <FormField
            label="Recipient"
            value={recipient}
            error={isChecked || recipient !== '' ? recipientProblem : null}
            maxLength={42}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setRecipient(event.target.value)}
          />
        </div>
      )}
      <Button type="submit" kind="primary" disabled={propose.isPending} className="justify-self-start">
        {propose.progress ?? (isRelease ? 'Propose the release' : 'Propose the dissolution')}
      </Button>
      <Outcome action={propose} done="Proposed." />
    </form>
  )
}
