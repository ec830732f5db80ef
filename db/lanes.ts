import { AsyncLocalStorage } from 'node:async_hooks'
import type { PostgresPool } from 'kysely'

const scope = new AsyncLocalStorage<'writes'>()

/** Runs something whose queries have connections of their own: reads, however many, do not keep it waiting. */
export const writing = <T>(work: () => T): T => scope.run('writes', work)

/** The pool of whatever is being done: see writing(). */
export function routeToLane({ reads, writes }: { reads: PostgresPool; writes: PostgresPool }): PostgresPool {
  return {
    connect: () => (scope.getStore() === 'writes' ? writes : reads).connect(),
    end: async () => {
      await Promise.all([reads.end(), writes.end()])
    },
  }
}
