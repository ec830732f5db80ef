import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { failures } from '../../lib/openapi/failures.ts'

/** What monitoring scrapes: no envelope, since its format is somebody else's. */
const metrics: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/metrics',
    {
      config: { healthProbe: true, needsDatabase: false },
      schema: {
        operationId: 'getMetrics',
        tags: ['Service'],
        summary: 'Measurements for Prometheus',
        description:
          'The text format of Prometheus: requests by operation, connections, caches, the indexer, nodes, the process. ' +
          'Rendered at most once a second, for all who ask. Not served here where the operator has given metrics a port of ' +
          'their own.',
        response: {
          200: {
            description: 'Every metric of this process.',
            content: {
              'text/plain': {
                schema: Type.String({
                  examples: [
                    '# HELP slipway_indexer_lag_blocks Blocks seen and not yet indexed\n' +
                      '# TYPE slipway_indexer_lag_blocks gauge\nslipway_indexer_lag_blocks 0\n',
                  ],
                }),
              },
            },
          },
          ...failures(),
        },
      },
    },
    async (_request, reply) =>
      reply
        .header('content-type', app.metrics.contentType)
        .header('cache-control', 'no-store')
        .send(await app.shareResult('metrics', () => app.metrics.scrape())),
  )
}

export default metrics
