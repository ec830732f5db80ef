import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findWallet, getProfile } from '../../db/queries/profiles.ts'
import { AppError } from '../../errors.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toProfile } from '../../records/to-profile.ts'
import { Envelope, ok, ref, walletOptional } from '../../schemas/common.ts'
import { Profile, UsernameParams } from '../../schemas/profiles.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/profiles/named/:username',
    {
      schema: {
        operationId: 'getNamedProfile',
        tags: ['Social'],
        summary: 'Get the profile with a username',
        description: 'A name that only looks like the username of a wallet is 404, like that of a banned wallet.',
        security: walletOptional,
        params: UsernameParams,
        response: { 200: Envelope(ref(Profile)), ...failures('RESOURCE_NOT_FOUND') },
      },
    },
    async ({ db, params: { username }, wallet: viewer }) => {
      const wallet = await findWallet(db, username)
      if (wallet === undefined) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Profile', id: username })
      return ok(toProfile(await getProfile(db, { wallet, viewer }), viewer))
    },
  )
}

export default routes
