import type { Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Header } from '../../chain/rpc/client.ts'
import { NodeBudget } from '../../chain/rpc/node-budget.ts'
import { MAX_TROUBLE_MS, readTrouble, type Trouble } from '../../lib/cache/indexer-trouble.ts'
import { MAX_KEEPER_PROBLEM_MS, readKeeperState } from '../../lib/cache/keeper-state.ts'
import type { Health } from '../../schemas/health.ts'
import { explainFailure } from './explain-failure.ts'
import { explainIndexer, readIndexer, toIndexerHealth } from './read-indexer.ts'
import { CHECK_DEADLINE_MS, timed } from './timed.ts'

export const CHECKS = ['database', 'cache', 'rpc', 'indexer', 'keeper'] as const
type Check = (typeof CHECKS)[number]

export interface HealthReport {
  /** Public reasons by failed check; empty if unknown. */
  failures: ReadonlyMap<Check, string>
  /** Null if a check fails. */
  health: Static<typeof Health> | null
}

/** `onFailure` gets what is not public. */
export async function checkHealth(
  app: FastifyInstance,
  checkHead: (head: Header) => Promise<void>,
  onFailure: (check: Check, error: unknown) => void,
): Promise<HealthReport> {
  const [database, cache, rpc] = await Promise.allSettled([
    timed(() => readIndexer(app.databases.reads)),
    timed(() => app.cache.probe()),
    timed(() =>
      new NodeBudget(CHECK_DEADLINE_MS).run(async () => {
        const head = await app.chain.getHeader('latest')
        if (head) await checkHead(head)
        return head
      }),
    ),
  ])
  const [trouble, keeper] = await Promise.all([readTrouble(app.cache), readKeeperState(app.cache)])
  const problems = app.chain.nodes.describeProblems()
  const failures = new Map<Check, string>()
  for (const [name, check] of Object.entries({ database, cache, rpc })) {
    if (check.status === 'fulfilled' && !(name === 'rpc' && check.value.answer === null)) continue
    onFailure(name as Check, check.status === 'rejected' ? check.reason : undefined)
    const reason = check.status === 'rejected' ? explainFailure(check.reason) : ''
    failures.set(name as Check, (name === 'rpc' && problems.join('; ')) || reason)
  }
  const head = rpc.status === 'fulfilled' ? rpc.value.answer : null
  const state = database.status === 'fulfilled' ? database.value.answer : undefined
  const indexer =
    database.status === 'fulfilled'
      ? explainIndexer(state, head, app.settings.maxLagBlocks)
      : 'unknown without the database'
  // A failure to write has its own reason.
  const stuck = (state?.write_failure ?? null) === null ? describeTrouble(trouble) : undefined
  const indexerFailure = stuck ?? indexer
  if (indexerFailure !== null) failures.set('indexer', indexerFailure)
  if (keeper?.problem && Date.now() - (keeper.since ?? 0) > MAX_KEEPER_PROBLEM_MS)
    failures.set('keeper', keeper.problem)
  if (failures.size > 0 || !head || !state) return { failures, health: null }
  return {
    failures,
    health: {
      database: { ok: true, latencyMs: latencyOf(database) },
      cache: { ok: true, latencyMs: latencyOf(cache) },
      rpc: { ok: true, latencyMs: latencyOf(rpc), blockNumber: head.number, problems },
      indexer: toIndexerHealth(state, head),
      readReplica: app.replica?.status() ?? null,
      keeper: keeper && {
        address: keeper.address,
        balance: keeper.balance,
        waiting: keeper.waiting,
        problem: keeper.problem,
      },
      version: app.settings.version,
      uptimeSeconds: Math.floor(process.uptime()),
    },
  }
}

/** Why an indexer no longer moves; undefined while it does. */
function describeTrouble(trouble: Trouble | null): string | undefined {
  if (trouble === null || Date.now() - trouble.since < MAX_TROUBLE_MS) return undefined
  return `cannot index for ${Math.floor((Date.now() - trouble.since) / 1_000)} s: ${trouble.reason}`
}

const latencyOf = (check: PromiseSettledResult<{ latencyMs: number }>) =>
  check.status === 'fulfilled' ? check.value.latencyMs : 0
