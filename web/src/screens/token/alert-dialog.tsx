import { toUserMessage } from '@slipway/sdk'
import { type FormEvent, useState } from 'react'
import { AlertList } from '../../components/alert-list.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormField } from '../../components/form-field.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { Notice } from '../../components/states.tsx'
import {
  ALERT_WINDOWS,
  type AlertRequest,
  describeCondition,
  isPassed,
  useAlertChanges,
  useAlerts,
} from '../../data/alerts.ts'
import { useCoin } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { readFigure } from '../../lib/read-figure.ts'

/** What the form of a new alert says at first. */
export interface AlertStart {
  kind: 'priceAbove' | 'priceBelow' | 'capAbove' | 'capBelow'
  /** In US dollars, or in native coin where those are unknown. */
  value: number
}

interface DialogProps {
  token: Token
  isOpen: boolean
  onClose(): void
  start?: AlertStart | undefined
}

/** Creates alerts about a token, and lists those of the signed-in wallet. */
export function AlertDialog({ token, isOpen, onClose, start }: DialogProps) {
  return (
    <Dialog title={`Alerts about ${token.symbol}`} isOpen={isOpen} onClose={onClose}>
      <AlertForm token={token} start={start} />
      <TokenAlerts token={token.address} />
    </Dialog>
  )
}

function TokenAlerts({ token }: { token: string }) {
  const { items } = useAlerts(token)
  if (items.length === 0) return null
  return (
    <section aria-label="Your alerts" className="-mx-5 mt-4 max-h-64 overflow-y-auto border-t border-line">
      <AlertList alerts={items} />
    </section>
  )
}

const KINDS = {
  priceAbove: 'Price rises to',
  priceBelow: 'Price falls to',
  capAbove: 'Market cap rises to',
  capBelow: 'Market cap falls to',
  rise: 'Price rises by',
  fall: 'Price falls by',
  graduation: 'Graduates',
} as const
type Kind = keyof typeof KINDS
type Window = keyof typeof ALERT_WINDOWS

/** Four digits, as one would type them. */
const toText = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 4, useGrouping: false })

const NOTHING = { metric: null, window: null, direction: null, value: null }

function AlertForm({ token, start }: Pick<DialogProps, 'token' | 'start'>) {
  const { create } = useAlertChanges()
  const { symbol: coin } = useCoin()
  const [kind, setKind] = useState<Kind>(start?.kind ?? 'priceAbove')
  const [window, setWindow] = useState<Window>('h1')
  const [text, setText] = useState(start ? toText(start.value) : '')
  const [isChecked, setChecked] = useState(false)
  const isChange = kind === 'rise' || kind === 'fall'
  const isGraduation = kind === 'graduation'
  const isUsd = token.priceUsd !== null
  const figure = readFigure(text, isChange ? 'percent' : 'usd')
  const value = figure.value ?? 0
  const problem = figure.problem ?? (value > 0 ? null : 'Enter a number above 0.')
  const request = toRequest({ token: token.address, kind, window, value, isUsd })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (problem && !isGraduation) return
    create.mutate(request, {
      onSuccess: () => {
        setText('')
        setChecked(false)
      },
    })
  }
  return (
    <form className="grid gap-3" onSubmit={submit} noValidate>
      <SelectField label="Notify me when" value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
        {Object.entries(KINDS).map(([id, label]) => (
          <option key={id} value={id} disabled={id === 'graduation' && token.status === 'graduated'}>
            {label}
          </option>
        ))}
      </SelectField>
      {!isGraduation && (
        <FormField
          label={isChange ? 'Percent' : isUsd ? 'US dollars' : coin}
          value={text}
          inputMode="decimal"
          autoComplete="off"
          error={isChecked ? problem : null}
          hint={problem === null ? describeCondition({ ...NOTHING, ...request }, coin) : undefined}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {isChange && (
        <SelectField label="Within" value={window} onChange={(event) => setWindow(event.target.value as Window)}>
          {Object.entries(ALERT_WINDOWS).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
      {problem === null && isPassed(token, request) && (
        <Notice tone="warn">This is so already: the next trade will trigger the alert.</Notice>
      )}
      {create.error && <Notice tone="bad">{toUserMessage(create.error)}</Notice>}
      <Button type="submit" kind="primary" disabled={create.isPending}>
        Create alert
      </Button>
    </form>
  )
}

interface Entry {
  token: string
  kind: Kind
  window: Window
  value: number
  isUsd: boolean
}

function toRequest({ token, kind, window, value, isUsd }: Entry): AlertRequest {
  if (kind === 'graduation') return { type: 'graduation', token }
  const direction = kind === 'rise' || kind === 'priceAbove' || kind === 'capAbove' ? 'above' : 'below'
  if (kind === 'rise' || kind === 'fall')
    return { type: 'price_change', token, window, direction, value: kind === 'rise' ? value : -value }
  const isCap = kind === 'capAbove' || kind === 'capBelow'
  const metric = isCap ? (isUsd ? 'marketCapUsd' : 'marketCapNative') : isUsd ? 'priceUsd' : 'priceNative'
  return { type: 'price', token, metric, direction, value }
}
