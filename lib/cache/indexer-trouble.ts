import type { Stall } from '../concurrency/stall-watch.ts'
import type { Cache } from './cache.ts'

/** Why the active indexer cannot go on, for /health of every process. The reason is public. */
export type Trouble = Stall

/** Without progress for longer, the indexer does not recover by its next attempts. */
export const MAX_TROUBLE_MS = 15_000

const KEY = 'indexer:trouble'
/** Longer than the pauses between two attempts of the indexer. */
const TTL_SECONDS = 60

/** Stores or, with null, removes it. Never rejects: /health reports an unreachable cache itself. */
export async function writeTrouble(cache: Cache, trouble: Trouble | null): Promise<void> {
  const written = trouble ? cache.set(KEY, JSON.stringify(trouble), TTL_SECONDS) : cache.delete(KEY)
  await written.catch(() => {})
}

/** Null if the indexer goes on, or the cache is unreachable. */
export async function readTrouble(cache: Cache): Promise<Trouble | null> {
  const found = await cache.get(KEY).catch(() => null)
  return found === null ? null : (JSON.parse(found) as Trouble)
}
