import { type Currency, readAmount } from '@slipway/sdk/helpers'
import { type ReactNode, useState } from 'react'
import { FormField } from './form-field.tsx'

/** Attributes of every input of an amount. */
export const amountInput = { inputMode: 'decimal', autoComplete: 'off', placeholder: '0.0', maxLength: 80 } as const

/** Begins the sentence about an amount in coins that is too large: a part of the balance pays for the transaction. */
export const BESIDE_FEE = 'Beside the network fee you have'

/** Whether an optional amount is left out. */
export const isNone = (text: string): boolean => /^0*[.,]?0*$/.test(text.trim())

/** An amount that is being typed. `balance` limits it, where it is known. */
export function useAmount(currency: Currency, balance?: bigint, holder?: string) {
  const [text, setText] = useState('')
  const [isTyping, setTyping] = useState(false)
  const { amount, problem, isUnfinished } = readAmount(text, currency, balance, holder)
  return {
    text,
    setText,
    /** What was typed, even if the balance is less. */
    typed: amount,
    /** What may be sent. */
    amount: problem === null ? amount : null,
    /** No error for a 0 that may become 0.5. */
    error: isTyping && isUnfinished ? null : problem,
    input: {
      ...amountInput,
      value: text,
      onFocus: () => setTyping(true),
      onBlur: () => setTyping(false),
    },
  }
}

interface Props {
  label: string
  amount: ReturnType<typeof useAmount>
  hint?: ReactNode
  disabled?: boolean
  /** What else is wrong with the amount. */
  problem?: string | null
  /** What to say about an empty field. */
  missing?: string | undefined
}

/** A labelled field for an amount, which says why an input is no amount. */
export function AmountField({ label, amount, hint, disabled, problem = null, missing }: Props) {
  return (
    <FormField
      label={label}
      {...amount.input}
      disabled={disabled}
      error={amount.error ?? problem ?? (amount.text.trim() === '' ? missing : null) ?? null}
      hint={hint}
      onChange={(event) => amount.setText(event.target.value)}
    />
  )
}
