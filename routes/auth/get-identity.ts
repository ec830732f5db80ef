import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { JwtClaims } from '../../lib/auth/token-claims.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { isAdmin, isLabs, walletOf } from '../../plugins/auth.ts'
import { Identity } from '../../schemas/auth.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/me',
    {
      schema: {
        operationId: 'getIdentity',
        tags: ['Auth'],
        summary: 'Get the authenticated wallet',
        description: 'Returns the wallet, its roles, and the expiry of the token. Also available to banned wallets.',
        security: walletRequired,
        response: { 200: Envelope(ref(Identity)), ...failures() },
      },
    },
    async (request) => {
      const { iat, exp } = request.claims as JwtClaims
      return ok({
        wallet: walletOf(request),
        isAdmin: isAdmin(request),
        isLabs: isLabs(request),
        issuedAt: new Date(iat * 1000).toISOString(),
        expiresAt: new Date(exp * 1000).toISOString(),
      })
    },
  )
}

export default routes
