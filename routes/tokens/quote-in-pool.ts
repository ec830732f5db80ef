import { BaseError } from 'viem'
import { formatRatio } from '../../chain/price.ts'
import { impactOf, type TradeQuote, type TradeRequest, withMinimum } from '../../chain/quote.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import { isExecutionError } from '../../chain/rpc/node-failure.ts'
import type { TradeCallArgs, UnsignedCall } from '../../chain/trade-call.ts'
import type { Config, Deployment } from '../../config/config.ts'
import type { Db } from '../../db/client.ts'
import { listFollowed } from '../../db/queries/deployments/deployments.ts'
import type { QuoteStateRow } from '../../db/queries/trade-quotes.ts'
import { AppError } from '../../errors.ts'
import { launchpadKinds } from '../../launchpads/kinds.ts'
import type { Launchpad } from '../../launchpads/launchpad.ts'

type PoolTrades = NonNullable<Launchpad['venue']['trades']>
type PoolQuote = NonNullable<Awaited<ReturnType<PoolTrades['quote']>>>

/** The native coin has as many decimals everywhere. */
const NATIVE_DECIMALS = 18

/** A quoted trade, and its call. */
export interface QuotedTrade {
  quote: TradeQuote
  /** null on the curve. */
  router: string | null
  encode(args: TradeCallArgs): UnsignedCall | undefined
}

export interface QuoteServices {
  db: Db
  chain: Pick<Chain, 'client' | 'startBudget'>
  settings: Pick<Config, 'deployments'>
}

/** Finds the newest followed contract of a kind. */
export async function openContracts({ db, settings }: Omit<QuoteServices, 'chain'>) {
  const followed = await listFollowed(db, settings.deployments)
  return (wanted: Deployment['kind']) => followed.findLast(({ kind }) => kind === wanted)?.address
}

/**
 * Quotes a trade in a pool by contracts of its periphery. Throws QUOTE_NOT_SUPPORTED without them, UNTRADABLE if the pool cannot fill
 * this amount, and the failure of the node if none answers.
 */
export async function quoteInPool(
  services: QuoteServices,
  row: QuoteStateRow,
  trades: PoolTrades,
  request: TradeRequest,
): Promise<QuotedTrade> {
  const find = await openContracts(services)
  const [router, quoter] = [find(trades.router), find(trades.quoter)]
  const { token, pool, wrapped_native: weth } = row
  if (!router || !quoter || !weth)
    throw new AppError('QUOTE_NOT_SUPPORTED', { launchpad: launchpadKinds[row.launchpad_kind].name })
  if (!pool) throw new AppError('TOKEN_NOT_TRADABLE', { reason: 'its pool is not known' })
  const { chain } = services
  const known = { address: pool, token, tokenFirst: BigInt(token) < BigInt(weth), manager: null }
  const call: Parameters<PoolTrades['quote']>[0] = async (to, data) =>
    (await chain.client.call({ to: to as `0x${string}`, data })).data ?? '0x'
  const found = await chain
    .startBudget()
    .run(() => trades.quote(call, { quoter, weth }, known, request))
    .catch((error: unknown) => {
      if (isExecutionError(error) || isUnreadable(error)) return null
      throw error
    })
  if (found === null || found.amountOut === 0n)
    throw new AppError('UNTRADABLE', { reason: 'The pool cannot fill this amount' })
  const { amountOut, poolFee, before, after } = found
  const { side, amount } = request
  const net = amount - poolFee
  const [quote, tokens] = side === 'buy' ? [net, amountOut] : [amountOut, net]
  const priceOf = (price: PoolQuote['before']) =>
    formatRatio(price.quote * 10n ** BigInt(row.decimals), price.token * 10n ** BigInt(NATIVE_DECIMALS))
  return {
    router,
    encode: (args) => found.encode(router, args),
    quote: withMinimum(request, {
      ...{ venue: 'pool', amountIn: amount, amountOut, refund: 0n, protocolFee: 0n, creatorFee: 0n, poolFee },
      priceImpactPct: impactOf(quote, before.quote, tokens, before.token, side),
      ...{ priceBefore: priceOf(before), priceAfter: priceOf(after), completesCurve: false },
    }),
  }
}

/** An answer of another length than the function's: no such contract, or one of another kind. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof BaseError && /^AbiDecoding|^PositionOutOfBounds/.test(error.name)
