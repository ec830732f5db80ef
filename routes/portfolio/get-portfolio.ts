import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { usdToNumber } from '../../chain/amounts.ts'
import type { Valuation } from '../../chain/holding.ts'
import {
  getRealized,
  type HoldingRow,
  listCreations,
  listFeeShares,
  listHoldings,
  MAX_VALUED,
} from '../../db/queries/portfolio/portfolio.ts'
import { sumRevenue } from '../../db/queries/portfolio/revenue.ts'
import { listCommitmentsOf } from '../../db/queries/raises/raise-commitments.ts'
import { listStakingPositions } from '../../db/queries/staking/staking-positions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { callerOf } from '../../plugins/auth.ts'
import { nativeQuote, valueInNative, valueInUsd } from '../../records/quote.ts'
import { toCommitment } from '../../records/to-commitment.ts'
import { toCreation } from '../../records/to-creation.ts'
import { toHolding } from '../../records/to-holding.ts'
import { toRevenueTotal } from '../../records/to-revenue.ts'
import { toStakingPosition } from '../../records/to-staking-position.ts'
import { profitOf, valueRow } from '../../records/value-holding.ts'
import { Envelope, ok, ref, walletOptional } from '../../schemas/common.ts'
import { Portfolio, PortfolioQuery } from '../../schemas/portfolio.ts'
import { callerReasons } from '../reasons.ts'

const MAX_SHOWN = 100

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate' },
      schema: {
        operationId: 'getPortfolio',
        tags: ['Portfolio'],
        summary: 'Get a wallet’s portfolio',
        description:
          'Holdings, launched tokens, stakes and commitments of `wallet`; default: the authenticated wallet. ' +
          'Profit uses average cost: the proceeds of a sale less the average cost of the tokens that the wallet ' +
          'bought. Received tokens have no cost and make no profit; sent tokens take their cost with them.',
        security: walletOptional,
        querystring: PortfolioQuery,
        response: { 200: Envelope(ref(Portfolio)), ...failures(...callerReasons) },
      },
    },
    async (request) => {
      const wallet = request.query.wallet ?? (await callerOf(request))
      const rows = await listHoldings(request.db, { wallet, limit: MAX_VALUED + 1, after: null })
      const valued = rows
        .slice(0, MAX_VALUED)
        .map((row) => {
          const valuation = valueRow(row)
          return { row, valuation, value: valueInNative(row, valuation.value) ?? 0n }
        })
        .sort(byValue)
      const created = await listCreations(request.db, { wallet, limit: MAX_SHOWN })
      const feeShares = await listFeeShares(request.db, { wallet, limit: MAX_SHOWN })
      const revenue = await sumRevenue(request.db, { wallet, limit: MAX_VALUED })
      const staking = await listStakingPositions(request.db, { wallet, limit: MAX_SHOWN, after: null })
      const commitments = await listCommitmentsOf(request.db, { wallet, limit: MAX_SHOWN })
      const realized = await getRealized(request.db, wallet)
      return ok({
        wallet,
        quote: nativeQuote(app.settings.nativeCurrency.symbol),
        ...sumUp(valued, realized),
        holdingCount: valued.length,
        truncated: rows.length > MAX_VALUED,
        holdings: valued.slice(0, MAX_SHOWN).map(({ row }) => toHolding(row)),
        created: created.map((row) => toCreation(row, wallet)),
        feeShares: feeShares.map((row) => toCreation(row, wallet)),
        revenue: { items: revenue.rows.map(toRevenueTotal), truncated: revenue.truncated },
        staking: staking.map(toStakingPosition),
        commitments: commitments.map(toCommitment),
      })
    },
  )
}

export default routes

interface ValuedRow {
  row: HoldingRow
  valuation: Valuation
  /** Native coin. */
  value: bigint
}

const byValue = (a: ValuedRow, b: ValuedRow) => {
  if (a.value !== b.value) return a.value > b.value ? -1 : 1
  return a.row.token < b.row.token ? -1 : 1
}

function sumUp(valued: readonly ValuedRow[], realized: Awaited<ReturnType<typeof getRealized>>) {
  const { native_usd: nativeUsd } = realized
  let [value, worth, native, usd] = [0n, 0n, 0n, 0n]
  for (const { row, valuation, value: own } of valued) {
    const profit = profitOf(row, valuation)
    value += own
    worth += valueInUsd(row, valuation.value) ?? 0n
    native += profit.native ?? 0n
    usd += profit.usd ?? 0n
  }
  return {
    totalValueNative: value.toString(),
    totalValueUsd: nativeUsd === null ? null : usdToNumber(worth),
    realizedPnl: { native: realized.realized, usd: nativeUsd === null ? null : Number(realized.realized_usd) },
    unrealizedPnl: { native: native.toString(), usd: nativeUsd === null ? null : usdToNumber(usd) },
  }
}
