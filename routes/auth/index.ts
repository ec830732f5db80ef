import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../errors.ts'
import type { JwtClaims } from '../../lib/auth/token-claims.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { isAdmin, isLabs, requireToken, walletOf } from '../../plugins/auth.ts'
import * as authSchemas from '../../schemas/auth.ts'
import { Identity, LoginRequest, LoginResult, LogoutResult, NonceRecord, NonceRequest } from '../../schemas/auth.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import type { Domain } from '../domain.ts'
import { issueMessage, redeemMessage } from './sign-in.ts'
import { verifySignature } from './verify-signature.ts'

/** Sign-in with Ethereum, then a bearer token. */
const auth: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/nonce',
    {
      config: { bucket: 'auth', needsDatabase: false },
      schema: {
        operationId: 'issueNonce',
        tags: ['Auth'],
        summary: 'Request a message to sign',
        description: 'The message is valid for one login attempt, within five minutes.',
        body: NonceRequest,
        response: { 200: Envelope(ref(NonceRecord)), ...failures('CACHE_UNAVAILABLE') },
      },
    },
    async ({ body }) => ok(await issueMessage(app.cache, app.settings, body.wallet)),
  )

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
          ...failures('SIGNATURE_INVALID', 'MESSAGE_MISMATCH', 'NONCE_USED', 'CACHE_UNAVAILABLE', 'NODE_UNAVAILABLE'),
        },
      },
    },
    async ({ body }) => {
      const { wallet, message, signature } = body
      const issued = await redeemMessage(app.cache, message)
      if (issued.wallet !== wallet || !(await verifySignature(app.chain, { wallet, message, signature })))
        throw new AppError('SIGNATURE_INVALID')
      return ok({ token: app.issueToken(wallet) })
    },
  )

  app.register(async (scope: typeof app) => {
    scope.addHook('onRequest', requireToken)

    scope.get(
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

    scope.post(
      '/logout',
      {
        schema: {
          operationId: 'logout',
          tags: ['Auth'],
          summary: 'Revoke the token',
          description: 'Revokes the token of this request on every replica. Other tokens of the wallet stay valid.',
          security: walletRequired,
          response: { 200: Envelope(ref(LogoutResult)), ...failures() },
        },
      },
      async (request) => {
        await app.revokeToken(request.claims as JwtClaims)
        return ok({ revoked: true as const })
      },
    )
  })
}

export default {
  plugin: auth,
  prefix: '/auth',
  tags: [{ name: 'Auth', description: 'Sign-in with Ethereum, then a bearer token.' }],
  schemas: authSchemas.components,
} satisfies Domain
