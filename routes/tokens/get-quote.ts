import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { zeroAddress } from 'viem'
import { type QuoteState, quoteTrade, type TradeRequest } from '../../chain/quote.ts'
import type { UnsignedCall } from '../../chain/trade-call.ts'
import { getQuoteState, type QuoteStateRow } from '../../db/queries/trade-quotes.ts'
import { AppError } from '../../errors.ts'
import { getLaunchpad } from '../../launchpads/index.ts'
import { launchpadKinds } from '../../launchpads/kinds.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { nativeQuote } from '../../records/quote.ts'
import { AddressParams, Envelope, ok, ref, walletOptional } from '../../schemas/common.ts'
import { Quote, QuoteQuery } from '../../schemas/quote.ts'
import { openContracts, type QuotedTrade, type QuoteServices, quoteInPool } from './quote-in-pool.ts'

/** Time until the deadline of a quote’s call. */
const LIFETIME_SECONDS = 1_200

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/quote',
    {
      config: { bucket: 'read-heavy' },
      schema: {
        operationId: 'quoteTrade',
        tags: ['Tokens'],
        summary: 'Quote a trade and prepare its call',
        description:
          'Computed with the contracts’ arithmetic, exact to the base unit; in pools of other launchpads by a node, at the ' +
          'newest block. 409 if the token cannot be traded now: its curve is completed and its pool not open, or no router is known ' +
          'for its pool. 422 if this amount cannot be traded, or this service cannot trade with tokens of the launchpad.',
        security: walletOptional,
        params: AddressParams,
        querystring: QuoteQuery,
        response: {
          200: Envelope(ref(Quote)),
          ...failures('TOKEN_NOT_FOUND', 'TOKEN_NOT_TRADABLE', 'QUOTE_NOT_SUPPORTED', 'UNTRADABLE', 'NODE_UNAVAILABLE'),
        },
      },
    },
    async (request) => {
      const { side, amount, slippageBps = 100, recipient = request.wallet } = request.query
      const row = await getQuoteState(request.db, request.params.address)
      const trading = { side, amount: BigInt(amount), slippageBps }
      const services = { chain: app.chain, settings: app.settings, db: request.db }
      const { quote, router, encode } = await quoteByVenue(services, row, trading)
      const deadline = Math.max(Math.floor(Date.now() / 1000), row.clock_time ?? 0) + LIFETIME_SECONDS
      const args = { ...trading, token: row.token, minimumOut: quote.minimumOut, deadline }
      return ok({
        token: row.token,
        slippageBps,
        side,
        router,
        quote: nativeQuote(app.settings.nativeCurrency.symbol),
        deadline,
        ...formatAmounts(quote),
        recipient,
        call: recipient === null ? null : formatCall(encode({ ...args, recipient })),
        approval: router !== null && side === 'sell' ? { spender: router, amount } : null,
      })
    },
  )
}

export default routes

/** Throws QUOTE_NOT_SUPPORTED for what this service cannot trade: calls pay in native coin. */
async function quoteByVenue(services: QuoteServices, row: QuoteStateRow, request: TradeRequest): Promise<QuotedTrade> {
  const { venue, capabilities, encodeTrade } = getLaunchpad(row.launchpad_kind)
  const isInPool = row.status === 'graduated'
  const isOwn = capabilities.includes('quote')
  const trades = isInPool && !isOwn ? venue.trades : undefined
  if ((!isOwn && !trades) || row.quote_token !== zeroAddress)
    throw new AppError('QUOTE_NOT_SUPPORTED', { launchpad: launchpadKinds[row.launchpad_kind].name })
  if (trades) return quoteInPool(services, row, trades, request)
  const quote = quoteTrade(toQuoteState(row), request)
  if (!isInPool) return { quote, router: null, encode: (args) => encodeTrade?.(row.launchpad, args) }
  const contracts = await findPoolContracts(row, services)
  const encode: QuotedTrade['encode'] = (args) => venue.encodeTrade?.(contracts, args)
  return { quote, router: contracts.router, encode }
}

function toQuoteState(row: QuoteStateRow): QuoteState {
  const { pool_quote: quote, pool_token: token } = row
  return {
    token: row.token,
    launchpad: row.launchpad,
    status: row.status,
    curve: {
      virtualQuote: BigInt(row.virtual_quote),
      virtualToken: BigInt(row.virtual_token),
      realQuote: BigInt(row.real_quote),
      realToken: BigInt(row.real_token),
      targetQuote: BigInt(row.target_quote),
      protocolFeeBps: row.protocol_fee_bps ?? 0,
      creatorFeeBps: row.creator_fee_bps ?? 0,
    },
    pool: quote === null || token === null ? null : { quote: BigInt(quote), token: BigInt(token) },
  }
}

const formatCall = (call: UnsignedCall | undefined) => (call ? { ...call, value: String(call.value) } : null)

async function findPoolContracts({ wrapped_native: weth }: QuoteStateRow, services: QuoteServices) {
  const router = (await openContracts(services))('uniswap-router')
  if (!router || !weth) throw new AppError('TOKEN_NOT_TRADABLE', { reason: 'no router is known for its pool' })
  return { router, weth }
}

function formatAmounts(quote: ReturnType<typeof quoteTrade>) {
  return {
    venue: quote.venue,
    amountIn: String(quote.amountIn),
    amountOut: String(quote.amountOut),
    minimumOut: String(quote.minimumOut),
    refund: String(quote.refund),
    protocolFee: String(quote.protocolFee),
    creatorFee: String(quote.creatorFee),
    poolFee: String(quote.poolFee),
    priceImpactPct: quote.priceImpactPct,
    priceBefore: quote.priceBefore,
    priceAfter: quote.priceAfter,
    completesCurve: quote.completesCurve,
  }
}
