import type { Static } from '@sinclair/typebox'
import type { FeedEventRow } from '../../db/queries/integrations/adapter.ts'
import type { FeedEvent } from '../../schemas/integrations/adapter.ts'
import { hasReserves } from '../launchpad.ts'
import { toChecksum, toCoins, toPoolId, toPrice } from './format.ts'

type Event = Static<typeof FeedEvent>
type Common = Pick<Event, 'block' | 'txnId' | 'txnIndex' | 'eventIndex' | 'maker'>

/** Events of a row, as the indexers of exchanges read them: none for a hidden token, two for a graduation, which moves liquidity between two pairs. */
export function toFeedEvents(row: FeedEventRow): Event[] {
  if (!row.listed) return []
  const common: Common = {
    block: { blockNumber: row.block_number, blockTimestamp: row.block_time },
    txnId: row.tx_hash,
    txnIndex: row.first_log,
    eventIndex: 2 * row.log_index,
    maker: toChecksum(row.maker),
  }
  return row.kind === 'graduate' ? toMove(row, common) : toSwap(row, common)
}

/**
 * A swap, or none if an amount or the price is zero: rounding can pay nothing for a small sale, and clients of the feed
 * stop at such a swap.
 */
function toSwap(row: FeedEventRow, common: Common): Event[] {
  const [tokens, coins] = [BigInt(row.token_amount ?? 0), BigInt(row.quote_amount ?? 0)]
  const decimals = { quote: row.quote_decimals, token: row.decimals }
  const priceNative = toPrice(row.virtual_quote ?? 0n, row.virtual_token ?? 0n, decimals)
  if (tokens <= 0n || coins <= 0n || priceNative === null) return []
  const [asset0, asset1] = [toCoins(tokens, row.decimals), toCoins(coins, row.quote_decimals)]
  const exchanged =
    row.kind === 'buy' ? { asset1In: asset1, asset0Out: asset0 } : { asset0In: asset0, asset1Out: asset1 }
  const pairId = toPoolId(row.venue === 'pool' ? (row.pool ?? row.token) : row.token)
  return [{ ...common, eventType: 'swap', pairId, ...exchanged, priceNative, ...toReserves(row) }]
}

/** Reserves after the event, if they are known. A curve holds the tokens for sale and those reserved for the pool. */
function toReserves(row: FeedEventRow): Pick<Event, 'reserves'> {
  if (row.venue === 'pool' && !hasReserves(row.pool_type)) return {}
  const [token, coin] =
    row.venue === 'pool'
      ? [BigInt(row.virtual_token ?? 0), BigInt(row.virtual_quote ?? 0)]
      : [BigInt(row.real_token ?? 0) + BigInt(row.set_aside), BigInt(row.real_quote ?? 0)]
  return { reserves: { asset0: toCoins(token, row.decimals), asset1: toCoins(coin, row.quote_decimals) } }
}

function toMove(row: FeedEventRow, common: Common): Event[] {
  const { pool, quoteLiquidity, tokenLiquidity } = row.data ?? {}
  if (!pool || !quoteLiquidity || !tokenLiquidity) return []
  const amounts = {
    amount0: toCoins(tokenLiquidity, row.decimals),
    amount1: toCoins(quoteLiquidity, row.quote_decimals),
  }
  const [token, coin] = [row.pool_token ?? tokenLiquidity, row.pool_quote ?? quoteLiquidity]
  return [
    {
      ...common,
      eventType: 'exit',
      pairId: toChecksum(row.token),
      ...amounts,
      reserves: { asset0: '0', asset1: '0' },
    },
    {
      ...common,
      eventIndex: common.eventIndex + 1,
      eventType: 'join',
      pairId: toPoolId(pool),
      ...amounts,
      ...(hasReserves(row.pool_type) && {
        reserves: { asset0: toCoins(token, row.decimals), asset1: toCoins(coin, row.quote_decimals) },
      }),
    },
  ]
}
