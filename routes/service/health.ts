import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Header } from '../../chain/rpc/client.ts'
import { createHeadCheck } from '../../chain/rpc/head-age.ts'
import { NodeBudget } from '../../chain/rpc/node-budget.ts'
import type { BulkLoad } from '../../db/bulk-load.ts'
import type { Db } from '../../db/client.ts'
import { NoHostError } from '../../db/postgres/hosts.ts'
import { findIndexedRange, listAdded } from '../../db/queries/deployments/deployments.ts'
import { heartbeatAge, leaseHolder } from '../../db/queries/indexer-lease.ts'
import { describeWriteFailure, writeFailure } from '../../db/write-failure.ts'
import { AppError, isAppError, SetupError } from '../../errors.ts'
import { MAX_TROUBLE_MS, readTrouble, type Trouble } from '../../lib/cache/indexer-trouble.ts'
import { MAX_KEEPER_PROBLEM_MS, readKeeperState } from '../../lib/cache/keeper-state.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toAddedDeployment } from '../../records/operators/to-deployment.ts'
import { Envelope, ok, ref } from '../../schemas/common.ts'
import { Alive, Health, Ready } from '../../schemas/health.ts'

const CHECK_DEADLINE_MS = 2_000
/** A standby takes over within 15 s, so after this time no indexer is active. */
const MAX_HEARTBEAT_SECONDS = 30

/** Liveness, readiness and health. */
const health: FastifyPluginAsyncTypebox = async (app) => {
  const checkHead = createHeadCheck(app.chain, app.settings.maxBlockAge)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.get(
    '/health',
    {
      config: { healthProbe: true, rateLimitExempt: true, needsDatabase: false },
      schema: {
        operationId: 'getHealth',
        tags: ['Service'],
        summary: 'Check the health of all dependencies',
        description:
          '503 names the failed checks among database, cache, rpc, indexer and keeper. cache fails also if it refuses writes. rpc fails if no node answers, or if ' +
          'the newest block is too old for the chain. indexer fails if it has halted, cannot write, is too far behind, if it ' +
          'makes no progress for 15 s because its steps fail, hang or find nothing certain, with node and method in the message if a node is to blame, if no ' +
          'active indexer has sent a heartbeat for 30 s, or during the first backfill, with its progress in the ' +
          'message. keeper fails if graduations have not gone on for 60 s. A read replica that lags, is down or was promoted is reported but fails ' +
          'no check: the primary serves its reads. Checked at most once per second for all clients.',
        response: { 200: Envelope(ref(Health)), ...failures('UNHEALTHY') },
      },
    },
    async ({ db }) => ok(await app.shareResult('health', () => checkHealth(app, db, checkHead))),
  )

  app.get(
    '/live',
    {
      config: { healthProbe: true, rateLimitExempt: true, needsDatabase: false },
      schema: {
        operationId: 'getLiveness',
        tags: ['Service'],
        summary: 'Check that the process runs',
        description: 'Checks no dependency: an orchestrator restarts the process if this fails.',
        response: { 200: Envelope(ref(Alive)), ...failures() },
      },
    },
    async () => ok({ alive: true as const }),
  )

  app.get(
    '/ready',
    {
      config: { healthProbe: true, rateLimitExempt: true, needsDatabase: false },
      schema: {
        operationId: 'getReadiness',
        tags: ['Service'],
        summary: 'Check that this replica can serve requests',
        description:
          'Fails if neither the primary database nor the read replica can be read. A read replica serves anonymous ' +
          'reads while the primary is down. Most requests work without the cache, a node or an indexer, and other ' +
          'replicas have the same ones; /health reports these. Checked at most once per second.',
        response: { 200: Envelope(ref(Ready)), ...failures('UNHEALTHY') },
      },
    },
    async () => {
      await app
        .shareResult('ready', () => checkReadable(app))
        .catch((cause: unknown) => {
          throw new AppError('UNHEALTHY', { failed: ['database'] }, { cause, retryAfter: 1 })
        })
      return ok({ ready: true as const })
    },
  )
}

export default health

/**
 * Rejects unless this process can read: from the primary, or from its read replica while that is within its lag. Both are asked
 * at once, because a server that is gone may take long to fail.
 */
async function checkReadable({ databases, replica }: FastifyInstance): Promise<void> {
  const sources = replica?.status().state === 'ok' ? [databases.reads, databases.replicaReads] : [databases.reads]
  await timed(() => Promise.any(sources.map((db) => readCheckpoint(db))))
}

/** Throws UNHEALTHY with the names of the failed checks. */
async function checkHealth(app: FastifyInstance, db: Db, checkHead: (head: Header) => Promise<void>) {
  const [database, cache, rpc] = await Promise.allSettled([
    timed(() => readIndexer(db)),
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
  const failed: string[] = []
  for (const [name, check] of Object.entries({ database, cache, rpc })) {
    if (check.status === 'fulfilled' && !(name === 'rpc' && check.value.answer === null)) continue
    app.log.warn({ check: name, err: check.status === 'rejected' ? check.reason : undefined }, 'check failed')
    const reason = check.status === 'rejected' ? explainFailure(check.reason) : ''
    const problem = name === 'rpc' && reason === '' ? problems.join('; ') : reason
    failed.push(problem === '' ? name : `${name} (${problem})`)
  }
  const head = rpc.status === 'fulfilled' ? rpc.value.answer : null
  const checkpoint = database.status === 'fulfilled' ? database.value.answer : undefined
  const indexer = describeIndexer(checkpoint, head, app.settings.maxLagBlocks)
  // A failure to write has its own reason.
  const stuck = (checkpoint?.write_failure ?? null) === null ? describeTrouble(trouble) : undefined
  if (stuck !== undefined) failed.push(stuck)
  else if (indexer === null) failed.push(describeFailure(checkpoint, head))
  if (keeper?.problem && Date.now() - (keeper.since ?? 0) > MAX_KEEPER_PROBLEM_MS)
    failed.push(`keeper (${keeper.problem})`)
  if (failed.length > 0 || !head || !indexer) throw new AppError('UNHEALTHY', { failed }, { retryAfter: 1 })
  return {
    database: { ok: true as const, latencyMs: latencyOf(database) },
    cache: { ok: true as const, latencyMs: latencyOf(cache) },
    rpc: { ok: true as const, latencyMs: latencyOf(rpc), blockNumber: head.number, problems },
    indexer,
    readReplica: app.replica?.status() ?? null,
    keeper: keeper && {
      address: keeper.address,
      balance: keeper.balance,
      waiting: keeper.waiting,
      problem: keeper.problem,
    },
    version: app.settings.version,
    uptimeSeconds: Math.floor(process.uptime()),
  }
}

/** What the public may know of a failed check; empty if nothing. */
function explainFailure(reason: unknown): string {
  if (reason instanceof SetupError) return reason.message.replace(/\.$/, '')
  if (reason instanceof NoHostError) return reason.summary
  return isAppError(reason, 'CACHE_READ_ONLY') ? 'accepts no writes' : ''
}

/** The failed check of an indexer that no longer moves; undefined while it does. */
function describeTrouble(trouble: Trouble | null): string | undefined {
  if (trouble === null || Date.now() - trouble.since < MAX_TROUBLE_MS) return undefined
  const seconds = Math.floor((Date.now() - trouble.since) / 1_000)
  return `indexer (cannot index for ${seconds} s: ${trouble.reason})`
}

interface Checkpoint {
  checkpoint_number: number
  checkpoint_time: number
  halted: string | null
  bulk_load: BulkLoad | null
  /** In seconds, by the clock of the database. */
  heartbeat_age: number | null
  holder: string | null
}

interface IndexerState extends Checkpoint {
  /** Why an indexer cannot write: see db/write-failure.ts. */
  write_failure: number | null
  backfills: { address: string; kind: string; progressPct: number }[]
}

const selectCheckpoint = (db: Db) =>
  db
    .selectFrom('chain_state')
    .select(['checkpoint_number', 'checkpoint_time', 'halted', heartbeatAge, leaseHolder])
    .select((eb) => eb.ref('bulk_load').$castTo<BulkLoad | null>().as('bulk_load'))

const readCheckpoint = (db: Db): Promise<Checkpoint | undefined> => selectCheckpoint(db).executeTakeFirst()

async function readIndexer(db: Db): Promise<IndexerState | undefined> {
  const state = await selectCheckpoint(db).select(writeFailure).executeTakeFirst()
  return state && { ...state, backfills: await listBackfills(db) }
}

/** Most services have none: then nothing else is read. */
async function listBackfills(db: Db): Promise<IndexerState['backfills']> {
  const open = (await listAdded(db)).filter((row) => row.followed_from !== null && row.completed_at === null)
  if (open.length === 0) return []
  const indexed = await findIndexedRange(db)
  return open.map((row) => {
    const { address, kind, progressPct } = toAddedDeployment(row, indexed)
    return { address, kind, progressPct }
  })
}

/** The failed check; with the reason if writing fails, during a bulk load with progress and time left. */
function describeFailure(checkpoint: IndexerState | undefined, head: Header | null): string {
  if (checkpoint && checkpoint.write_failure !== null)
    return `indexer (cannot write: ${describeWriteFailure(checkpoint.write_failure)})`
  const load = checkpoint?.bulk_load
  if (!load || !head) return 'indexer'
  const [done, total] = [checkpoint.checkpoint_number - load.from, Math.max(head.number - load.from, 1)]
  if (done >= total) return `indexer (backfilling: creating ${load.indexes.length} indexes)`
  const elapsed = Math.max(0, Date.now() / 1_000 - load.startedAt)
  const left = done > 0 ? `, about ${Math.ceil((elapsed * (total - done)) / done / 60)} min left` : ''
  return `indexer (backfilling: ${Math.floor((100 * done) / total)} % of the blocks${left})`
}

/** Null if the indexer has not started, has halted, cannot write, sends no heartbeat, exceeds the maximum lag, or loads in bulk. */
function describeIndexer(checkpoint: IndexerState | undefined, head: Header | null, maxLagBlocks: number) {
  if (!checkpoint || checkpoint.halted !== null || checkpoint.bulk_load !== null) return null
  if (checkpoint.write_failure !== null) return null
  const { heartbeat_age: heartbeatSeconds, holder } = checkpoint
  if (heartbeatSeconds === null || heartbeatSeconds > MAX_HEARTBEAT_SECONDS) return null
  const lagBlocks = Math.max(0, (head?.number ?? checkpoint.checkpoint_number) - checkpoint.checkpoint_number)
  if (lagBlocks > maxLagBlocks) return null
  const time = checkpoint.checkpoint_time * 1000
  return {
    ok: true as const,
    blockNumber: checkpoint.checkpoint_number,
    blockTime: time > 0 ? new Date(time).toISOString() : null,
    lagBlocks,
    lagSeconds: head === null || lagBlocks === 0 ? 0 : Math.max(0, head.time - checkpoint.checkpoint_time),
    // The last part identifies the process and omits the host.
    leader: holder?.split(':').at(-1) ?? null,
    heartbeatSeconds: Math.round(heartbeatSeconds * 10) / 10,
    backfills: checkpoint.backfills,
  }
}

interface Timed<T> {
  answer: T
  latencyMs: number
}

/** Runs a check with a deadline; a timeout is a failure. */
async function timed<T>(check: () => Promise<T>): Promise<Timed<T>> {
  const start = performance.now()
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('No answer in time')), CHECK_DEADLINE_MS)
  try {
    const answer = await Promise.race([check(), deadline])
    return { answer, latencyMs: Math.round((performance.now() - start) * 100) / 100 }
  } finally {
    clearTimeout(timer)
  }
}

const latencyOf = (check: PromiseSettledResult<Timed<unknown>>) =>
  check.status === 'fulfilled' ? check.value.latencyMs : 0
