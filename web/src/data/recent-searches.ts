import { useState } from 'react'
import { storage } from '../lib/storage.ts'

const KEY = 'slipway.searches'
const MAX_ENTRIES = 5

/** A result that was chosen. */
export interface RecentSearch {
  kind: 'token' | 'wallet'
  address: string
  label: string
}

/** The results that this browser chose last, newest first. */
export function useRecentSearches() {
  const [entries, setEntries] = useState(readStored)
  const change = (next: readonly RecentSearch[]) => {
    setEntries(next)
    store(next)
  }
  return {
    entries,
    add: (entry: RecentSearch) =>
      change([entry, ...entries.filter(({ address }) => address !== entry.address)].slice(0, MAX_ENTRIES)),
    clear: () => change([]),
  }
}

function readStored(): readonly RecentSearch[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isEntry).slice(0, MAX_ENTRIES) : []
  } catch {
    return []
  }
}

const isEntry = (value: unknown): value is RecentSearch => {
  const { kind, address, label } = (value ?? {}) as Partial<RecentSearch>
  return (
    (kind === 'token' || kind === 'wallet') && typeof label === 'string' && /^0x[0-9a-f]{40}$/.test(String(address))
  )
}

function store(entries: readonly RecentSearch[]): void {
  if (entries.length === 0) storage.removeItem(KEY)
  else storage.setItem(KEY, JSON.stringify(entries))
}
