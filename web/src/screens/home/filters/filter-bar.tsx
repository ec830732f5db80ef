import { type ReactNode, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Icon } from '../../../components/icon.tsx'
import { describeFilters } from '../../../data/token-filters.ts'
import type { Sort } from '../../../data/tokens.ts'
import type { useTokenFilters } from '../../../data/use-token-filters.ts'
import { useMedia } from '../../../lib/use-media.ts'
import { ConditionList } from './condition-list.tsx'
import { FilterForm } from './filter-form.tsx'
import { PresetList } from './preset-list.tsx'
import type { FieldProblem } from './range-field.tsx'

interface Props {
  state: ReturnType<typeof useTokenFilters>
  sort: Sort
  problem: FieldProblem | undefined
  /** The number of matching tokens, as in `23 tokens`; null while it is unknown. */
  found: string | null
  /** Stands before the button. */
  children: ReactNode
  /** Stands after it. */
  after: ReactNode
}

/** Opens the filters of the token list: below the bar, or as a sheet on a phone. Shows those that are active. */
export function FilterBar({ state, sort, problem, found, children, after }: Props) {
  const { filters, change, replace, clear } = state
  const [isOpen, setOpen] = useState(false)
  const isPhone = useMedia('(width < 40rem)')
  const count = describeFilters(filters, []).length
  const form = (
    <div className="grid gap-4">
      <PresetList filters={filters} sort={sort} apply={(preset) => replace(preset.filters, preset.sort)} />
      <FilterForm filters={filters} change={change} problem={problem} />
    </div>
  )
  return (
    <>
      <header className="flex flex-wrap items-center gap-3 border-b border-line px-3.5 py-2.5">
        {children}
        <Button size="sm" className="h-8" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" className="size-3.5" />
          Filters
          {count > 0 && (
            <span>
              {' '}
              <span className="rounded bg-accent px-1.5 text-2xs text-on-accent">{count}</span>
              <span className="sr-only"> active</span>
            </span>
          )}
        </Button>
        {after}
      </header>
      {isPhone ? (
        <Dialog
          title="Filters"
          isOpen={isOpen}
          onClose={() => setOpen(false)}
          sheetFooter={
            <div className="flex gap-2">
              <Button onClick={clear} disabled={count === 0}>
                Clear all
              </Button>
              <Button kind="primary" className="flex-1" onClick={() => setOpen(false)}>
                {found === null ? 'Show tokens' : `Show ${found}`}
              </Button>
            </div>
          }
        >
          {form}
        </Dialog>
      ) : (
        isOpen && (
          <section aria-label="Filters" className="border-b border-line bg-sunken px-3.5 py-3">
            {form}
          </section>
        )
      )}
      {count > 0 && (
        <div className="border-b border-line px-3.5 py-2">
          <ConditionList {...state} />
        </div>
      )}
    </>
  )
}
