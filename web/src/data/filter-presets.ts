import { useState } from 'react'
import { storage } from '../lib/storage.ts'
import { type Filters, pickFilters } from './token-filters.ts'
import { SORTS, type Sort } from './tokens.ts'

const KEY = 'slipway.filter-presets'
const MAX_PRESETS = 12
export const MAX_PRESET_NAME = 24

/** Filters with an order, under a name. */
export interface Preset {
  name: string
  filters: Filters
  sort: Sort
}

/** Those that every visitor has. */
export const COMMON_PRESETS: readonly Preset[] = [
  { name: 'New and traded', sort: 'newest', filters: { maxAge: 3_600, 'minTrades.h1': 5 } },
  { name: 'Nearly graduated', sort: 'curve', filters: { status: 'curve', minProgressPct: 70 } },
  { name: 'Spread supply', sort: 'mcap', filters: { minHolders: 10, maxTop10Pct: 40, maxCreatorHeldPct: 5 } },
]

/** The presets that this browser keeps, in the order in which they were saved. */
export function useFilterPresets() {
  const [presets, setPresets] = useState(readStored)
  const change = (next: readonly Preset[]) => {
    setPresets(next)
    store(next)
  }
  return {
    presets,
    isFull: presets.length >= MAX_PRESETS,
    /** Replaces one of the same name. */
    save: (preset: Preset) =>
      change([...presets.filter(({ name }) => name !== preset.name), preset].slice(-MAX_PRESETS)),
    remove: (removed: string) => change(presets.filter(({ name }) => name !== removed)),
  }
}

function readStored(): readonly Preset[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.flatMap(toPreset).slice(0, MAX_PRESETS) : []
  } catch {
    return []
  }
}

/** A stored preset may be damaged, or from another version. */
function toPreset(stored: unknown): Preset[] {
  const { name, filters, sort } = (stored ?? {}) as { name?: unknown; filters?: unknown; sort?: unknown }
  if (typeof name !== 'string' || name === '' || name.length > MAX_PRESET_NAME) return []
  if (typeof filters !== 'object' || filters === null) return []
  const order = SORTS.find(({ id }) => id === sort)?.id ?? 'trending'
  return [{ name, filters: pickFilters(filters as Record<string, unknown>), sort: order }]
}

const store = (presets: readonly Preset[]): void => storage.setItem(KEY, JSON.stringify(presets))
