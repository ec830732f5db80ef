import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures } from '../../../lib/openapi/failures.ts'
import { UdfTime } from '../../../schemas/integrations/udf.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/time',
    {
      config: { needsDatabase: false },
      schema: {
        operationId: 'udfTime',
        tags: ['Integrations'],
        summary: 'Get the server time for charts',
        description: 'The charting library uses it for the countdown to the end of a bar.',
        response: { 200: UdfTime, ...failures() },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      return reply.type('text/plain; charset=utf-8').send(String(Math.floor(Date.now() / 1000)))
    },
  )
}

export default routes
