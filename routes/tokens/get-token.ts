import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findToken, findTokens, type TokenRow } from '../../db/queries/tokens.ts'
import { AppError } from '../../errors.ts'
import { createBatchLoader } from '../../lib/concurrency/batch-loader.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { AddressParams, Envelope, ok, ref, walletOptional } from '../../schemas/common.ts'
import { Token } from '../../schemas/tokens.ts'
import { personalizeToken } from './personalize-tokens.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const findTogether = createBatchLoader(
    (addresses: readonly string[]) => findTokens(app.databases.reads, addresses),
    ({ address }) => address,
  )

  app.get(
    '/:address',
    {
      config: { cache: ['token', 'chain'] },
      schema: {
        operationId: 'getToken',
        tags: ['Tokens'],
        summary: 'Get a token',
        description: 'Also returns hidden tokens, with `hidden` true.',
        security: walletOptional,
        params: AddressParams,
        response: { 200: Envelope(ref(Token)), ...failures('TOKEN_NOT_FOUND') },
      },
    },
    (request) => {
      const { address } = request.params
      const answer = (row: TokenRow | undefined) => {
        if (!row) throw new AppError('TOKEN_NOT_FOUND', { address })
        const token = personalizeToken(row, request)
        // Most requests have no wallet, and need no promise of their own.
        return token instanceof Promise ? token.then(ok) : ok(token)
      }
      // A request with a token starts its own read, after its arrival; one to a replica reads in its own snapshot.
      const isShared = request.headers.authorization === undefined && app.replica === null
      return (isShared ? findTogether(address) : findToken(request.db, address)).then(answer)
    },
  )
}

export default routes
