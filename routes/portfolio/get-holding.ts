import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { getLaunch } from '../../db/queries/launches.ts'
import { findHolding } from '../../db/queries/portfolio/portfolio.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { callerOf } from '../../plugins/auth.ts'
import { toHolding } from '../../records/to-holding.ts'
import { Address, Envelope, Nullable, ok, ref, walletOptional } from '../../schemas/common.ts'
import { Holding, PortfolioQuery } from '../../schemas/portfolio.ts'
import { callerReasons } from '../reasons.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/holdings/:token',
    {
      schema: {
        operationId: 'getHolding',
        tags: ['Portfolio'],
        summary: 'Get a wallet’s holding of a token',
        description:
          'With a balance of 0 if the wallet holds none any more, and null if it never held any. For `wallet`; default: the ' +
          'authenticated wallet.',
        security: walletOptional,
        params: Type.Object({ token: Address }),
        querystring: PortfolioQuery,
        response: { 200: Envelope(Nullable(ref(Holding))), ...failures('TOKEN_NOT_FOUND', ...callerReasons) },
      },
    },
    async (request) => {
      const { token } = request.params
      const wallet = request.query.wallet ?? (await callerOf(request))
      await getLaunch(request.db, token)
      const row = await findHolding(request.db, { wallet, token })
      return ok(row ? toHolding(row) : null)
    },
  )
}

export default routes
