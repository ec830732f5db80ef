import { formatShare, readAmount } from '@slipway/sdk/helpers'
import { type FormEvent, useState } from 'react'
import { amountInput } from '../../../components/amount-field.tsx'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Choice } from '../../../components/tabs.tsx'
import { useBuyPresets } from '../../../data/buy-presets.ts'
import { useCoin } from '../../../data/config.tsx'
import { useSession } from '../../../wallet/session.tsx'
import { readSlippage, SlippageField, useSlippage } from '../../token/slippage-field.tsx'

/** What the buy buttons of cards and rows pay. With a wallet only. */
export function QuickBuyBar() {
  const { symbol } = useCoin()
  const { wallet } = useSession()
  const { amounts, chosen, choose, setAmounts } = useBuyPresets()
  const [isOpen, setOpen] = useState(false)
  if (!wallet) return null
  return (
    <section aria-label="Quick buy" className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <span className="inline-flex items-center gap-1.5 font-bold">
        <Icon name="bolt" className="size-3.5 text-up" />
        Quick buy
        <span className="font-normal text-muted">in {symbol}</span>
      </span>
      <Choice
        label="Amount of a quick buy"
        options={amounts.map((amount, index) => ({ id: String(index), label: amount }))}
        selected={String(chosen)}
        onSelect={(index) => choose(Number(index))}
      />
      <Button size="sm" kind="ghost" onClick={() => setOpen(true)}>
        <Icon name="edit" className="size-3.5" />
        <span className="sr-only">Edit the amounts, </span>
        <span className="max-sm:sr-only">{formatShare(readSlippage())} slippage</span>
      </Button>
      <Dialog title="Quick buy" isOpen={isOpen} onClose={() => setOpen(false)}>
        <AmountsForm
          amounts={amounts}
          onSave={(next) => {
            setAmounts(next)
            setOpen(false)
          }}
        />
      </Dialog>
    </section>
  )
}

interface AmountsProps {
  amounts: readonly string[]
  onSave(amounts: readonly string[]): void
}

function AmountsForm({ amounts, onSave }: AmountsProps) {
  const coin = useCoin()
  const slippage = useSlippage()
  const [texts, setTexts] = useState(amounts)
  const [isChecked, setChecked] = useState(false)
  const problems = texts.map((text) =>
    text.trim() === '' ? 'Enter an amount.' : readAmount(text.trim(), coin).problem,
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (slippage.bps === null || problems.some((problem) => problem !== null)) return
    slippage.save()
    onSave(texts.map((text) => text.trim().replace(',', '.')))
  }
  return (
    <form className="grid gap-3" onSubmit={submit} noValidate>
      <div className="grid grid-cols-2 gap-3">
        {texts.map((text, index) => (
          <FormField
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a preset is
            key={index}
            label={`Amount ${index + 1} in ${coin.symbol}`}
            {...amountInput}
            maxLength={12}
            value={text}
            error={isChecked ? (problems[index] ?? null) : null}
            onChange={({ target }) => setTexts(texts.map((one, at) => (at === index ? target.value : one)))}
          />
        ))}
      </div>
      <SlippageField slippage={slippage} />
      <Button type="submit" kind="primary">
        Save
      </Button>
    </form>
  )
}
