import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'
import { Envelope, failures, ok, ref } from '../schemas/common.ts'
import { Alive, Health, Ready } from '../schemas/health.ts'

const CHECK_DEADLINE_MS = 2_000

/** What an orchestrator and an operator ask: is it alive, may it get traffic, is all of it well. */
const health: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.get(
    '/health',
    {
      config: { vital: true },
      schema: {
        operationId: 'getHealth',
        tags: ['Service'],
        summary: 'Check everything the service stands on',
        description:
          'Fails with 503 and names the failed ones of database, cache, rpc and indexer. A read replica that is late or down ' +
          'is told of and fails nothing: the primary is read instead.',
        response: { 200: Envelope(ref(Health)), ...failures(503) },
      },
    },
    async (request) => {
      const [database, cache, rpc] = await Promise.allSettled([
        timed(() => readCheckpoint(app)),
        timed(() => app.cache.ping()),
        timed(() => app.chain.getHeader('latest')),
      ])
      const failed: string[] = []
      for (const [name, check] of Object.entries({ database, cache, rpc })) {
        if (check.status === 'fulfilled' && !(name === 'rpc' && check.value.answer === null)) continue
        request.log.warn({ check: name, err: check.status === 'rejected' ? check.reason : undefined }, 'check failed')
        failed.push(name)
      }
      const head = rpc.status === 'fulfilled' ? rpc.value.answer : null
      const checkpoint = database.status === 'fulfilled' ? database.value.answer : undefined
      const indexer = describeIndexer(checkpoint, head, app.settings.maxLagBlocks)
      if (indexer === null) failed.push('indexer')
      if (failed.length > 0 || !head || !indexer) throw new AppError('UNHEALTHY', { failed }, { retryAfter: 1 })
      return ok({
        database: { ok: true as const, latencyMs: latencyOf(database) },
        cache: { ok: true as const, latencyMs: latencyOf(cache) },
        rpc: { ok: true as const, latencyMs: latencyOf(rpc), blockNumber: head.number },
        indexer,
        readReplica: app.replica?.status() ?? null,
        version: app.settings.version,
        uptimeSeconds: Math.floor(process.uptime()),
      })
    },
  )

  app.get(
    '/live',
    {
      config: { vital: true },
      schema: {
        operationId: 'getLiveness',
        tags: ['Service'],
        summary: 'Tell whether the process runs',
        description:
          'Looks at nothing but itself: for an orchestrator that must know whether to start the process anew.',
        response: { 200: Envelope(ref(Alive)), ...failures() },
      },
    },
    async () => ok({ alive: true as const }),
  )

  app.get(
    '/ready',
    {
      config: { vital: true },
      schema: {
        operationId: 'getReadiness',
        tags: ['Service'],
        summary: 'Tell whether this replica can answer',
        description:
          'Checks the database, without which nothing can be answered. Without the cache or a node most can, and no ' +
          'other replica could do better, so they do not count here; /health tells of them.',
        response: { 200: Envelope(ref(Ready)), ...failures(503) },
      },
    },
    async () => {
      await timed(() => readCheckpoint(app)).catch((cause: unknown) => {
        throw new AppError('UNHEALTHY', { failed: ['database'] }, { cause, retryAfter: 1 })
      })
      return ok({ ready: true as const })
    },
  )
}

export default health

interface Checkpoint {
  checkpoint_number: number
  checkpoint_time: number
  halted: string | null
}

const readCheckpoint = ({ db }: FastifyInstance): Promise<Checkpoint | undefined> =>
  db.selectFrom('chain_state').select(['checkpoint_number', 'checkpoint_time', 'halted']).executeTakeFirst()

/** Null when the indexer has not begun, has stopped for good, or is further behind than allowed. */
function describeIndexer(checkpoint: Checkpoint | undefined, head: { number: number } | null, maxLagBlocks: number) {
  if (!checkpoint || checkpoint.halted !== null) return null
  const lagBlocks = Math.max(0, (head?.number ?? checkpoint.checkpoint_number) - checkpoint.checkpoint_number)
  if (lagBlocks > maxLagBlocks) return null
  const time = checkpoint.checkpoint_time * 1000
  return {
    ok: true as const,
    blockNumber: checkpoint.checkpoint_number,
    blockTime: time > 0 ? new Date(time).toISOString() : null,
    lagBlocks,
    lagSeconds: lagBlocks === 0 ? 0 : Math.max(0, Math.round((Date.now() - time) / 1000)),
  }
}

interface Timed<T> {
  answer: T
  latencyMs: number
}

/** Runs a check under a deadline: a dependency that hangs is a dependency that is down. */
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
