import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { failures } from '../../lib/openapi/failures.ts'

/** Prometheus metrics, without the envelope. */
const metrics: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/metrics',
    {
      config: { healthProbe: true, needsDatabase: false },
      schema: {
        operationId: 'getMetrics',
        tags: ['Service'],
        summary: 'Get the metrics for Prometheus',
        description:
          'Prometheus text format: requests by operation, connections, caches, the indexer, nodes and the process. ' +
          'Rendered at most once per second for all clients. Not available here if the operator has configured a ' +
          'separate metrics port.',
        response: {
          200: {
            description: 'All metrics of this process, or of all workers of the service.',
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
