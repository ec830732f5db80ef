import type { Client } from '../client.ts'
import { AlreadyIndexedError, PriceChangedError } from '../errors.ts'
import { listTokenTrades, quoteTrade, syncBuy, syncSell } from '../operations.ts'
import { buildTrade } from '../transactions/build-token.ts'
import type { Schema } from '../types.ts'
import { type AmountLike, type Hash, toBigInt } from '../values.ts'
import type { Wallet } from '../wallet.ts'
import { GRADUATION_GAS } from './call-node.ts'
import { approveIfNeeded, type FlowOptions, type Session, sendAndWait, startSession } from './send.ts'
import { syncMined } from './transact.ts'

export interface TradeOptions extends FlowOptions {
  token: string
  side: 'buy' | 'sell'
  /** A buy: native coin, fees included. A sell: tokens. Base units. */
  amount: AmountLike
  /** How much less than quoted to accept, in basis points; 100 (1 %) by default. */
  slippageBps?: number
  /**
   * Least output to accept, in base units: `minimumOut` of the quote that the user has seen. The minimum of the new quote holds if
   * it is larger.
   */
  minimumOut?: AmountLike
  /** Wallet that receives the output; the sender by default. */
  recipient?: string
}

export interface TradeResult {
  txHash: Hash
  /** The quote that the transaction was built from. */
  quote: Schema<'Quote'>
  /** The synced trades: one, for a plain wallet. */
  trades: Schema<'Trade'>[]
}

/**
 * Buys or sells a token: quotes, approves the tokens of a sell in the pool if needed, sends the transaction, waits for it and syncs
 * it. A buy that completes the curve gets the gas to graduate the token, and the bounty for it. Throws SlipwayError if there is no
 * quote or the sync fails, PriceChangedError if the quote is below `minimumOut`, and RevertError if the contract rejects the
 * trade, such as `Slippage`.
 */
export async function trade(client: Client, wallet: Wallet, options: TradeOptions): Promise<TradeResult> {
  const { side } = options
  const session = await startSession(client, wallet, options)
  let quote = await findQuote(session, options)
  if (quote.approval) {
    const { spender, amount } = quote.approval
    // The price may have moved while the approval was mined.
    if (await approveIfNeeded(session, { token: quote.token, spender, amount }))
      quote = await findQuote(session, options)
  }
  const recipient = options.recipient ?? session.address
  const extraGas = quote.completesCurve ? GRADUATION_GAS : 0n
  const txHash = await sendAndWait(session, buildTrade(session.config, quote, { recipient }), { extraGas })
  const trades = await syncTrades(session, { txHash, side, token: quote.token })
  return { txHash, quote, trades }
}

/** A quote whose minimum is at least `minimumOut`. Its call has the minimum, so a larger one needs a quote with less slippage. */
async function findQuote(session: Session, options: TradeOptions): Promise<Schema<'Quote'>> {
  options.onStep?.({ name: 'quote' })
  const least = toBigInt(options.minimumOut ?? 0n)
  for (let { slippageBps = 100 } = options; ; ) {
    const quote = await readQuote(session, options, slippageBps)
    const amountOut = toBigInt(quote.amountOut)
    if (amountOut < least) throw new PriceChangedError(amountOut, least)
    if (toBigInt(quote.minimumOut) >= least) return quote
    slippageBps = Number(((amountOut - least) * 10_000n) / amountOut)
  }
}

function readQuote({ client, address }: Session, options: TradeOptions, slippageBps: number): Promise<Schema<'Quote'>> {
  const { token, side, recipient = address, signal } = options
  const query = { side, slippageBps, recipient, amount: toBigInt(options.amount) }
  return quoteTrade(client, { path: { address: token }, query, ...(signal && { signal }) })
}

interface SentTrade {
  txHash: Hash
  side: 'buy' | 'sell'
  token: string
}

/** Syncs a trade. If it was synced before, as after a lost response, its records are read instead. */
export async function syncTrades(session: Session, { txHash, side, token }: SentTrade): Promise<Schema<'Trade'>[]> {
  try {
    const { trades } = await syncMined(session, side === 'buy' ? syncBuy : syncSell, txHash)
    return trades
  } catch (error) {
    if (!(error instanceof AlreadyIndexedError)) throw error
    const { items } = await listTokenTrades(session.client, { path: { address: token }, query: { limit: 100 } })
    return items.filter((trade) => trade.txHash === txHash)
  }
}
