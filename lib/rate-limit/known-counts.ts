import { LRUCache } from 'lru-cache'
import type { Count } from '../cache/cache.ts'
import { limitEntries } from '../cache/limit-entries.ts'

interface Known {
  value: number
  endsAt: number
}

/** What this process knows of the counts of each window: what the shared cache said last, and what it has counted since. */
export class KnownCounts {
  readonly #counts: LRUCache<string, Known>

  constructor(maximum: number) {
    this.#counts = new LRUCache(limitEntries(maximum))
  }

  /** Counts one more without the cache. */
  add(key: string, windowMs: number): Count {
    const open = this.#find(key)
    return this.#store(key, {
      value: (open?.value ?? 0) + 1,
      endsAt: open?.endsAt ?? performance.now() + windowMs,
    })
  }

  /**
   * The count after an increment in the cache, unless this process knows of more in the window. `startedAt`: before the increment,
   * so that a window ends here no later than in the cache.
   */
  raise(key: string, { value, resetMs }: Count, startedAt: number): Count {
    const open = this.#find(key)
    const isLost = open !== undefined && open.value >= value
    return this.#store(key, isLost ? { ...open, value: open.value + 1 } : { value, endsAt: startedAt + resetMs })
  }

  #find(key: string): Known | undefined {
    const known = this.#counts.get(key)
    return known !== undefined && known.endsAt > performance.now() ? known : undefined
  }

  #store(key: string, known: Known): Count {
    this.#counts.set(key, known)
    return { value: known.value, resetMs: Math.max(0, Math.ceil(known.endsAt - performance.now())) }
  }
}
