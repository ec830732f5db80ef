import { LRUCache } from 'lru-cache'
import { limitEntries } from './limit-entries.ts'

/**
 * Data that changes together. A commit names the concerns that it changes, an answer those that it depends on.
 *
 * - chain: what every block changes: the clock at which windows end, the final height, the price of the native coin
 * - market: whatever lists, ranks or sums tokens and wallets
 * - token: a single token, with its trades, holders and candles; `token:<address>` in changes
 * - social: profiles and comments
 * - staking, raises: their pools and raises
 */
export type Concern = 'chain' | 'market' | 'token' | 'social' | 'staking' | 'raises'

/** Every concern: for commits that may have changed anything. */
export const ALL_CONCERNS: readonly Concern[] = ['chain', 'market', 'token', 'social', 'staking', 'raises']

/** The concern of one token. A change of `token` changes all of them. */
export const concernOf = (token: string): string => `token:${token}`

/** A committed change. */
export interface DataChange {
  /** Its place in the order of commits: the sequence number of its event in the outbox. */
  seq: number
  concerns: readonly string[]
}

/** An answer may be served this long after changes were last known completely. */
const FRESH_MS = 1_000
const MAX_CONCERNS = 100_000

/**
 * The changes that this process knows, by concern. `head` is the last of them: a read on the primary that starts now
 * sees it and all before it, so an answer can be stamped with it.
 */
export class DataVersions {
  head: number
  #freshUntil = 0
  /** For concerns that are not tracked any more. */
  #floor: number
  readonly #changedAt = new LRUCache<string, number>({
    ...limitEntries(MAX_CONCERNS),
    dispose: (seq, _concern, reason) => {
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
  advance({ seq, concerns }: DataChange): void {
    this.head = Math.max(this.head, seq)
    for (const concern of concerns) {
      if (seq > (this.#changedAt.peek(concern) ?? -1)) this.#changedAt.set(concern, seq)
    }
  }

  /** Records that all changes committed before `time` (of performance.now) are known. */
  confirm(time: number): void {
    this.#freshUntil = Math.max(this.#freshUntil, time + FRESH_MS)
  }

  /**
   * Whether data of these concerns is the same now as at a version. False while changes of other processes may have
   * been missed for longer than a second.
   */
  isCurrent(concerns: readonly string[], version: number): boolean {
    if (this.#now() >= this.#freshUntil) return false
    for (const concern of concerns) if ((this.#changedAt.get(concern) ?? this.#floor) > version) return false
    return true
  }
}
