import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addTokenAlert, addTradeAlert, alertReasons, getAlert, MAX_ALERTS } from '../../db/queries/alerts.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toAlert } from '../../records/to-alert.ts'
import { Alert, AlertRequest } from '../../schemas/alerts.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { readCondition } from './read-condition.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '',
    {
      schema: {
        operationId: 'createAlert',
        tags: ['Alerts'],
        summary: 'Create an alert',
        description:
          'Prices and graduations are checked with each trade after the creation, also if the price is beyond the value already; ' +
          'an alert triggers once, and again if a reorg takes that trade back. An alert about a wallet notifies of each of its ' +
          `trades. An equal alert that still waits is returned instead of another one. 409 beyond ${MAX_ALERTS} alerts.`,
        security: walletRequired,
        body: AlertRequest,
        response: {
          200: Envelope(ref(Alert)),
          ...failures('WALLET_BANNED', 'TOKEN_NOT_FOUND', alertReasons.OWN_TRADES_ALERT, alertReasons.ALERT_LIMIT),
        },
      },
    },
    async (request) => {
      const { body } = request
      const wallet = walletOf(request)
      const row = await request.db.transaction().execute(async (trx) => {
        const id =
          body.type === 'trade'
            ? await addTradeAlert(trx, { wallet, trader: body.wallet })
            : await addTokenAlert(trx, { wallet, token: body.token, conditionOf: readCondition(body) })
        return getAlert(trx, { wallet, id })
      })
      return ok(toAlert(row))
    },
  )
}

export default routes
