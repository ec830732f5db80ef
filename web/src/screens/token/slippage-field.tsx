import { useId, useState } from 'react'
import { storage } from '../../lib/storage.ts'

const STORED = 'slipway.slippage-bps'
const DEFAULT_BPS = 200
const MAX_BPS = 5_000

/** The slippage tolerance in basis points, which this browser remembers. */
export function readSlippage(): number {
  const stored = Number(storage.getItem(STORED))
  return Number.isInteger(stored) && stored > 0 && stored <= MAX_BPS ? stored : DEFAULT_BPS
}

/** The same, and what changes it. */
export function useSlippage(): [number, (bps: number) => void] {
  const [bps, setBps] = useState(readSlippage)
  const change = (next: number) => {
    setBps(next)
    storage.setItem(STORED, String(next))
  }
  return [bps, change]
}

interface Props {
  value: number
  onChange(bps: number): void
}

export function SlippageField({ value, onChange }: Props) {
  const id = useId()
  const [text, setText] = useState(String(value / 100))
  return (
    <div className="flex items-center justify-between gap-3 text-xs">
      <label htmlFor={id} className="text-muted">
        Slippage tolerance
      </label>
      <div className="relative w-20">
        <input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          value={text}
          maxLength={5}
          onChange={(event) => {
            setText(event.target.value)
            const bps = Math.round(Number(event.target.value.replace(',', '.')) * 100)
            if (bps > 0 && bps <= MAX_BPS) onChange(bps)
          }}
          onBlur={() => setText(String(value / 100))}
          className="field h-7 py-0 pr-6 text-right"
        />
        <span className="pointer-events-none absolute right-2 top-1.5 text-faint" aria-hidden="true">
          %
        </span>
      </div>
    </div>
  )
}
