import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getToken } from '../../db/queries/tokens.ts'
import { AddressParams, Envelope, failures, ok, ref, walletOptional } from '../../schemas/common.ts'
import { Token } from '../../schemas/tokens.ts'
import { toToken } from './to-token.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address',
    {
      schema: {
        operationId: 'getToken',
        tags: ['Tokens'],
        summary: 'One token',
        description: 'A token that an operator has hidden is still served here, with `hidden` true.',
        security: walletOptional,
        params: AddressParams,
        response: { 200: Envelope(ref(Token)), ...failures(400, 404, 503) },
      },
    },
    async (request) => {
      const row = await getToken(app.db, request.params.address)
      app.tokenMetadata.want([row])
      return ok(await toToken(row, request))
    },
  )
}

export default routes
