import type { Cache } from './cache.ts'

/** What /health of every process shows about the keeper. Public. */
export interface KeeperState {
  /** Its account. */
  address: string
  /** Coins of the account, in wei; null before the first response of a node. */
  balance: string | null
  /** Completed tokens that wait for their graduation. */
  waiting: number
  /** Why they wait; null if nothing is wrong. */
  problem: string | null
  /** Unix milliseconds since when there is a problem. */
  since: number | null
}

/** A problem that lasts longer needs the operator. */
export const MAX_KEEPER_PROBLEM_MS = 60_000

const KEY = 'keeper:state'
/** Longer than the keeper's rounds. */
const TTL_SECONDS = 120

/** Never rejects: /health reports an unreachable cache itself. */
export const writeKeeperState = (cache: Cache, state: KeeperState): Promise<void> =>
  cache.set(KEY, JSON.stringify(state), TTL_SECONDS).catch(() => {})

/** Null if no keeper runs, or the cache is unreachable. */
export async function readKeeperState(cache: Cache): Promise<KeeperState | null> {
  const found = await cache.get(KEY).catch(() => null)
  return found === null ? null : (JSON.parse(found) as KeeperState)
}
