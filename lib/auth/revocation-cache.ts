import { LRUCache } from 'lru-cache'
import { createCircuitBreaker } from '../concurrency/circuit-breaker.ts'

/** How long a process may count a token against its wallet after another process has revoked it. */
const VALID_TTL_MS = 5_000
const REVOKED_TTL_MS = 600_000
const MAX_TOKENS = 50_000

/** Looks a token up where all processes see it. */
type LookUp = () => Promise<boolean>

/** What a process remembers of tokens so that counting a request needs no look-up. It never grants access. */
export interface RevocationCache {
  /** Whether a token was revoked; undefined where that must be looked up. */
  getCached(jti: string): boolean | undefined
  /** Looks a token up, once for all that ask at the same time. True as well for one that cannot be checked. */
  lookUp(jti: string, isRevoked: LookUp): Promise<boolean>
  /** Stores a revocation, which is final. */
  store(jti: string): void
}

export function createRevocationCache(): RevocationCache {
  const known = new LRUCache<string, boolean, LookUp>({
    max: MAX_TOKENS,
    ttl: VALID_TTL_MS,
    ttlResolution: 0,
    fetchMethod: async (_jti, _stale, { options, context: isRevoked }) => {
      const revoked = await isRevoked()
      if (revoked) options.ttl = REVOKED_TTL_MS
      return revoked
    },
  })
  const breaker = createCircuitBreaker({ failureThreshold: 3, cooldownMs: 1_000 })
  return {
    getCached: (jti) => known.get(jti),
    lookUp: async (jti, isRevoked) => {
      if (breaker.acquire() > 0) return true
      try {
        const revoked = await known.fetch(jti, { context: isRevoked })
        breaker.recordSuccess()
        return revoked !== false
      } catch {
        breaker.recordFailure()
        return true
      }
    },
    store: (jti) => void known.set(jti, true, { ttl: REVOKED_TTL_MS }),
  }
}
