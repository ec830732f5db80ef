import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { updateMetadata } from '../../db/queries/token-metadata.ts'
import { findTokensAt } from '../../db/queries/tokens.ts'
import { buildTokenUpdates } from '../../features/token-metadata/enqueue-token-updates.ts'
import type { SyncRequest } from '../../indexer/engine/sync.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { TokenCreation } from '../../schemas/token-metadata.ts'
import { SyncedTokens } from '../../schemas/trading.ts'
import { receiptSyncReasons } from '../reasons.ts'
import { syncReceipt } from '../sync-receipt.ts'
import { personalizeTokens } from './personalize-tokens.ts'
import { isEmptyChange, readMetadataChange } from './read-metadata-change.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/create',
    {
      config: { bucket: 'launch' },
      schema: {
        operationId: 'createToken',
        tags: ['Tokens'],
        summary: 'Sync the launch of a token',
        description:
          'After launching on the chain, send the transaction hash. The service indexes the transaction ' +
          'immediately and returns the tokens that your wallet launched in it. The metadata in the body can be ' +
          'changed later.',
        security: walletRequired,
        body: TokenCreation,
        response: {
          200: Envelope(ref(SyncedTokens)),
          ...failures(...receiptSyncReasons),
        },
      },
    },
    async (request) => {
      const wallet = walletOf(request)
      const { txHash, ...metadata } = request.body
      const change = readMetadataChange(metadata)
      const storeClientData: SyncRequest['storeClientData'] = async (trx, launched) => {
        if (isEmptyChange(change)) return { cacheTags: [], events: [] }
        const tokens = (await findTokensAt(trx, launched)).map((row) => row.address)
        await updateMetadata(trx, { tokens, change, wallet })
        const events = await buildTokenUpdates(trx, { tokens, chainId: app.settings.chainId })
        return { cacheTags: [...tokens.map(cacheTagOf), 'market'], events }
      }
      const { positions } = await syncReceipt(request, { txHash, wallet, kind: 'create', storeClientData })
      return ok({ txHash, tokens: await personalizeTokens(await findTokensAt(request.db, positions), request) })
    },
  )
}

export default routes
