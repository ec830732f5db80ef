import type { FastifyInstance } from 'fastify'
import type { KeyedQuota, Spending, Taking } from '../cache/cache.ts'
import { createQuotaMemory } from '../cache/quota-memory.ts'
import { createBreaker } from '../concurrency/circuit-breaker.ts'

export interface Entry extends Spending {
  /** Makes the taking of one of the quotas not have been, where it was counted. If that fails it stays. */
  giveBack(taking: Taking): Promise<void>
}

/** Counts quotas in the cache, for all replicas, and in this process while the cache fails. */
export function createLedger({ cache, log }: Pick<FastifyInstance, 'cache' | 'log'>) {
  const here = createQuotaMemory()
  const breaker = createBreaker({
    failures: 3,
    restMs: 1_000,
    onOpen: () => log.warn('The cache fails; until it is back each replica counts quotas by itself'),
  })
  const spendHere = (drawn: readonly KeyedQuota[]): Entry => ({
    ...here.spend(drawn),
    giveBack: async (taking) => here.giveBack(taking),
  })
  return async (drawn: readonly KeyedQuota[]): Promise<Entry> => {
    if (breaker.enter() > 0) return spendHere(drawn)
    try {
      const spending = await cache.spend(drawn)
      breaker.succeed()
      return { ...spending, giveBack: (taking) => cache.giveBack(taking).catch(() => {}) }
    } catch {
      breaker.fail()
      return spendHere(drawn)
    }
  }
}
