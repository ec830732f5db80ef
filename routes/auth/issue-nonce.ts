import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures } from '../../lib/openapi/failures.ts'
import { NonceRecord, NonceRequest } from '../../schemas/auth.ts'
import { Envelope, ok, ref } from '../../schemas/common.ts'
import { issueMessage } from './sign-in.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
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
        response: { 200: Envelope(ref(NonceRecord)), ...failures('CACHE_UNAVAILABLE', 'CACHE_READ_ONLY') },
      },
    },
    async ({ body }) => ok(await issueMessage(app.cache, app.settings, body.wallet)),
  )
}

export default routes
