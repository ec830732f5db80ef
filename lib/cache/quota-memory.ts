import { LRUCache } from 'lru-cache'
import type { ConsumeResult, Consumption, KeyedQuota } from './cache.ts'
import { limitEntries } from './limit-entries.ts'

/*
 * Sliding window: consumption is counted in slots of a twelfth of the window, and the window moves by whole slots.
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

const slotAt = (time: number, windowMs: number): number => Math.floor(time / (windowMs / SLOTS))

/** The units of one key, by slot: those of the current slot and of the SLOTS before it, in a ring. */
class Window {
  readonly #units: number[] = new Array(SLOTS + 1).fill(0)
  #slot: number
  /** No slot before this one has units. */
  #first: number
  used = 0

  constructor(slot: number) {
    this.#slot = slot
    this.#first = slot
  }

  /** Makes a slot the current one. Units that leave the window no longer count. */
  moveTo(slot: number): void {
    // After a long pause, every place of the ring is emptied once.
    if (slot - this.#slot > this.#units.length) this.#slot = slot - this.#units.length
    while (this.#slot < slot) {
      this.#slot += 1
      const place = this.#placeOf(this.#slot)
      this.used -= this.#units[place]!
      this.#units[place] = 0
    }
  }

  add(units: number): void {
    this.#units[this.#placeOf(this.#slot)]! += units
    this.used += units
  }

  /** Takes one unit out of a slot that has any. */
  removeFrom(slot: number): void {
    const place = this.#placeOf(slot)
    if (slot > this.#slot || slot < this.#slot - SLOTS || !this.#units[place]) return
    this.#units[place]! -= 1
    this.used -= 1
  }

  /** The first slot with units; undefined without any. */
  findOldest(): number | undefined {
    if (this.used === 0) return undefined
    if (this.#first < this.#slot - SLOTS) this.#first = this.#slot - SLOTS
    while (this.#first < this.#slot && this.#units[this.#placeOf(this.#first)] === 0) this.#first += 1
    return this.#first
  }

  #placeOf(slot: number): number {
    return slot % this.#units.length
  }
}

/** Counts quotas in this process. consume() takes from all quotas or from none. */
export function createQuotaMemory({ max = MAX_CLIENTS, now = () => performance.now() }: Options = {}) {
  const windows = new LRUCache<string, Window>(limitEntries(max))

  const openWindow = ({ key, windowMs }: KeyedQuota, time: number): Window => {
    const slot = slotAt(time, windowMs)
    let window = windows.get(key)
    if (window === undefined) {
      window = new Window(slot)
      windows.set(key, window)
    }
    window.moveTo(slot)
    return window
  }

  const consume = (quotas: readonly KeyedQuota[]): ConsumeResult => {
    const time = now()
    const opened = quotas.map((quota) => openWindow(quota, time))
    const granted = quotas.every(({ limit, cost = 1 }, at) => opened[at]!.used + cost <= limit)
    const usages = quotas.map(({ windowMs, cost = 1 }, at) => {
      const window = opened[at]!
      if (granted) window.add(cost)
      const oldest = window.findOldest()
      const slotMs = windowMs / SLOTS
      const resetMs = oldest === undefined ? 0 : Math.ceil((oldest + SLOTS + 1) * slotMs - time)
      return { used: window.used, resetMs, slot: slotAt(time, windowMs) }
    })
    return { granted, usages }
  }

  const refund = ({ key, slot }: Consumption): void => windows.get(key)?.removeFrom(slot)

  return { consume, refund }
}
