import { LRUCache } from 'lru-cache'
import { limitEntries } from '../cache/limit-entries.ts'
import { createCircuitBreaker } from '../concurrency/circuit-breaker.ts'

/** Maximum delay until a process sees another process's revocation when it attributes requests to a wallet. */
const VALID_TTL_MS = 5_000
const REVOKED_TTL_MS = 600_000
const MAX_TOKENS = 50_000

/** Reads a token's revocation from the shared store. */
type LookUp = () => Promise<boolean>

/** Caches revocations in this process, so that rate limiting needs no lookup for each request. Never used to grant access. */
export interface RevocationCache {
  /** Whether the token is revoked; undefined if not cached. */
  getCached(jti: string): boolean | undefined
  /** Looks a token up; concurrent calls share one lookup. Resolves to true if the lookup fails. */
  lookUp(jti: string, isRevoked: LookUp): Promise<boolean>
  /** Stores a revocation, which is permanent. */
  store(jti: string): void
}

export function createRevocationCache(): RevocationCache {
  const known = new LRUCache<string, boolean, LookUp>({
    ...limitEntries(MAX_TOKENS),
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
