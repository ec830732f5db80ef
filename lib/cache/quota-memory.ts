import { LRUCache } from 'lru-cache'
import type { ConsumeResult, Consumption, KeyedQuota } from './cache.ts'
import { limitEntries } from './limit-entries.ts'

/*
 * Sliding window: consumption is counted in slots of a twelfth of the window, and a slot counts until it is entirely outside.
 * Fixed windows would allow twice the quota around an edge, a token bucket twice the quota in its first window. The cost: units
 * return up to a twelfth late. quota-redis.ts implements the same algorithm for replicas.
 */
export const SLOTS = 12

/** Keys tracked at once. The least recently used is evicted, which restores its whole quota. */
const MAX_CLIENTS = 50_000

interface Options {
  max?: number
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** Counts quotas in this process. consume() takes from all quotas or from none. */
export function createQuotaMemory({ max = MAX_CLIENTS, now = () => performance.now() }: Options = {}) {
  /** Consumed units by slot, oldest first, for each key. */
  const consumed = new LRUCache<string, Map<number, number>>(limitEntries(max))

  const readWindow = ({ key, limit, windowMs, cost = 1 }: KeyedQuota, time: number) => {
    const slotMs = windowMs / SLOTS
    const slot = Math.floor(time / slotMs)
    const stored = consumed.get(key)
    const slots = stored ?? new Map<number, number>()
    let used = 0
    for (const [number, count] of slots) {
      if (number < slot - SLOTS) slots.delete(number)
      else used += count
    }
    return { key, limit, cost, slots, isNew: stored === undefined, slot, slotMs, used }
  }

  const consume = (quotas: readonly KeyedQuota[]): ConsumeResult => {
    const at = now()
    const windows = quotas.map((quota) => readWindow(quota, at))
    const granted = windows.every(({ used, limit, cost }) => used + cost <= limit)
    const usages = windows.map(({ key, cost, slots, isNew, slot, slotMs, used }) => {
      if (granted) {
        slots.set(slot, (slots.get(slot) ?? 0) + cost)
        if (isNew) consumed.set(key, slots)
      }
      const [oldest] = slots.keys()
      const resetMs = oldest === undefined ? 0 : Math.ceil((oldest + SLOTS + 1) * slotMs - at)
      return { used: granted ? used + cost : used, resetMs, slot }
    })
    return { granted, usages }
  }

  const refund = ({ key, slot }: Consumption): void => {
    const slots = consumed.get(key)
    const count = slots?.get(slot) ?? 0
    if (count > 1) slots?.set(slot, count - 1)
    else slots?.delete(slot)
  }

  return { consume, refund }
}
