import { Icon } from '../../../components/icon.tsx'
import { useLaunchpads } from '../../../data/config.tsx'
import { type Condition, describeFilters } from '../../../data/token-filters.ts'
import type { useTokenFilters } from '../../../data/use-token-filters.ts'

/** The active filters, each with a button that removes it. */
export function ConditionList({ filters, change, clear }: ReturnType<typeof useTokenFilters>) {
  const conditions = describeFilters(filters, useLaunchpads())
  if (conditions.length === 0) return null
  const remove = ({ names }: Condition) => change(Object.fromEntries(names.map((name) => [name, undefined])))
  return (
    <ul aria-label="Active filters" className="flex flex-wrap items-center gap-1.5">
      {conditions.map((condition) => (
        <li
          key={condition.names[0]}
          className="inline-flex max-w-full items-center gap-1.5 rounded-md bg-accent-soft py-1 pl-2.5 pr-1 text-xs font-semibold text-accent-ink"
        >
          <span className="min-w-0 truncate">
            {condition.label} {condition.text}
          </span>
          <button
            type="button"
            aria-label={`Remove the filter ${condition.label}`}
            onClick={() => remove(condition)}
            className="rounded p-0.5 hover:text-ink"
          >
            <Icon name="close" className="size-3" />
          </button>
        </li>
      ))}
      <li>
        <button type="button" onClick={clear} className="px-1.5 py-1 text-xs font-semibold text-muted hover:text-ink">
          Clear all
        </button>
      </li>
    </ul>
  )
}
