import { useId, useState } from 'react'
import { boundName, type Filters, type Range, WINDOWS, type Window } from '../../../data/token-filters.ts'
import { useUrlFigure } from '../../../data/use-url-figure.ts'
import type { Unit } from '../../../lib/read-figure.ts'

/** What the service says about a parameter. */
export interface FieldProblem {
  field: string
  problem: string
}

interface Props {
  range: Range
  filters: Filters
  problem: FieldProblem | undefined
}

/** Both ends of a range. A range with windows has one chosen at a time; the others stay as they are. */
export function RangeField({ range, filters, problem }: Props) {
  const { label, unit, windows } = range
  const isUsed = (window: Window) =>
    (['min', 'max'] as const).some((bound) => filters[boundName(bound, range, window)] !== undefined)
  const [chosen, choose] = useState<Window>()
  const window = windows && (chosen ?? windows.find(isUsed) ?? windows[0])
  return (
    <fieldset className="min-w-0">
      <div className="mb-1 flex items-center justify-between gap-2">
        <legend className="float-left text-xs font-semibold text-muted">{label}</legend>
        {windows && (
          <span className="flex gap-1">
            {windows.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={one === window}
                aria-label={`${label} of ${WINDOWS[one]}${isUsed(one) ? ', filtered' : ''}`}
                onClick={() => choose(one)}
                className={`rounded px-1.5 text-2xs font-semibold text-muted hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink ${isUsed(one) ? 'underline decoration-2 underline-offset-2' : ''}`}
              >
                {WINDOWS[one]}
              </button>
            ))}
          </span>
        )}
      </div>
      <div className="grid grid-cols-2 gap-1.5">
        {(['min', 'max'] as const).map((bound) => {
          const name = boundName(bound, range, window)
          const text = `${label}${window ? ` ${WINDOWS[window]}` : ''}, at ${bound === 'min' ? 'least' : 'most'}`
          return <BoundField key={name} name={name} label={text} bound={bound} unit={unit} problem={problem} />
        })}
      </div>
    </fieldset>
  )
}

const placeholders: Readonly<Record<Unit, string>> = { usd: ' $', count: '', percent: ' %', duration: ' (1h)' }

interface BoundProps {
  name: string
  label: string
  bound: 'min' | 'max'
  unit: Unit
  problem: FieldProblem | undefined
}

function BoundField({ name, label, bound, unit, problem: refused }: BoundProps) {
  const id = useId()
  const { input, problem } = useUrlFigure(name, unit)
  const text = problem ?? (refused?.field === name ? refused.problem : null)
  return (
    <div className="min-w-0">
      <input
        {...input}
        inputMode={unit === 'usd' || unit === 'duration' ? 'text' : 'decimal'}
        autoComplete="off"
        autoCapitalize="off"
        maxLength={20}
        aria-label={label}
        aria-invalid={text !== null}
        aria-describedby={text === null ? undefined : id}
        placeholder={`${bound === 'min' ? 'Min' : 'Max'}${placeholders[unit]}`}
        className="field h-8 px-2 py-1"
      />
      {text !== null && (
        <p id={id} className="mt-0.5 text-2xs font-semibold text-down">
          {text}
        </p>
      )}
    </div>
  )
}
