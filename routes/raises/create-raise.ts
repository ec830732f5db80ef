import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findRaisesAt, upsertRaiseTexts } from '../../db/queries/raises/raises.ts'
import type { SyncRequest } from '../../indexer/engine/sync.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { SyncedRaises } from '../../schemas/raise-events.ts'
import { RaiseCreation } from '../../schemas/raises.ts'
import { receiptSyncReasons } from '../reasons.ts'
import { syncReceipt } from '../sync-receipt.ts'
import { buildRaiseUpdates } from './enqueue-raise-updates.ts'
import { personalizeRaises } from './personalize-raises.ts'
import { readRaiseText } from './read-raise-text.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/raises',
    {
      config: { bucket: 'launch' },
      schema: {
        operationId: 'createRaise',
        tags: ['Raises'],
        summary: 'Sync the creation of a raise',
        description:
          'After creating the raise on the chain, send the transaction hash. The service indexes the transaction ' +
          'immediately and returns the raises that your wallet created in it. The other fields are stored with ' +
          'these raises and can be changed later.',
        security: walletRequired,
        body: RaiseCreation,
        response: {
          200: Envelope(ref(SyncedRaises)),
          ...failures(...receiptSyncReasons),
        },
      },
    },
    async (request) => {
      const creator = walletOf(request)
      const { txHash, ...texts } = request.body
      const text = readRaiseText(texts)
      const storeClientData: SyncRequest['storeClientData'] = async (trx, opened) => {
        const raises = (await findRaisesAt(trx, opened)).map(({ id }) => id)
        const isChanged = await upsertRaiseTexts(trx, { raises, creator, text, wallet: creator })
        return { cacheTags: ['raises'], events: isChanged ? await buildRaiseUpdates(trx, raises) : [] }
      }
      const { positions } = await syncReceipt(request, {
        txHash,
        wallet: creator,
        kind: 'raise_create',
        storeClientData,
      })
      return ok({ txHash, raises: await personalizeRaises(await findRaisesAt(request.db, positions), request) })
    },
  )
}

export default routes
