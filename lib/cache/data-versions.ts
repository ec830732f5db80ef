import { LRUCache } from 'lru-cache'
import { limitEntries } from './limit-entries.ts'

/**
 * A name of data that changes together. A commit names the cache tags that it changes, a response those that it depends on.
 *
 * - chain: what every block changes: the clock at which windows end, the final height, the price of the native coin
 * - market: whatever lists, ranks or sums tokens and wallets
 * - token: a single token, with its trades, holders and candles; `token:<address>` in changes
 * - social: profiles and comments
 * - staking, raises: their pools and raises
 */
export type CacheTag = 'chain' | 'market' | 'token' | 'social' | 'staking' | 'raises'

/** Every cache tag: for commits that may have changed anything. */
export const ALL_CACHE_TAGS: readonly CacheTag[] = ['chain', 'market', 'token', 'social', 'staking', 'raises']

/** The cache tag of one token. A change of `token` changes all of them. */
export const cacheTagOf = (token: string): string => `token:${token}`

/** A committed change. */
export interface DataChange {
  /** Its place in the order of commits: the sequence number of its event in the outbox. */
  seq: number
  cacheTags: readonly string[]
}

/** A response may be served this long after changes were last known completely. */
const FRESH_MS = 1_000
const MAX_CACHE_TAGS = 100_000

/**
 * The changes that this process knows, by cache tag. `head` is the last of them: a read on the primary that starts now
 * sees it and all before it, so a response can be stamped with it.
 */
export class DataVersions {
  head: number
  #freshUntil = 0
  /** For cache tags that are not tracked any more. */
  #floor: number
  readonly #changedAt = new LRUCache<string, number>({
    ...limitEntries(MAX_CACHE_TAGS),
    dispose: (seq, _cacheTag, reason) => {
      if (reason === 'evict') this.#floor = Math.max(this.#floor, seq)
    },
  })
  readonly #now: () => number

  /** `head`: the last committed change when the process started. */
  constructor(head: number, now = () => performance.now()) {
    this.head = head
    this.#floor = head
    this.#now = now
  }

  /** Records a change. Changes may come twice and in any order. */
  advance({ seq, cacheTags }: DataChange): void {
    this.head = Math.max(this.head, seq)
    for (const cacheTag of cacheTags) {
      if (seq > (this.#changedAt.peek(cacheTag) ?? -1)) this.#changedAt.set(cacheTag, seq)
    }
  }

  /** Records that all changes committed before `time` (of performance.now) are known. */
  confirm(time: number): void {
    this.#freshUntil = Math.max(this.#freshUntil, time + FRESH_MS)
  }

  /**
   * Whether data of these cache tags is the same now as at a version. False while changes of other processes may have
   * been missed for longer than a second.
   */
  isCurrent(cacheTags: readonly string[], version: number): boolean {
    if (this.#now() >= this.#freshUntil) return false
    for (const cacheTag of cacheTags) if ((this.#changedAt.get(cacheTag) ?? this.#floor) > version) return false
    return true
  }
}
