import { subtract } from '../../chain/amounts.ts'
import type { CurveTradeFact } from '../../launchpads/launchpad.ts'
import type { SwapFact } from '../../venues/venue.ts'
import type { EventContext } from '../engine/batch.ts'
import type { TradeEvent } from './events.ts'
import type { Prices, Value } from './pricing.ts'
import type { KnownPool, Launch } from './registry.ts'

export function interpretTrade(
  fact: CurveTradeFact,
  at: EventContext,
  { soldOutAt, virtualQuote, launchpadKind }: Pick<Launch, 'soldOutAt' | 'virtualQuote' | 'launchpadKind'>,
  { price, priceUsd, priceNative, isNative, rateNative }: Prices,
  { valueUsd, valueNative }: Value,
): TradeEvent {
  return {
    kind: 'trade',
    at,
    venue: 'curve',
    pool: null,
    side: fact.side,
    token: fact.token,
    launchpadKind,
    trader: fact.trader,
    traderKnown: true,
    recipient: fact.recipient,
    quoteAmount: fact.quoteAmount,
    tokenAmount: fact.tokenAmount,
    protocolFee: fact.protocolFee,
    creatorFee: fact.creatorFee,
    virtualQuote: fact.virtualQuote,
    virtualToken: fact.virtualToken,
    realQuote: fact.realQuote ?? subtract(fact.virtualQuote, BigInt(virtualQuote)),
    realToken: fact.realToken ?? subtract(fact.virtualToken, BigInt(soldOutAt)),
    valueUsd,
    valueNative,
    price,
    priceUsd,
    priceNative,
    isNative,
    rateNative,
    transfer: null,
  }
}

/** The recipient of a swap by an unknown wallet counts as its trader, marked as unknown. */
export function interpretSwap(
  swap: SwapFact,
  pool: KnownPool,
  at: EventContext,
  { launchpadKind }: Pick<Launch, 'launchpadKind'>,
  { price, priceUsd, priceNative, isNative, rateNative }: Prices,
  { valueUsd, valueNative }: Value,
): TradeEvent {
  return {
    kind: 'trade',
    at,
    venue: 'pool',
    pool: pool.address,
    side: swap.side,
    token: pool.token,
    launchpadKind,
    trader: swap.trader ?? swap.recipient,
    traderKnown: swap.trader !== undefined,
    recipient: swap.recipient,
    quoteAmount: swap.quoteAmount,
    tokenAmount: swap.tokenAmount,
    protocolFee: 0n,
    creatorFee: 0n,
    virtualQuote: swap.quote,
    virtualToken: swap.token,
    realQuote: null,
    realToken: null,
    valueUsd,
    valueNative,
    price,
    priceUsd,
    priceNative,
    isNative,
    rateNative,
    transfer: null,
  }
}
