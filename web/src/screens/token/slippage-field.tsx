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

/** What is typed as the tolerance. Only the text that is shown counts: `bps` is null while it is none. */
export function useSlippage() {
  const [text, setText] = useState(() => String(readSlippage() / 100))
  const bps = toBps(text)
  const save = () => {
    if (bps !== null) storage.setItem(STORED, String(bps))
  }
  return { text, setText, bps, save }
}

function toBps(text: string): number | null {
  const exact = Number(text.trim().replace(',', '.')) * 100
  const bps = Math.round(exact)
  return bps > 0 && bps <= MAX_BPS && Math.abs(bps - exact) < 1e-6 ? bps : null
}

interface Props {
  slippage: ReturnType<typeof useSlippage>
  onBlur?(): void
}

export function SlippageField({ slippage: { text, setText, bps }, onBlur }: Props) {
  const id = useId()
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-xs">
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
          aria-invalid={bps === null}
          aria-describedby={bps === null ? `${id}-problem` : undefined}
          onChange={(event) => setText(event.target.value)}
          onBlur={onBlur}
          className="field h-7 py-0 pr-6 text-right"
        />
        <span className="pointer-events-none absolute right-2 top-1.5 text-faint" aria-hidden="true">
          %
        </span>
      </div>
      {bps === null && (
        <p id={`${id}-problem`} className="w-full text-right text-2xs font-semibold text-down">
          Enter a percentage from 0.01 to {MAX_BPS / 100}.
        </p>
      )}
    </div>
  )
}
