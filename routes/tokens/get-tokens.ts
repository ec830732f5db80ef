import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findTokens } from '../../db/queries/tokens.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { TokenBatch, TokenBatchRequest } from '../../schemas/tokens.ts'
import { personalizeTokens } from './personalize-tokens.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/batch',
    {
      config: { bucket: 'read-heavy' },
      schema: {
        operationId: 'getTokens',
        tags: ['Tokens'],
        summary: 'Get many tokens',
        description:
          'In the order of the addresses, each once. Changes nothing: the addresses are in the body because a URL is too ' +
          'short for them. Tokens that were not launched are left out; hidden ones are returned, with `hidden` true.',
        security: walletOptional,
        body: TokenBatchRequest,
        response: { 200: Envelope(TokenBatch), ...failures() },
      },
    },
    async (request) => {
      const addresses = [...new Set(request.body.addresses)]
      const rows = await findTokens(request.db, addresses)
      const byAddress = new Map(rows.map((row) => [row.address, row]))
      const ordered = addresses.flatMap((address) => byAddress.get(address) ?? [])
      return ok({ items: await personalizeTokens(ordered, request) })
    },
  )
}

export default routes
