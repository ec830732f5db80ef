import type { Static } from '@sinclair/typebox'
import type { FeedRow } from '../db/queries/feed.ts'
import type { FeedItem } from '../schemas/social.ts'
import { toQuote } from './quote.ts'
import { toAuthor } from './to-author.ts'

type Item = Static<typeof FeedItem>

/** An item of the social feed as the API serves it. */
export function toFeedItem(row: FeedRow): Item {
  return {
    id: row.comment_id === null ? `${row.tx_hash}-${row.log_index}` : `comment-${row.comment_id}`,
    type: row.type,
    actor: toAuthor(row.actor, row),
    token: { address: row.token, name: row.name, symbol: row.symbol, imageUrl: row.image_url, decimals: row.decimals },
    trade: toFeedTrade(row),
    comment: row.comment_id === null ? null : { id: String(row.comment_id), text: row.body ?? '' },
    createdAt: row.happened_at.toISOString(),
    blockNumber: row.block_number,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    confirmed: row.comment_id === null ? row.confirmed : null,
  }
}

function toFeedTrade(row: FeedRow): Item['trade'] {
  const { side, token_amount, quote_amount, value_usd } = row
  if (side === null || token_amount === null || quote_amount === null) return null
  const valueUsd = value_usd === null ? null : Number(value_usd)
  return { side, tokenAmount: token_amount, quoteAmount: quote_amount, quote: toQuote(row), valueUsd }
}
