import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findToken, findTokens } from '../../db/queries/tokens.ts'
import { AppError } from '../../errors.ts'
import { createBatchLoader } from '../../lib/concurrency/batch-loader.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { AddressParams, Envelope, ok, ref, walletOptional } from '../../schemas/common.ts'
import { Token } from '../../schemas/tokens.ts'
import { personalizeToken } from './personalize-tokens.ts'
import { createRiskReader } from './read-risk.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const findTogether = createBatchLoader(
    (addresses: readonly string[]) => findTokens(app.databases.reads, addresses),
    ({ address }) => address,
  )
  const readRisk = createRiskReader(app)

  app.get(
    '/:address',
    {
      config: { cache: ['token', 'chain'] },
      schema: {
        operationId: 'getToken',
        tags: ['Tokens'],
        summary: 'Get a token',
        description: 'With `risk`, which lists leave out. Also returns hidden tokens, with `hidden` true.',
        security: walletOptional,
        params: AddressParams,
        response: { 200: Envelope(ref(Token)), ...failures('TOKEN_NOT_FOUND') },
      },
    },
    async (request) => {
      const { address } = request.params
      // A request with a token starts its own read, after its arrival; one to a replica reads in its own snapshot.
      const isShared = request.headers.authorization === undefined && app.replica === null
      const row = await (isShared ? findTogether(address) : findToken(request.db, address))
      if (!row) throw new AppError('TOKEN_NOT_FOUND', { address })
      return ok({ ...(await personalizeToken(row, request)), ...(await readRisk(request, address)) })
    },
  )
}

export default routes
