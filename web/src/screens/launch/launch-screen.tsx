import { launch, RevertError, readTokenAddress } from '@slipway/sdk'
import { readAmount } from '@slipway/sdk/helpers'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { ActionError } from '../../components/action-error.tsx'
import { amountInput } from '../../components/amount-field.tsx'
import { Button } from '../../components/button.tsx'
import { EarlierCreation, isUnderWay } from '../../components/earlier-creation.tsx'
import { FormField } from '../../components/form-field.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Notice } from '../../components/states.tsx'
import { useCoin, useConfig } from '../../data/config.tsx'
import { completeLink } from '../../data/written-links.ts'
import { api } from '../../lib/api.ts'
import { gasOf } from '../../lib/gas.ts'
import { useTitle } from '../../lib/use-title.ts'
import { useSpendable, useWalletBalance } from '../../transactions/balances.ts'
import { useLaunchTerms, useNewestLaunchpad } from '../../transactions/launch-terms.ts'
import { useEarlierCreation } from '../../transactions/pending.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'
import { checkDraft, type Draft, dropDraft, readDraft, storeDraft, toLinks } from './draft.ts'
import { ImageField } from './image-field.tsx'
import { LaunchPreview } from './launch-preview.tsx'
import { SymbolNotice } from './symbol-notice.tsx'

export function LaunchScreen() {
  useTitle('Launch a token')
  const coin = useCoin()
  const { contractLimits } = useConfig()
  const navigate = useNavigate()
  const { wallet, setConnecting } = useSession()
  const { data: balance } = useWalletBalance(null)
  const spendable = useSpendable(null, gasOf.launch)
  const launchpad = useNewestLaunchpad()
  const { data: terms } = useLaunchTerms()
  const [draft, setDraft] = useState(readDraft)
  const [isChecked, setChecked] = useState(false)
  const problems = checkDraft(draft, { ...contractLimits, coin, spendable })
  const initialBuy = readAmount(draft.initialBuy, coin).amount ?? 0n
  const earlier = useEarlierCreation('launch', wallet)
  const options = {
    label: `Launch of ${draft.name.trim()}`,
    readCreated: ({ token }: { token: { address: string } }) => ({ kind: 'launch' as const, id: token.address }),
  }
  const action = useAction(options, async (_: undefined, { client, wallet: signer, flow, keep }) => {
    const links = toLinks(draft)
    const description = draft.description.trim()
    const texts = { ...(description && { description }), ...(links && { links }) }
    keep({ kind: 'launch', texts })
    if (draft.image) flow.onStep({ name: 'upload' })
    const image = draft.image && (await api.uploads.image({ file: draft.image })).url
    keep({ kind: 'launch', texts: { ...texts, ...(image && { imageUrl: image }) } })
    const launched = await launch(client, signer, {
      salt: draft.salt,
      name: draft.name.trim(),
      symbol: draft.symbol.trim(),
      ...texts,
      ...(image && { image }),
      initialBuy,
      ...(terms && { terms }),
      ...flow,
    }).catch(async (error: unknown) => {
      // An earlier launch of this form was mined after all.
      if (!(error instanceof RevertError && error.revert?.name === 'SaltUsed' && launchpad && wallet)) throw error
      return { token: { address: await readTokenAddress(client, { launchpad, creator: wallet, salt: draft.salt }) } }
    })
    dropDraft()
    return launched
  })
  const isLocked = action.isBusy || isUnderWay(earlier)
  const open = (address: string) => {
    void navigate({ to: '/token/$address', params: { address } })
  }
  const set = (change: Partial<Draft>) => setDraft((known) => ({ ...known, ...change }))
  useEffect(() => storeDraft(draft), [draft])
  const problem = (field: keyof Draft) => (isChecked ? (problems[field] ?? null) : null)
  const text = (field: Exclude<keyof Draft, 'image' | 'salt'>) => ({
    value: draft[field],
    error: problem(field),
    disabled: isLocked,
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) => set({ [field]: event.target.value }),
  })
  const link = (field: Parameters<typeof completeLink>[0]) => ({
    ...text(field),
    onBlur: () => set({ [field]: completeLink(field, draft[field]) }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!wallet) return setConnecting(true)
    if (isLocked || Object.keys(problems).length > 0) return
    action.start(undefined, ({ token }) => open(token.address))
  }
  return (
    <>
      <PageTitle title="Launch a token" />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <form noValidate onSubmit={submit} className="panel grid content-start gap-4 p-4 sm:p-5">
          <div className="grid gap-4 sm:grid-cols-[10rem_minmax(0,1fr)]">
            <ImageField image={draft.image} onChange={(image) => set({ image })} />
            <div className="grid content-start gap-4">
              <FormField label="Name" placeholder="Harbor Cat" required {...text('name')} />
              <FormField label="Symbol" placeholder="HCAT" required {...text('symbol')} />
              <SymbolNotice symbol={draft.symbol} />
            </div>
          </div>
          <FormField
            label="Description"
            multiline
            placeholder="What is it about?"
            hint="Plain text, optional"
            {...text('description')}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <FormField label="Website" type="url" placeholder="https://" {...link('website')} />
            <FormField label="X" type="url" placeholder="https://x.com/…" {...link('twitter')} />
            <FormField label="Telegram" type="url" placeholder="https://t.me/…" {...link('telegram')} />
            <FormField label="Discord" type="url" placeholder="https://discord.gg/…" {...link('discord')} />
          </div>
          <FormField
            label={`Initial buy in ${coin.symbol}`}
            {...amountInput}
            hint={
              wallet
                ? `Optional: you are the first buyer, in the same transaction. Balance ${coin.format(balance)}.`
                : 'Optional: you are the first buyer, in the same transaction.'
            }
            {...text('initialBuy')}
          />
          <EarlierCreation earlier={earlier} onCreated={open} />
          {action.error && (
            <Notice tone="bad">
              <ActionError error={action.error} action={action} />
              {action.sent && (
                <>
                  <p className="mt-2">
                    You can also change the form and launch again: only one of both launches can succeed.
                  </p>
                  <Button size="sm" className="mt-2 flex" onClick={action.discard}>
                    Change the form
                  </Button>
                </>
              )}
            </Notice>
          )}
          {isChecked && Object.keys(problems).length > 0 && (
            <Notice tone="bad">Some fields need another look: {Object.values(problems).join(' ')}</Notice>
          )}
          <Button type="submit" kind="primary" size="lg" disabled={isLocked || (wallet !== null && !terms)}>
            {!wallet ? 'Connect a wallet' : (action.progress ?? 'Launch')}
          </Button>
        </form>
        <LaunchPreview draft={draft} initialBuy={initialBuy} terms={terms} />
      </div>
    </>
  )
}
