import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listHoldings, MAX_VALUED } from '../../db/queries/portfolio/portfolio.ts'
import { findHeldLots } from '../../db/queries/wallets/held-lots.ts'
import { findWalletTotals, listTradingDays, NO_TRADES } from '../../db/queries/wallets/wallet-stats.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toWalletStats } from '../../records/wallets/to-wallet-stats.ts'
import { Envelope, ok, ref } from '../../schemas/common.ts'
import { WalletParams, WalletStats, WalletStatsQuery } from '../../schemas/wallets.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { symbol } = app.settings.nativeCurrency
  const nothing = {
    ...NO_TRADES,
    native_usd: null,
    native_symbol: symbol,
    is_archived: false,
    archived_until: null,
    clock: 0,
  }

  app.get(
    '/:wallet/stats',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate', cache: ['market', 'chain'] },
      schema: {
        operationId: 'getWalletStats',
        tags: ['Wallets'],
        summary: 'Get how a wallet traded',
        description:
          'In a period, and on each of its days. Profit uses average cost, as in the portfolio: received tokens have no cost ' +
          'and make no profit. Any address has statistics; those of a wallet that never traded are zero.',
        params: WalletParams,
        querystring: WalletStatsQuery,
        response: { 200: Envelope(ref(WalletStats)), ...failures() },
      },
    },
    async ({ db, params, query }) => {
      const { wallet } = params
      const { period = '30d' } = query
      const totals = (await findWalletTotals(db, { wallet, period })) ?? nothing
      const days = await listTradingDays(db, { wallet, period })
      const held = await findHeldLots(db, { wallet, period, totals, whole: days[0] })
      const holdings = await listHoldings(db, { wallet, limit: MAX_VALUED, after: null })
      return ok(toWalletStats({ wallet, period, totals, days, held, holdings }))
    },
  )
}

export default routes
