import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'

interface Tab<Id extends string> {
  id: Id
  label: ReactNode
}

interface Props<Id extends string> {
  label: string
  tabs: readonly Tab<Id>[]
  selected: NoInfer<Id>
  onSelect(id: NoInfer<Id>): void
  children: ReactNode
  actions?: ReactNode
}

/** Tabs with their panel. Arrow keys move between them. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children, actions }: Props<Id>) {
  const base = useId()
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const at = tabs.findIndex(({ id }) => id === selected)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (!next) return
    onSelect(next.id)
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    <div>
      <div className="flex items-center justify-between gap-3 border-b border-line px-3">
        <div ref={list} role="tablist" aria-label={label} className="flex min-w-0 overflow-x-auto" onKeyDown={move}>
          {tabs.map((tab) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              data-tab={tab.id}
              id={`${base}-${tab.id}`}
              aria-selected={tab.id === selected}
              aria-controls={`${base}-panel`}
              tabIndex={tab.id === selected ? 0 : -1}
              onClick={() => onSelect(tab.id)}
              className="-mb-px shrink-0 border-b-2 border-transparent px-3 py-2.5 font-semibold text-muted hover:text-ink aria-selected:border-accent-ink aria-selected:text-ink"
            >
              {tab.label}
            </button>
          ))}
        </div>
        {actions}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${selected}`}>
        {children}
      </div>
    </div>
  )
}

interface ChoiceProps<Id extends string> {
  label: string
  options: readonly { id: Id; label: string }[]
  selected: NoInfer<Id>
  onSelect(id: NoInfer<Id>): void
}

/** A row of buttons of which one is pressed. */
export function Choice<Id extends string>({ label, options, selected, onSelect }: ChoiceProps<Id>) {
  return (
    <fieldset className="flex min-w-0 max-w-full overflow-x-auto rounded-md bg-sunken p-0.5" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.id}
          type="button"
          aria-pressed={option.id === selected}
          onClick={() => onSelect(option.id)}
          className="whitespace-nowrap rounded-[6px] px-2 py-1 text-xs font-semibold text-muted hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink"
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
