import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import {
  enterAsWriter,
  getProfile,
  type ProfileChange,
  profileReasons,
  updateProfile,
} from '../../db/queries/profiles.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toProfile } from '../../records/to-profile.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { BIO_LENGTH, Profile, ProfilePatch } from '../../schemas/profiles.ts'
import { readOptionalText } from '../read-text.ts'
import { checkUsername } from './username.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.patch(
    '/profiles/me',
    {
      schema: {
        operationId: 'patchProfile',
        tags: ['Social'],
        summary: 'Update your profile',
        description: '409 if another wallet has the username, or one that looks like it.',
        security: walletRequired,
        body: ProfilePatch,
        response: { 200: Envelope(ref(Profile)), ...failures('WALLET_BANNED', profileReasons.USERNAME_TAKEN) },
      },
    },
    async (request) => {
      const wallet = walletOf(request)
      const change = readProfileChange(request.body, app.settings.brand.name)
      const row = await app.transactionWithEvents(
        async (trx) => {
          await enterAsWriter(trx, wallet, 'update')
          await updateProfile(trx, { wallet, change })
          return getProfile(trx, { wallet, viewer: wallet })
        },
        ['social'],
      )
      return ok(toProfile(row, wallet))
    },
  )
}

export default routes

/** Column changes of a request body; omitted fields stay undefined. Throws INVALID_INPUT. */
function readProfileChange({ username, bio, avatarUrl }: Static<typeof ProfilePatch>, brand: string): ProfileChange {
  return {
    username,
    username_skeleton: typeof username === 'string' ? checkUsername(username, brand) : username,
    bio: readOptionalText(bio, 'body.bio', BIO_LENGTH),
    avatar_url: avatarUrl,
  }
}
