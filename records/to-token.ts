import type { Static } from '@sinclair/typebox'
import { formatRatio, toChangePercent, toPercent } from '../chain/price.ts'
import type { TokenMarks } from '../db/queries/token-marks.ts'
import type { TokenRow } from '../db/queries/tokens.ts'
import type { Token } from '../schemas/tokens.ts'
import { toIso, toUsd } from './format.ts'
import { hasReserves, toLaunchpad } from './launchpad.ts'
import { nativeQuote } from './quote.ts'

/** A token as the API serves it. `marks`: what it is to the requesting wallet; null for anonymous requests. */
export function toToken(
  row: TokenRow,
  { chainId, marks }: { chainId: number; marks: TokenMarks | null },
): Static<typeof Token> {
  const supply = BigInt(row.total_supply)
  const inUsd = (amount: bigint) => toUsd(amount, row.quote_usd)
  const reserves = readReserves(row)
  return {
    address: row.address,
    chainId,
    name: row.name,
    symbol: row.symbol,
    decimals: row.decimals,
    totalSupply: row.total_supply,
    description: row.description,
    imageUrl: row.image_url,
    bannerUrl: row.banner_url,
    metadataUri: row.metadata_uri,
    links: { website: row.website, twitter: row.twitter, telegram: row.telegram, discord: row.discord },
    creator: row.creator,
    createdAt: toIso(row.block_time),
    blockNumber: row.block_number,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    confirmed: row.confirmed,
    status: row.status,
    progressPct: Number(row.progress),
    graduatedAt: row.graduated_at === null ? null : toIso(row.graduated_at),
    poolAddress: row.pool,
    launchpad: toLaunchpad(row),
    quote: nativeQuote(row.native_symbol),
    virtualQuote: row.virtual_quote,
    virtualToken: row.virtual_token,
    // At graduation, the curve's native coin moved to the pool.
    realQuote: row.status === 'graduated' ? '0' : row.real_quote,
    realToken: row.real_token,
    targetQuote: row.target_quote,
    protocolFeeBps: row.protocol_fee_bps,
    creatorFeeBps: row.creator_fee_bps,
    priceNative: formatRatio(reserves.quote, reserves.token),
    priceUsd: row.quote_usd === null ? null : row.price * Number(row.quote_usd),
    marketCapUsd: inUsd(BigInt(row.market_cap)),
    athMarketCapUsd: row.ath_market_cap_usd,
    liquidityUsd: reserves.liquidity === null ? null : inUsd(reserves.liquidity),
    volume: { h1: row.volume_h1, h24: row.volume_h24, total: row.volume_total },
    volumeUsd24h: row.quote_usd === null ? null : Number(row.volume_usd_h24),
    priceChangePct: {
      m5: toChangePercent(row.price, row.price_m5),
      h1: toChangePercent(row.price, row.price_h1),
      h24: toChangePercent(row.price, row.price_h24),
    },
    buys24h: row.buys_h24,
    sells24h: row.sells_h24,
    traders24h: row.traders_h24,
    lastTradeAt: row.last_trade_at === null ? null : toIso(row.last_trade_at),
    holderCount: row.holder_count,
    top10Pct: toPercent(BigInt(row.top10_balance), supply),
    creatorHeldPct: toPercent(BigInt(row.creator_balance), supply),
    commentCount: row.comment_count,
    likeCount: row.like_count,
    likedByMe: marks?.liked ?? null,
    watcherCount: row.watcher_count,
    watchedByMe: marks?.watched ?? null,
    featured: row.featured,
    hidden: row.hidden,
    symbolTakenBefore: row.symbol_taken_before,
  }
}

/** The reserves whose ratio is the price, and the liquidity in native coin; null if the pool's logs do not tell it. */
function readReserves(row: TokenRow): { quote: bigint; token: bigint; liquidity: bigint | null } {
  if (row.status !== 'graduated' || row.pool_quote === null || row.pool_token === null) {
    const liquidity = BigInt(row.real_quote)
    return { quote: BigInt(row.virtual_quote), token: BigInt(row.virtual_token), liquidity }
  }
  const quote = BigInt(row.pool_quote)
  return { quote, token: BigInt(row.pool_token), liquidity: hasReserves(row.venue) ? 2n * quote : null }
}
