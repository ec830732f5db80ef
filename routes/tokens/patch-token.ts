import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { logAction } from '../../db/queries/audit-log.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { updateMetadata } from '../../db/queries/token-metadata.ts'
import { getToken } from '../../db/queries/tokens.ts'
import { AppError } from '../../errors.ts'
import { enqueueTokenUpdates } from '../../features/token-metadata/enqueue-token-updates.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { isAdmin, walletOf } from '../../plugins/auth.ts'
import { AddressParams, Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { TokenPatch } from '../../schemas/token-metadata.ts'
import { Token } from '../../schemas/tokens.ts'
import { personalizeToken } from './personalize-tokens.ts'
import { readMetadataChange } from './read-metadata-change.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.patch(
    '/:address',
    {
      schema: {
        operationId: 'patchToken',
        tags: ['Tokens'],
        summary: 'Update the metadata of a token',
        description:
          'For the wallet that launched the token, and for operators. On-chain data of the token does not change.',
        security: walletRequired,
        params: AddressParams,
        body: TokenPatch,
        response: { 200: Envelope(ref(Token)), ...failures('WALLET_BANNED', 'NOT_OWNER', 'TOKEN_NOT_FOUND') },
      },
    },
    async (request) => {
      const wallet = walletOf(request)
      const { address, creator } = await getLaunch(request.db, request.params.address)
      if (wallet !== creator && !isAdmin(request)) throw new AppError('NOT_OWNER', { resource: 'token' })
      await app.transactionWithEvents(
        async (trx) => {
          if (wallet !== creator)
            await logAction(trx, { actor: wallet, action: 'token.edit', subject: address, reason: null })
          await updateMetadata(trx, { tokens: [address], change: readMetadataChange(request.body), wallet })
          await enqueueTokenUpdates(trx, { tokens: [address], chainId: app.settings.chainId })
        },
        [cacheTagOf(address), 'market'],
      )
      return ok(await personalizeToken(await getToken(request.db, address), request))
    },
  )
}

export default routes
