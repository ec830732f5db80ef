import { readAmount } from '@slipway/sdk/helpers'
import { useSyncExternalStore } from 'react'
import { storage } from '../lib/storage.ts'

const KEY = 'slipway.buy-presets'
const PRESET_COUNT = 4

/** Amounts of the native coin that a click pays, and the one that the buttons of the market pay. */
export interface BuyPresets {
  amounts: readonly string[]
  chosen: number
}

const DEFAULT: BuyPresets = { amounts: ['0.05', '0.1', '0.5', '1'], chosen: 1 }

/** Whether a text is an amount that can be paid, of a coin with 18 decimals at most. */
const isPayable = (text: unknown): boolean =>
  typeof text === 'string' && text.length <= 20 && (readAmount(text, { symbol: '', decimals: 18 }).amount ?? 0n) > 0n

function readStored(): BuyPresets {
  try {
    const { amounts, chosen } = JSON.parse(storage.getItem(KEY) ?? '{}') as Partial<BuyPresets>
    const isValid = Array.isArray(amounts) && amounts.length === PRESET_COUNT && amounts.every(isPayable)
    if (!isValid || typeof chosen !== 'number' || amounts[chosen] === undefined) return DEFAULT
    return { amounts, chosen }
  } catch {
    return DEFAULT
  }
}

let presets = readStored()
const listeners = new Set<() => void>()

function change(next: BuyPresets): void {
  presets = next
  storage.setItem(KEY, JSON.stringify(next))
  for (const listen of listeners) listen()
}

const subscribe = (listen: () => void) => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

/** The presets of this browser, shared by all parts of the page. */
export function useBuyPresets() {
  const { amounts, chosen } = useSyncExternalStore(subscribe, () => presets)
  return {
    amounts,
    chosen,
    amount: amounts[chosen] as string,
    choose: (index: number) => change({ amounts, chosen: index }),
    setAmounts: (next: readonly string[]) => change({ amounts: next, chosen }),
  }
}
