import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures } from '../../../lib/openapi/failures.ts'
import { ref } from '../../../schemas/common.ts'
import { resolutionNames, symbolTypes, UdfConfig } from '../../../schemas/integrations/udf.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { name } = app.settings.brand
  app.get(
    '/config',
    {
      config: { needsDatabase: false },
      schema: {
        operationId: 'udfConfig',
        tags: ['Integrations'],
        summary: 'Get the chart feed’s configuration',
        description: 'The first request of TradingView’s charting library to a feed.',
        response: { 200: ref(UdfConfig), ...failures() },
      },
    },
    async () => ({
      supported_resolutions: resolutionNames,
      supports_search: true,
      supports_group_request: false,
      supports_marks: true,
      supports_timescale_marks: false,
      supports_time: true,
      exchanges: [{ name, value: name, desc: name }],
      symbols_types: [...symbolTypes],
    }),
  )
}

export default routes
