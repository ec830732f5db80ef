import { type FormEvent, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { COMMON_PRESETS, MAX_PRESET_NAME, type Preset, useFilterPresets } from '../../../data/filter-presets.ts'
import type { Filters } from '../../../data/token-filters.ts'
import type { Sort } from '../../../data/tokens.ts'

interface Props {
  filters: Filters
  sort: Sort
  apply(preset: Preset): void
}

/** Presets of filters: the common ones, and those that this browser keeps. */
export function PresetList({ filters, sort, apply }: Props) {
  const { presets, isFull, save, remove } = useFilterPresets()
  const isShown = (preset: Preset) => preset.sort === sort && isEqual(preset.filters, filters)
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <span className="text-xs font-semibold text-muted">Presets</span>
      {COMMON_PRESETS.map((preset) => (
        <span key={preset.name} className={frameClass}>
          <Choose preset={preset} isShown={isShown(preset)} apply={apply} />
        </span>
      ))}
      {presets.map((preset) => (
        <span key={`own-${preset.name}`} className={frameClass}>
          <Choose preset={preset} isShown={isShown(preset)} apply={apply} />
          <button
            type="button"
            aria-label={`Delete the preset ${preset.name}`}
            onClick={() => remove(preset.name)}
            className="pr-2 text-faint hover:text-ink"
          >
            <Icon name="close" className="size-3" />
          </button>
        </span>
      ))}
      {Object.keys(filters).length > 0 && !presets.some(isShown) && (
        <SaveForm isFull={isFull} onSave={(name) => save({ name, filters, sort })} />
      )}
    </div>
  )
}

const frameClass = 'inline-flex max-w-full items-center rounded-md border border-line-strong'

interface ChooseProps {
  preset: Preset
  isShown: boolean
  apply(preset: Preset): void
}

function Choose({ preset, isShown, apply }: ChooseProps) {
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={() => apply(preset)}
      className="min-w-0 truncate rounded-md px-2.5 py-1 text-xs font-semibold text-muted hover:text-ink aria-pressed:bg-accent-soft aria-pressed:text-accent-ink"
    >
      {preset.name}
    </button>
  )
}

function SaveForm({ isFull, onSave }: { isFull: boolean; onSave(name: string): void }) {
  const [name, setName] = useState<string>()
  if (isFull) return <span className="text-2xs text-faint">Delete a preset to save another.</span>
  if (name === undefined)
    return (
      <Button size="sm" kind="ghost" onClick={() => setName('')}>
        <Icon name="plus" className="size-3.5" />
        Save as preset
      </Button>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    onSave(name.trim())
    setName(undefined)
  }
  return (
    <form onSubmit={submit} className="flex gap-1.5">
      <input
        // biome-ignore lint/a11y/noAutofocus: the button that was pressed becomes this field
        autoFocus
        aria-label="Name of the preset"
        placeholder="Name"
        autoComplete="off"
        maxLength={MAX_PRESET_NAME}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          setName(undefined)
        }}
        className="field h-7 w-32 px-2 py-0.5 text-xs"
      />
      <Button type="submit" size="sm" kind="primary" disabled={name.trim() === ''}>
        Save
      </Button>
    </form>
  )
}

const isEqual = (a: Filters, b: Filters) => {
  const written = (filters: Filters) =>
    Object.entries(filters)
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join('&')
  return written(a) === written(b)
}
