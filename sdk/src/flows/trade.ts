import type { Client } from '../client.ts'
import { AlreadyIndexedError, hasReason, PriceChangedError } from '../errors.ts'
import { listTokenTrades, quoteTrade, syncBuy, syncSell } from '../operations.ts'
import { pause } from '../pause.ts'
import { buildTrade } from '../transactions/build-token.ts'
import type { Schema } from '../types.ts'
import { type AmountLike, type Hash, toBigInt } from '../values.ts'
import type { Wallet } from '../wallet.ts'
import { GRADUATION_GAS } from './call-node.ts'
import { approveIfNeeded, DEFAULT_WAIT_MS, type FlowOptions, type Session, sendAndWait, startSession } from './send.ts'
import { syncMined } from './transact.ts'

/** Pause between two looks for a trade that the service indexes by itself. */
const POLL_MS = 1_000

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
  /** Wallet that receives the output; the sender by default. It is the trader of a buy in a pool. */
  recipient?: string
}

export interface TradeResult {
  txHash: Hash
  /** The quote that the transaction was built from. */
  quote: Schema<'Quote'>
  /** The synced trades: one, for a plain wallet. None if a buy for another wallet was not indexed in time. */
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
  const isForOther = recipient.toLowerCase() !== session.address.toLowerCase()
  const ofOther = side === 'buy' && quote.venue === 'pool' && isForOther ? recipient : undefined
  const trades = await syncTrades(session, { txHash, side, token: quote.token, recipient: ofOther })
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
  /** Who gets the tokens of a buy, if that is not the sender. */
  recipient?: string | undefined
}

/**
 * Syncs a trade. If it was synced before, as after a lost response, its records are read instead. So are those of a buy in a pool
 * for another wallet: its trader is the recipient, who alone can sync it.
 */
export async function syncTrades(session: Session, sent: SentTrade): Promise<Schema<'Trade'>[]> {
  const { txHash, side, recipient } = sent
  try {
    const { trades } = await syncMined(session, side === 'buy' ? syncBuy : syncSell, txHash)
    return trades
  } catch (error) {
    if (error instanceof AlreadyIndexedError) return findTrades(session, sent)
    if (recipient !== undefined && hasReason(error, 'TRANSACTION_FOREIGN')) return waitForTrades(session, sent)
    throw error
  }
}

async function findTrades(
  { client, options: { signal } }: Session,
  { txHash, token, recipient }: SentTrade,
): Promise<Schema<'Trade'>[]> {
  const query = { limit: 100, ...(recipient !== undefined && { wallet: recipient }) }
  const { items } = await listTokenTrades(client, { path: { address: token }, query, ...(signal && { signal }) })
  return items.filter((trade) => trade.txHash === txHash)
}

/** Waits until the service has indexed a trade by itself. The trade has succeeded, so there is no error: none after `timeoutMs`. */
async function waitForTrades(session: Session, sent: SentTrade): Promise<Schema<'Trade'>[]> {
  const { timeoutMs = DEFAULT_WAIT_MS, signal } = session.options
  for (const deadline = Date.now() + timeoutMs; ; ) {
    const trades = await findTrades(session, sent).catch((): Schema<'Trade'>[] => [])
    if (trades.length > 0 || Date.now() + POLL_MS > deadline) return trades
    await pause(POLL_MS, signal)
  }
}
