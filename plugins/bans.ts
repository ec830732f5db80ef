import type { FastifyInstance } from 'fastify'
import { isWalletBanned } from '../db/queries/profiles.ts'

/** How long a replica may go without asking the database about a wallet. A ban itself is known at once. */
const MEMORY_SECONDS = 300

const banKey = (wallet: string) => `banned:${wallet}`

/** Whether a wallet is banned, from the cache where it is known there. The database knows as well, if more slowly. */
export async function isBanned({ cache, db }: Pick<FastifyInstance, 'cache' | 'db'>, wallet: string): Promise<boolean> {
  const known = await cache.get(banKey(wallet)).catch(() => null)
  if (known !== null) return known === '1'
  const banned = await isWalletBanned(db, wallet)
  // Never over what is there: a ban that came between the two answers has said so already.
  await cache.setIfAbsent(banKey(wallet), banned ? '1' : '0', MEMORY_SECONDS).catch(() => {})
  return banned
}

/** Makes a ban, or its end, known to all replicas. After the commit: until then it may still fail. */
export async function announceBan({ cache }: Pick<FastifyInstance, 'cache'>, wallet: string, banned: boolean) {
  await cache.set(banKey(wallet), banned ? '1' : '0', MEMORY_SECONDS)
}
