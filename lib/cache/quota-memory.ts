import { LRUCache } from 'lru-cache'
import type { ConsumeResult, Consumption, KeyedQuota } from './cache.ts'

/*
 * A quota holds over every window, wherever it begins: takings are counted in slots of a twelfth of the window, and a slot
 * counts until it lies wholly outside. A counter per fixed window would let a client have its quota twice around an edge,
 * and a bucket that refills lets it have it twice in its first window. The price is that what was taken comes back up to
 * a twelfth late. quota-redis.ts does the same arithmetic where replicas share it.
 */
export const SLOTS = 12

/** Clients remembered at once; beyond that, whoever was seen least recently is forgotten, and has a whole quota again. */
const MAX_CLIENTS = 50_000

interface Options {
  max?: number
  /** Milliseconds of any clock that does not go backwards. */
  now?: () => number
}

/** Counts quotas in this process. Spending takes one of each quota, or of none. */
export function createQuotaMemory({ max = MAX_CLIENTS, now = () => performance.now() }: Options = {}) {
  /** Takings by slot, under each key, the oldest first. */
  const consumed = new LRUCache<string, Map<number, number>>({ max })

  const readWindow = ({ key, limit, windowMs, cost = 1 }: KeyedQuota, time: number) => {
    const slotMs = windowMs / SLOTS
    const slot = Math.floor(time / slotMs)
    const slots = consumed.get(key) ?? new Map<number, number>()
    let used = 0
    for (const [number, count] of slots) {
      if (number < slot - SLOTS) slots.delete(number)
      else used += count
    }
    return { key, limit, cost, slots, slot, slotMs, used }
  }

  const consume = (quotas: readonly KeyedQuota[]): ConsumeResult => {
    const at = now()
    const windows = quotas.map((quota) => readWindow(quota, at))
    const granted = windows.every(({ used, limit, cost }) => used + cost <= limit)
    const usages = windows.map(({ key, cost, slots, slot, slotMs, used }) => {
      if (granted) {
        slots.set(slot, (slots.get(slot) ?? 0) + cost)
        consumed.set(key, slots)
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
