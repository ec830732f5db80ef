import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { JwtClaims } from '../../lib/auth/token-claims.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { LogoutResult } from '../../schemas/auth.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { clearSessionCookie } from './session-cookie.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/logout',
    {
      schema: {
        operationId: 'logout',
        tags: ['Auth'],
        summary: 'Revoke the token',
        description:
          'Revokes the token of this request on every replica, and with it the session of a login with `remember`: the cookie and the tokens of all tabs. Other tokens of the wallet stay valid. The cookie of another wallet stays.',
        security: walletRequired,
        response: { 200: Envelope(ref(LogoutResult)), ...failures('CACHE_READ_ONLY') },
      },
    },
    async (request, reply) => {
      await app.revokeToken(request.claims as JwtClaims)
      clearSessionCookie(request, reply)
      return ok({ revoked: true as const })
    },
  )
}

export default routes
