import { buildRaise, type Data, type RaiseOptions, transact } from '@slipway/sdk'
import { formatAmount } from '@slipway/sdk/helpers'
import { usePortfolio } from '@slipway/sdk/react'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { ActionError } from '../../components/action-error.tsx'
import { amountInput } from '../../components/amount-field.tsx'
import { Button } from '../../components/button.tsx'
import { ConnectPrompt } from '../../components/connect-prompt.tsx'
import { EarlierCreation, isUnderWay } from '../../components/earlier-creation.tsx'
import { FormField } from '../../components/form-field.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { Notice } from '../../components/states.tsx'
import { useCoin, useConfig } from '../../data/config.tsx'
import { api } from '../../lib/api.ts'
import { readTime } from '../../lib/time.ts'
import { useTitle } from '../../lib/use-title.ts'
import { useWalletBalance } from '../../transactions/balances.ts'
import { useEarlierCreation } from '../../transactions/pending.ts'
import { useRaiseRules } from '../../transactions/raise-rules.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'
import {
  checkRaise,
  type Duration,
  dropRaiseDraft,
  durations,
  listVoteTimes,
  type RaiseDraft,
  readRaiseDraft,
  storeRaiseDraft,
} from './raise-draft.ts'

export function NewRaiseScreen() {
  useTitle('New raise')
  const { wallet } = useSession()
  return (
    <>
      <PageTitle title="New raise" />
      {wallet ? (
        <RaiseForm wallet={wallet} />
      ) : (
        <ConnectPrompt purpose="You sell a share of the tokens that your wallet holds." />
      )}
    </>
  )
}

/** Tokens launched here have 18 decimals. */
const TOKEN_DECIMALS = 18

function RaiseForm({ wallet }: { wallet: string }) {
  const config = useConfig()
  const coin = useCoin()
  const navigate = useNavigate()
  const { data: portfolio } = usePortfolio(wallet)
  const [draft, setDraft] = useState(readRaiseDraft)
  useEffect(() => storeRaiseDraft(draft), [draft])
  const [isChecked, setChecked] = useState(false)
  const holdings = portfolio?.holdings ?? []
  const held = holdings.find(({ token }) => token === draft.token)
  const { data: balance } = useWalletBalance(draft.token || null)
  const { problems, raise } = checkRaise(draft, {
    coin,
    token: { symbol: held?.symbol ?? 'The token', decimals: TOKEN_DECIMALS },
    balance: held ? balance : undefined,
  })
  const { data: rules } = useRaiseRules()
  const voteTimes = listVoteTimes(rules)
  const votingDelay = draft.votingDelay || voteTimes.first.votingDelay
  const votingPeriod = draft.votingPeriod || voteTimes.first.votingPeriod
  const earlier = useEarlierCreation('raise', wallet)
  const options = {
    label: `Raise “${draft.title.trim()}”`,
    readCreated: ({ raises: [created] }: Data<'createRaise'>) =>
      created ? { kind: 'raise' as const, id: created.id } : null,
  }
  const action = useAction(
    options,
    async ({ terms, description }: { terms: RaiseOptions; description: string }, { wallet: signer, flow, keep }) => {
      const texts = description ? { description } : {}
      keep({ kind: 'raise', texts })
      const approval = { token: terms.token, amount: terms.tokenAmount }
      const raises = api.raises.create.with(texts)
      const created = await transact(api, signer, buildRaise(config, terms), raises, { approval, ...flow })
      dropRaiseDraft()
      return created
    },
  )
  const isLocked = action.isPending || isUnderWay(earlier)
  const openRaise = (id: string) => {
    void navigate({ to: '/raises/$id', params: { id } })
  }
  const field = (name: keyof RaiseDraft) => ({
    value: draft[name],
    error: isChecked ? (problems[name] ?? null) : null,
    disabled: isLocked,
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
  })
  const amount = (name: keyof RaiseDraft) => ({
    ...field(name),
    ...amountInput,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!raise || isLocked) return
    const { token, title, description, duration } = draft
    const endAt = Math.floor(readTime() / 1_000) + Number(duration)
    const votes = { votingDelay: Number(votingDelay), votingPeriod: Number(votingPeriod) }
    action.start(
      { terms: { ...raise, ...votes, token, endAt, title: title.trim() }, description: description.trim() },
      ({ raises: [created] }) => {
        if (created) openRaise(created.id)
      },
      () => {
        setDraft((known) => ({ ...known, tokenAmount: '' }))
        setChecked(false)
      },
    )
  }
  return (
    <form noValidate onSubmit={submit} className="panel mx-auto grid max-w-3xl gap-4 p-4 sm:p-5">
      <FormField label="Title" autoComplete="off" placeholder="A harbour for cats" {...field('title')} />
      <FormField
        label="Description"
        multiline
        hint="Plain text, optional: what the funds are for"
        {...field('description')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Token for sale" {...field('token')}>
          <option value="">{holdings.length === 0 ? 'Your wallet holds no tokens' : 'Choose a token'}</option>
          {holdings.map(({ token, name, symbol }) => (
            <option key={token} value={token}>
              {name} ({symbol})
            </option>
          ))}
        </SelectField>
        <FormField
          label="Tokens for sale"
          {...amount('tokenAmount')}
          {...(held && { hint: `Your wallet holds ${formatAmount(balance, TOKEN_DECIMALS)} ${held.symbol}` })}
        />
        <FormField
          label={`Minimum goal in ${coin.symbol}`}
          hint="Below it, commitments are refunded"
          {...amount('goalMin')}
        />
        <FormField label={`Maximum goal in ${coin.symbol}`} hint="Reaching it ends the raise" {...amount('goalMax')} />
        <FormField
          label={`Maximum per wallet in ${coin.symbol}`}
          hint="Optional; the maximum goal without one"
          {...amount('walletMax')}
        />
        <SelectField label="Open for" {...field('duration')}>
          <Durations of={durations} />
        </SelectField>
        <SelectField label="Votes on a proposal begin" {...field('votingDelay')} value={votingDelay}>
          <Durations of={voteTimes.delays} />
        </SelectField>
        <SelectField label="Each vote lasts" {...field('votingPeriod')} value={votingPeriod}>
          <Durations of={voteTimes.periods} />
        </SelectField>
      </div>
      <p className="text-xs text-faint">
        The raise opens at once. If it reaches its minimum goal, each wallet can claim its share of the tokens, and the
        funds stay in escrow until votes of those who committed release them, a part at a time. Before each payment,
        those who did not vote for it can leave with their share. You cannot commit to your own raise.
      </p>
      <EarlierCreation earlier={earlier} onCreated={openRaise} />
      {action.error && (
        <Notice tone="bad">
          <ActionError error={action.error} action={action} />
        </Notice>
      )}
      {isChecked && !raise && <Notice tone="bad">Some fields need another look.</Notice>}
      <Button type="submit" kind="primary" size="lg" disabled={isLocked}>
        {action.progress ?? 'Open the raise'}
      </Button>
    </form>
  )
}

const Durations = ({ of }: { of: readonly Duration[] }) =>
  of.map(({ seconds, label }) => (
    <option key={seconds} value={seconds}>
      {label}
    </option>
  ))
