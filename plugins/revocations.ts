import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { addRevokedToken, isTokenRevoked } from '../db/queries/revoked-tokens.ts'
import { createBreaker } from '../lib/concurrency/circuit-breaker.ts'
import { toAppError } from './errors.ts'

type Stores = Pick<FastifyInstance, 'cache' | 'db'>

/** How long the cache answers for the database about a token. A revocation itself is known at once. */
const MEMORY_SECONDS = 300

const revocationKey = (jti: string) => `revoked:${jti}`

/**
 * Whether a token was revoked: by the cache where it knows, else by the database, which is asked once and then remembered. So a
 * cache that was emptied, or that has evicted what it knew, lets nobody in. Rejects while either of the two is needed and away.
 */
export async function isRevoked({ cache, db }: Stores, jti: string): Promise<boolean> {
  const known = await cache.get(revocationKey(jti))
  if (known !== null) return known === '1'
  const revoked = await isTokenRevoked(db, jti).catch((error: unknown) => {
    throw toAppError(error)
  })
  // Never over what is there: a revocation that came between the two answers has said so already.
  await cache.setIfAbsent(revocationKey(jti), revoked ? '1' : '0', MEMORY_SECONDS).catch(() => {})
  return revoked
}

/** Revokes a token for good, then lets all replicas know. If the latter fails the caller must hear of it, and may repeat. */
export async function revoke({ cache, db }: Stores, { jti, exp }: { jti: string; exp: number }): Promise<void> {
  await addRevokedToken(db, { jti, exp })
  await cache.set(revocationKey(jti), '1', Math.max(1, exp - Date.now() / 1000))
}

/** How long a process may count a token against its wallet after another process has revoked it. */
const UNREVOKED_MEMORY_MS = 5_000
const REVOKED_MEMORY_MS = 600_000
const MAX_TOKENS = 50_000

/** What a process remembers of tokens so that counting a request needs no look-up. It never grants access. */
export interface RevocationMemory {
  /** Whether a token was revoked; undefined where that must be looked up. */
  recall(jti: string): boolean | undefined
  /** Looks a token up, once for all that ask at the same time. True as well for one that cannot be checked. */
  lookUp(jti: string): Promise<boolean>
  /** Stores a revocation, which is final. */
  store(jti: string): void
}

export function createRevocationMemory(stores: Stores): RevocationMemory {
  const known = new LRUCache<string, boolean>({
    max: MAX_TOKENS,
    ttl: UNREVOKED_MEMORY_MS,
    ttlResolution: 0,
    fetchMethod: async (jti, _stale, { options }) => {
      const revoked = await isRevoked(stores, jti)
      if (revoked) options.ttl = REVOKED_MEMORY_MS
      return revoked
    },
  })
  const breaker = createBreaker({ failures: 3, restMs: 1_000 })
  return {
    recall: (jti) => known.get(jti),
    lookUp: async (jti) => {
      if (breaker.enter() > 0) return true
      try {
        const revoked = await known.fetch(jti)
        breaker.succeed()
        return revoked !== false
      } catch {
        breaker.fail()
        return true
      }
    },
    store: (jti) => void known.set(jti, true, { ttl: REVOKED_MEMORY_MS }),
  }
}
