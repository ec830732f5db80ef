import type { FastifyPluginAsync } from 'fastify'
import { alertReasons } from '../../db/queries/alerts.ts'
import { requireWallet } from '../../plugins/auth.ts'
import { components } from '../../schemas/alerts.ts'
import type { Domain } from '../domain.ts'
import createAlert from './create-alert.ts'
import deleteAlert from './delete-alert.ts'
import listAlerts from './list-alerts.ts'

/** Alerts of a wallet, which only the wallet itself sees. The indexer triggers them: see indexer/market/trigger-alerts.ts. */
const alerts: FastifyPluginAsync = async (app) => {
  app.addHook('onRequest', requireWallet)
  app.register(createAlert)
  app.register(listAlerts)
  app.register(deleteAlert)
}

export default {
  plugin: alerts,
  prefix: '/alerts',
  tags: [{ name: 'Alerts', description: 'Prices, price changes, graduations and trades that notify a wallet.' }],
  schemas: components,
  reasons: alertReasons,
} satisfies Domain
