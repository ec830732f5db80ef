import type { Static } from '@sinclair/typebox'
import { toChangePercent, toPercent } from '../chain/price.ts'
import type { TokenMarks } from '../db/queries/token-marks.ts'
import type { TokenRow } from '../db/queries/tokens.ts'
import type { Token } from '../schemas/tokens.ts'
import { toIso } from './format.ts'
import { hasCurveReserves, readReserves, toLaunchpad } from './launchpad.ts'
import { toMarketCapUsd, toPrices, toQuote, toUsdNumber, usdOf } from './quote.ts'

/** A token as the API serves it. `marks`: what it is to the requesting wallet; null for anonymous requests. */
export function toToken(
  row: TokenRow,
  { chainId, marks }: { chainId: number; marks: TokenMarks | null },
): Static<typeof Token> {
  const supply = BigInt(row.total_supply)
  const usd = usdOf(row)
  const reserves = readReserves(row)
  const ofCurve = (amount: string): string => (row.lifecycle === 'curve' ? amount : '0')
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
    lifecycle: row.lifecycle,
    progressPct: Number(row.progress),
    graduatedAt: row.graduated_at === null ? null : toIso(row.graduated_at),
    poolAddress: row.pool,
    launchpad: toLaunchpad(row),
    quote: toQuote(row),
    virtualQuote: hasCurveReserves(row.launchpad_kind) ? ofCurve(row.virtual_quote) : '0',
    virtualToken: hasCurveReserves(row.launchpad_kind) ? ofCurve(row.virtual_token) : '0',
    // At graduation, what the curve had raised moved to the pool.
    realQuote: ofCurve(row.status === 'graduated' ? '0' : row.real_quote),
    realToken: ofCurve(row.real_token),
    targetQuote: ofCurve(row.target_quote),
    protocolFeeBps: row.protocol_fee_bps,
    creatorFeeBps: row.creator_fee_bps,
    ...toPrices(row, reserves, row.quote?.native ?? null),
    priceUsd: usd === null ? null : row.price * Number(usd),
    marketCapUsd: toMarketCapUsd(row, reserves),
    athMarketCapUsd: row.ath_market_cap_usd,
    liquidityUsd: reserves.liquidity === null ? null : toUsdNumber(row, reserves.liquidity),
    volume: { h1: row.volume_h1, h24: row.volume_h24, total: row.volume_total },
    volumeQuote: {
      h1: row.volume_quote_h1 ?? row.volume_h1,
      h24: row.volume_quote_h24 ?? row.volume_h24,
      total: row.volume_quote_total ?? row.volume_total,
    },
    volumeUsd24h: usd === null ? null : Number(row.volume_usd_h24),
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
    sniperPct: toPercent(BigInt(row.sniper_balance), supply),
    bundlerPct: row.bundler_balance === null ? null : toPercent(BigInt(row.bundler_balance), supply),
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
