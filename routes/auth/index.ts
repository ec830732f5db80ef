import cookie from '@fastify/cookie'
import type { FastifyPluginAsync } from 'fastify'
import { requireToken } from '../../plugins/auth.ts'
import * as authSchemas from '../../schemas/auth.ts'
import type { Domain } from '../domain.ts'
import getIdentity from './get-identity.ts'
import issueNonce from './issue-nonce.ts'
import logIn from './log-in.ts'
import logOut from './log-out.ts'
import refreshToken from './refresh-token.ts'
import { sessionReasons } from './session-cookie.ts'

/** Sign-in with Ethereum, then a bearer token. Only this domain reads and sets cookies. */
const auth: FastifyPluginAsync = async (app) => {
  await app.register(cookie)
  app.register(issueNonce)
  app.register(logIn)
  app.register(refreshToken)

  app.register(async (scope) => {
    scope.addHook('onRequest', requireToken)
    scope.register(getIdentity)
    scope.register(logOut)
  })
}

export default {
  plugin: auth,
  prefix: '/auth',
  tags: [{ name: 'Auth', description: 'Sign-in with Ethereum, then a bearer token.' }],
  schemas: authSchemas.components,
  reasons: sessionReasons,
} satisfies Domain
