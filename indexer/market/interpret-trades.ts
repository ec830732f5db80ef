import { nativeToUsd, ratioToNumber } from '../../chain/amounts.ts'
import { validUsdOrNull } from '../../chain/bounds.ts'
import type { LaunchpadEvent, PoolSwapEvent, PoolSyncEvent } from '../../chain/events.ts'
import type { EventContext } from '../engine/batch.ts'
import type { ChainEvent, Trade } from './events.ts'
import { findPayer, type Payment } from './payments.ts'
import type { Pool } from './registry.ts'

/** A trade on a curve becomes one with its value and price; the others stay as they are. */
export function interpretLaunchpadEvent(event: LaunchpadEvent, at: EventContext): ChainEvent {
  if (event.kind !== 'curve-trade') return { at, ...event }
  return {
    kind: 'trade',
    at,
    venue: 'curve',
    pool: null,
    side: event.side,
    token: event.token,
    trader: event.trader,
    traderKnown: true,
    recipient: event.recipient,
    quoteAmount: event.quoteAmount,
    tokenAmount: event.tokenAmount,
    protocolFee: event.protocolFee,
    creatorFee: event.creatorFee,
    virtualQuote: event.virtualQuote,
    virtualToken: event.virtualToken,
    realQuote: event.realQuote,
    realToken: event.realToken,
    valueUsd: valueInUsd(event.quoteAmount, at),
    price: ratioToNumber(event.virtualQuote, event.virtualToken),
  }
}

function valueInUsd(quoteAmount: bigint, { quoteUsd }: EventContext): bigint | null {
  if (quoteUsd === null) return null
  const value = nativeToUsd(quoteAmount, quoteUsd)
  return value === 0n ? value : validUsdOrNull(value)
}

/**
 * Converts a swap to a trade. The trader of a buy is the recipient, whom the pair itself pays. The event names no
 * seller: the wallet that paid the most tokens into the pool counts, or else the recipient, marked as unknown. Returns
 * undefined if nothing was exchanged, as in a flash loan repaid in kind.
 */
export function interpretSwap(
  swap: PoolSwapEvent,
  sync: PoolSyncEvent,
  pool: Pool,
  at: EventContext,
  payments: readonly Payment[],
): Trade | undefined {
  const zero = { in: swap.amount0In, out: swap.amount0Out }
  const one = { in: swap.amount1In, out: swap.amount1Out }
  const exchanged = measureSwap(pool.tokenFirst ? zero : one, pool.tokenFirst ? one : zero)
  if (!exchanged) return undefined
  const { side, quoteAmount, tokenAmount } = exchanged
  const reserves = orderReserves(sync, pool)
  const trader = side === 'buy' ? swap.to : findPayer(payments)
  return {
    kind: 'trade',
    venue: 'pool',
    pool: pool.address,
    side,
    token: pool.token,
    trader: trader ?? swap.to,
    traderKnown: trader !== undefined,
    recipient: swap.to,
    quoteAmount,
    tokenAmount,
    protocolFee: 0n,
    creatorFee: 0n,
    virtualQuote: reserves.poolQuote,
    virtualToken: reserves.poolToken,
    realQuote: null,
    realToken: null,
    valueUsd: valueInUsd(quoteAmount, at),
    price: ratioToNumber(reserves.poolQuote, reserves.poolToken),
  }
}

interface Flow {
  in: bigint
  out: bigint
}

/**
 * The amounts that a swap exchanged. If one side was paid out, input on that side is not the trader's: coins left in
 * the pair count as input of the next swap. If both were paid out, as in a flash loan, only the difference was traded.
 */
function measureSwap(token: Flow, quote: Flow): Pick<Trade, 'side' | 'quoteAmount' | 'tokenAmount'> | undefined {
  const isFlash = token.out > 0n && quote.out > 0n
  const [tokenNet, quoteNet] = [token.out - token.in, quote.out - quote.in]
  const bought = isFlash ? tokenNet : token.out
  const sold = isFlash ? quoteNet : quote.out
  const [paid, given] = isFlash ? [-quoteNet, -tokenNet] : [quote.in, token.in]
  if (bought > 0n && paid > 0n) return { side: 'buy', quoteAmount: paid, tokenAmount: bought }
  if (sold > 0n && given > 0n) return { side: 'sell', quoteAmount: sold, tokenAmount: given }
  return undefined
}

export function orderReserves(sync: PoolSyncEvent, pool: Pool): { poolQuote: bigint; poolToken: bigint } {
  return pool.tokenFirst
    ? { poolToken: sync.reserve0, poolQuote: sync.reserve1 }
    : { poolToken: sync.reserve1, poolQuote: sync.reserve0 }
}
