import { type Schema, toUserMessage } from '@slipway/sdk'
import { type FlatOperation, keyOf } from '@slipway/sdk/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, type ComponentType, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Notice } from '../../components/states.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { api } from '../../lib/api.ts'
import { shorten } from '../../lib/links.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/i
const RAISE_ID = /^0x[0-9a-f]{40}-\d+$/i

/** Hides and features tokens, features raises, and bans wallets, by address or id. */
export function Moderation({ identity: { isAdmin, isLabs } }: { identity: Schema<'Identity'> }) {
  return (
    <div className="grid gap-6 p-4 lg:grid-cols-2">
      <ModerationForm
        title="Token"
        field="Address of the token"
        pattern={ADDRESS}
        expected="an address: 0x and 40 digits"
        changes={[api.tokens.list, api.tokens.get]}
        actions={[
          ...(isAdmin ? [hide, unhide] : []),
          ...(isLabs ? [feature(api.labs.featureToken), unfeature(api.labs.unfeatureToken)] : []),
        ]}
      />
      {isAdmin && (
        <ModerationForm
          title="Wallet"
          field="Address of the wallet"
          pattern={ADDRESS}
          expected="an address: 0x and 40 digits"
          changes={[api.admin.bans]}
          actions={[
            {
              label: 'Ban',
              kind: 'down',
              done: 'The wallet is banned.',
              Warning: BanWarning,
              run: (wallet, reason) => api.admin.banWallet(wallet, { reason }),
            },
            {
              label: 'Unban',
              done: 'The wallet is not banned.',
              run: (wallet, reason) => api.admin.unbanWallet(wallet, { reason }),
            },
          ]}
        />
      )}
      {isLabs && (
        <ModerationForm
          title="Raise"
          field="Id of the raise"
          pattern={RAISE_ID}
          expected="the address of the contract, a hyphen and the number of the raise"
          changes={[api.raises.list, api.raises.get]}
          actions={[feature(api.labs.featureRaise), unfeature(api.labs.unfeatureRaise)]}
        />
      )}
    </div>
  )
}

interface Action {
  label: string
  kind?: ComponentProps<typeof Button>['kind']
  /** Said after it. */
  done: string
  /** Shown before it, in a dialog that asks for confirmation. */
  Warning?: ComponentType<{ subject: string }>
  run(subject: string, reason: string | null): Promise<unknown>
}

function BanWarning({ subject }: { subject: string }) {
  const wallet = subject.toLowerCase()
  return (
    <>
      <WalletName wallet={wallet} className="font-semibold" /> (<span className="font-mono">{shorten(wallet)}</span>)
      can then write, like and follow nothing, until an operator unbans it.
    </>
  )
}

const hide: Action = {
  label: 'Hide',
  kind: 'down',
  done: 'The token is hidden.',
  run: (address, reason) => api.admin.hideToken(address, { reason }),
}
const unhide: Action = {
  label: 'Unhide',
  done: 'The token is not hidden.',
  run: (address, reason) => api.admin.unhideToken(address, { reason }),
}
const feature = (operation: (subject: string, body: { reason: string | null }) => Promise<unknown>): Action => ({
  label: 'Feature',
  kind: 'primary',
  done: 'It is featured.',
  run: (subject, reason) => operation(subject, { reason }),
})
const unfeature = (operation: (subject: string) => Promise<unknown>): Action => ({
  label: 'Stop featuring',
  done: 'It is not featured.',
  run: (subject) => operation(subject),
})

interface FormProps {
  title: string
  field: string
  pattern: RegExp
  /** What the pattern matches. */
  expected: string
  /** Operations whose data an action changes. */
  changes: readonly FlatOperation[]
  actions: readonly Action[]
}

function ModerationForm({ title, field, pattern, expected, changes, actions }: FormProps) {
  const client = useQueryClient()
  const [subject, setSubject] = useState('')
  const [reason, setReason] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [asked, setAsked] = useState<Action | null>(null)
  const act = useMutation({
    mutationFn: async (action: Action) => {
      await action.run(subject.trim(), reason.trim() || null)
      for (const operation of changes) await client.invalidateQueries({ queryKey: keyOf(operation) })
      return action
    },
    onSettled: () => setAsked(null),
  })
  const problem = pattern.test(subject.trim()) ? null : `Enter ${expected}.`
  const id = `moderate-${title.toLowerCase()}`
  return (
    <section aria-labelledby={id} className="grid content-start gap-3">
      <h2 id={id} className="font-bold">
        {title}
      </h2>
      <FormField
        label={field}
        value={subject}
        error={isChecked || subject.trim().length >= 42 ? problem : null}
        maxLength={80}
        spellCheck={false}
        autoComplete="off"
        placeholder="0x…"
        onChange={(event) => setSubject(event.target.value)}
      />
      <FormField
        label="Reason for the audit log"
        value={reason}
        maxLength={500}
        autoComplete="off"
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        {actions.map((action) => (
          <Button
            key={action.label}
            {...(action.kind && { kind: action.kind })}
            disabled={act.isPending}
            onClick={() => {
              setChecked(true)
              if (problem === null && action.Warning) setAsked(action)
              else if (problem === null) act.mutate(action)
            }}
          >
            {action.label}
          </Button>
        ))}
      </div>
      {act.error && <Notice tone="bad">{toUserMessage(act.error)}</Notice>}
      {act.data && <Notice tone="good">{act.data.done}</Notice>}
      <Dialog
        title={`${asked?.label} this ${title.toLowerCase()}?`}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
      >
        {asked?.Warning && (
          <>
            <p className="mb-4 text-muted">
              <asked.Warning subject={subject.trim()} />
            </p>
            <Button kind="down" disabled={act.isPending} onClick={() => act.mutate(asked)}>
              {asked.label} the {title.toLowerCase()}
            </Button>
          </>
        )}
      </Dialog>
    </section>
  )
}
