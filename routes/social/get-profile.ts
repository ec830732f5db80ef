import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getProfile } from '../../db/queries/profiles.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toProfile } from '../../records/to-profile.ts'
import { Envelope, ok, ref, walletOptional } from '../../schemas/common.ts'
import { Profile, WalletParams } from '../../schemas/profiles.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/profiles/:wallet',
    {
      schema: {
        operationId: 'getProfile',
        tags: ['Social'],
        summary: 'Get a wallet’s profile',
        description: 'Every address has a profile. Username, bio and avatar of a banned wallet are not returned.',
        security: walletOptional,
        params: WalletParams,
        response: { 200: Envelope(ref(Profile)), ...failures() },
      },
    },
    async ({ db, params, wallet: viewer }) =>
      ok(toProfile(await getProfile(db, { wallet: params.wallet, viewer }), viewer)),
  )
}

export default routes
