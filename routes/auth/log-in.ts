import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../errors.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { LoginRequest, LoginResult } from '../../schemas/auth.ts'
import { Envelope, ok, ref } from '../../schemas/common.ts'
import { setSessionCookie } from './session-cookie.ts'
import { redeemMessage } from './sign-in.ts'
import { verifySignature } from './verify-signature.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/login',
    {
      config: { bucket: 'auth', needsDatabase: false },
      schema: {
        operationId: 'login',
        tags: ['Auth'],
        summary: 'Exchange a signed message for a token',
        description: 'Consumes the nonce, even if the login fails. Accepts signatures of keys and of smart accounts.',
        body: LoginRequest,
        response: {
          200: Envelope(ref(LoginResult)),
          ...failures(
            'SIGNATURE_INVALID',
            'MESSAGE_MISMATCH',
            'NONCE_USED',
            'CACHE_UNAVAILABLE',
            'CACHE_READ_ONLY',
            'NODE_UNAVAILABLE',
          ),
        },
      },
    },
    async (request, reply) => {
      const { wallet, message, signature, remember = false } = request.body
      const issued = await redeemMessage(app.cache, message)
      if (issued.wallet !== wallet || !(await verifySignature(app.chain, { wallet, message, signature })))
        throw new AppError('SIGNATURE_INVALID')
      if (!remember) return ok({ token: app.issueToken(wallet) })
      const { token, session } = app.startSession(wallet)
      setSessionCookie(request, reply, session)
      return ok({ token })
    },
  )
}

export default routes
