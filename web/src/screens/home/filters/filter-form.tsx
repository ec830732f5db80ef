import { type ReactNode, useId } from 'react'
import { useLaunchpads } from '../../../data/config.tsx'
import { type FilterName, type Filters, RANGES, STATUSES } from '../../../data/token-filters.ts'
import { useUrlText } from '../../../data/url-state.ts'
import type { useTokenFilters } from '../../../data/use-token-filters.ts'
import { type FieldProblem, RangeField } from './range-field.tsx'

interface Props {
  filters: Filters
  change: ReturnType<typeof useTokenFilters>['change']
  /** What the service did not accept. */
  problem: FieldProblem | undefined
}

/** Every filter of the token list. What is changed applies at once. */
export function FilterForm({ filters, change, problem }: Props) {
  const launchpads = useLaunchpads()
  const { status, launchpad, hasLinks, featured } = filters
  const problemOf = (name: FilterName) => (problem?.field === name ? problem.problem : null)
  return (
    <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
      <Group label="Status" problem={problemOf('status')}>
        <Toggles options={STATUSES} value={status} onChange={(next) => change({ status: next })} />
      </Group>
      {launchpads.length > 1 && (
        <Group label="Launchpad" problem={problemOf('launchpad')}>
          <Toggles options={launchpads} value={launchpad} onChange={(next) => change({ launchpad: next })} />
        </Group>
      )}
      <Group label="Marks" problem={problemOf('hasLinks') ?? problemOf('featured')}>
        <Toggle isOn={hasLinks === true} onClick={() => change({ hasLinks: hasLinks === true ? undefined : true })}>
          Has links
        </Toggle>
        <Toggle isOn={featured === true} onClick={() => change({ featured: featured === true ? undefined : true })}>
          Featured
        </Toggle>
      </Group>
      {RANGES.map((range) => (
        <RangeField key={range.id} range={range} filters={filters} problem={problem} />
      ))}
      <CreatorField problem={problemOf('creator')} />
    </div>
  )
}

function Group({ label, problem, children }: { label: string; problem: string | null; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-xs font-semibold text-muted">{label}</legend>
      <div className="flex flex-wrap gap-1.5">{children}</div>
      {problem !== null && <p className="mt-0.5 text-2xs font-semibold text-down">{problem}</p>}
    </fieldset>
  )
}

function Toggle({ isOn, onClick, children }: { isOn: boolean; onClick(): void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className="h-8 rounded-md border border-line-strong px-2.5 text-xs font-semibold text-muted hover:text-ink aria-pressed:border-accent-ink aria-pressed:bg-accent-soft aria-pressed:text-accent-ink"
    >
      {children}
    </button>
  )
}

interface TogglesProps {
  options: readonly { id: string; label: string }[]
  /** A comma-separated list of ids. */
  value: Filters[FilterName] | undefined
  onChange(value: string | undefined): void
}

/** Any number of options; none is as good as all. */
function Toggles({ options, value, onChange }: TogglesProps) {
  const chosen = value === undefined ? [] : String(value).split(',')
  const toggle = (id: string) => {
    const next = options.map((one) => one.id).filter((one) => chosen.includes(one) !== (one === id))
    onChange(next.length === 0 ? undefined : next.join(','))
  }
  return options.map(({ id, label }) => (
    <Toggle key={id} isOn={chosen.includes(id)} onClick={() => toggle(id)}>
      {label}
    </Toggle>
  ))
}

function CreatorField({ problem }: { problem: string | null }) {
  const id = useId()
  const [text, setText] = useUrlText('creator')
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-xs font-semibold text-muted">
        Creator
      </label>
      <input
        id={id}
        value={text}
        autoComplete="off"
        spellCheck={false}
        maxLength={42}
        placeholder="Address"
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : `${id}-problem`}
        onChange={(event) => setText(event.target.value.trim())}
        className="field h-8 px-2 py-1 font-mono text-xs"
      />
      {problem !== null && (
        <p id={`${id}-problem`} className="mt-0.5 text-2xs font-semibold text-down">
          {problem}
        </p>
      )}
    </div>
  )
}
