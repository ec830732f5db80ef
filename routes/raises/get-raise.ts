import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getRaise } from '../../db/queries/raises/raises.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { Envelope, ok, ref, walletOptional } from '../../schemas/common.ts'
import { RaiseId } from '../../schemas/raise-values.ts'
import { Raise, RaiseParams } from '../../schemas/raises.ts'
import { personalizeRaise } from './personalize-raises.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/raises/:id',
    {
      schema: {
        operationId: 'getRaise',
        tags: ['Raises'],
        summary: 'Get a raise',
        description: 'State as of the newest block. Includes the commitment of the authenticated wallet.',
        security: walletOptional,
        params: RaiseParams,
        response: { 200: Envelope(ref(Raise)), ...failures(notFound('Raise', RaiseId)) },
      },
    },
    async (request) => ok(await personalizeRaise(await getRaise(request.db, request.params.id), request)),
  )
}

export default routes
