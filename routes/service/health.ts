import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { findCheckpoint } from '../../db/queries/chain-state.ts'
import { AppError } from '../../errors.ts'
import { timed } from '../../features/health/timed.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { Envelope, ok, ref } from '../../schemas/common.ts'
import { Alive, Health, Ready } from '../../schemas/health.ts'

/** Liveness, readiness and health. */
const health: FastifyPluginAsyncTypebox = async (app) => {
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
          '503 names the failed checks among database, cache, rpc, indexer and keeper, with the reasons. cache fails also if it refuses writes. rpc fails if no node answers, or if ' +
          'the newest block is too old for the chain. indexer fails if it has halted, cannot write, is too far behind, if it ' +
          'makes no progress for 15 s because its steps fail, hang or find nothing certain, with node and method in the message if a node is to blame, if no ' +
          'active indexer has sent a heartbeat for 30 s, or during the first backfill, with its progress in the ' +
          'message. keeper fails if graduations have not gone on for 60 s. A read replica that lags, is down or was promoted is reported but fails ' +
          'no check: the primary serves its reads. Checked at most once per second for all clients.',
        response: { 200: Envelope(ref(Health)), ...failures('UNHEALTHY') },
      },
    },
    async () => {
      const { failures: failed, health } = await app.checkHealth()
      if (health) return ok(health)
      const named = [...failed].map(([name, reason]) => (reason === '' ? name : `${name} (${reason})`))
      throw new AppError('UNHEALTHY', { failed: named }, { retryAfter: 1 })
    },
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
  await timed(() => Promise.any(sources.map((db) => findCheckpoint(db))))
}
