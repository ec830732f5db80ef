import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures } from '../../lib/openapi/failures.ts'
import { LoginResult } from '../../schemas/auth.ts'
import { Envelope, ok, ref } from '../../schemas/common.ts'
import { readSessionCookie, sessionReasons } from './session-cookie.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/refresh',
    {
      schema: {
        operationId: 'refreshToken',
        tags: ['Auth'],
        summary: 'Get a token for the session of this browser',
        description:
          'For web clients on the origin of the service: after a login with `remember`, a reloaded page or another tab gets its token here, without a signature. Requests of other origins are refused.',
        security: [{ session: [] }],
        response: {
          200: Envelope(ref(LoginResult)),
          ...failures(sessionReasons.SESSION_MISSING, 'JWT_INVALID', 'CACHE_UNAVAILABLE'),
        },
      },
    },
    async (request) => ok({ token: await app.refreshToken(readSessionCookie(request)) }),
  )
}

export default routes
