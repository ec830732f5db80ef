import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findTradesAt } from '../../db/queries/trades.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toTrade } from '../../records/to-trade.ts'
import { Envelope, ok, ref, TxHashBody, walletRequired } from '../../schemas/common.ts'
import { SyncedTrades } from '../../schemas/trading.ts'
import { receiptSyncReasons } from '../reasons.ts'
import { syncReceipt } from '../sync-receipt.ts'

/** Receipt sync of buys and sells; each looks for its own event. */
const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const kind of ['buy', 'sell'] as const) {
    app.post(
      `/${kind}`,
      {
        config: { bucket: 'trade' },
        schema: {
          operationId: `sync${kind === 'buy' ? 'Buy' : 'Sell'}`,
          tags: ['Trading'],
          summary: `Sync a ${kind}`,
          description:
            `After a ${kind} on the chain, send its transaction hash. The service indexes the transaction ` +
            `immediately and returns the ${kind}s that your wallet made in it. 425 if the transaction is not mined ` +
            'yet; retry.',
          security: walletRequired,
          body: TxHashBody,
          response: {
            200: Envelope(ref(SyncedTrades)),
            ...failures(...receiptSyncReasons),
          },
        },
      },
      async (request) => {
        const { txHash } = request.body
        const { positions } = await syncReceipt(request, { txHash, wallet: walletOf(request), kind })
        const rows = await findTradesAt(request.db, positions)
        return ok({ txHash, trades: rows.map(toTrade) })
      },
    )
  }
}

export default routes
