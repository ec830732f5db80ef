import type { FastifyInstance } from 'fastify'
import { addRevokedToken, isTokenRevoked } from '../db/queries/revoked-tokens.ts'
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
