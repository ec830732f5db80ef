import type { Insertable } from 'kysely'
import { ratioToNumber } from '../../chain/amounts.ts'
import { newCurve, totalSupply } from '../../chain/curve.ts'
import { toBytes } from '../../db/hex.ts'
import type { Database } from '../../db/schema.ts'
import { toSymbolKey } from '../../db/symbol-key.ts'
import { addTrends, NO_TREND, toTrendOrder, weighMinutes } from '../../indexer/market/trend.ts'
import {
  FEES,
  HEAD,
  LAUNCHPAD,
  poolAddress,
  QUOTE_USD,
  type SimulatedToken,
  type SimulatedTrade,
  TARGET,
  timeOf,
  transactionHash,
} from './market-simulation.ts'
import type { ReadableAction, ReadableBalance, ReadableTrade } from './readable-rows.ts'

/** Hidden tokens: one on its curve, one graduated. */
export const HIDDEN = [7, 17]
/** The token with metadata of its creator. */
export const DESCRIBED = 0

const H1 = timeOf(HEAD) - 3_600
const H24 = timeOf(HEAD) - 86_400

export const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
export const volumeOf = (trades: SimulatedTrade[]) => sum(trades.map((trade) => trade.quoteAmount))
export const usdOf = (amount: bigint) =>
  ((amount * BigInt(QUOTE_USD) * 10n ** 8n) / 10n ** 18n)
    .toString()
    .padStart(9, '0')
    .replace(/(\d{8})$/, '.$1')
export const since = (trades: SimulatedTrade[], time: number) => trades.filter((trade) => timeOf(trade.block) >= time)
export const priceOf = (trade: SimulatedTrade) => ratioToNumber(trade.virtualQuote, trade.virtualToken)

/** The number of a token: the indexer counts them in their order. */
const numberOf = ({ index }: Pick<SimulatedToken, 'index'>): number => index + 1

export function toTokenRow(token: SimulatedToken): Insertable<Database['tokens']> {
  const { virtualQuote, virtualToken, realToken } = newCurve(TARGET, FEES.protocol, FEES.creator)
  return {
    id: numberOf(token),
    address: token.address,
    launchpad: LAUNCHPAD,
    creator: token.creator,
    quote_token: `0x${'0'.repeat(40)}`,
    name: token.name,
    symbol: token.symbol,
    symbol_key: toSymbolKey(token.symbol),
    metadata_uri: `ipfs://token-${token.index}`,
    total_supply: totalSupply,
    initial_virtual_quote: virtualQuote,
    initial_virtual_token: virtualToken,
    initial_real_token: realToken,
    target_quote: TARGET,
    protocol_fee_bps: FEES.protocol,
    creator_fee_bps: FEES.creator,
    block_number: token.block,
    log_index: token.log,
    tx_hash: transactionHash(token.block, token.log),
    block_time: timeOf(token.block),
  }
}

export function toFiguresRow(token: SimulatedToken): Insertable<Database['token_figures']> {
  const { curve, pool, trades, status } = token
  const last = trades.at(-1)
  const [h24, h1] = [since(trades, H24), since(trades, H1)]
  const priced = pool ?? { quote: curve.virtualQuote, token: curve.virtualToken }
  const marketCap = (priced.quote * totalSupply) / priced.token
  const excluded = [LAUNCHPAD, poolAddress(token.index)]
  const holders = [...token.balances].filter(([wallet, balance]) => balance > 0n && !excluded.includes(wallet))
  const largest = holders.map(([, balance]) => balance).sort((a, b) => (a < b ? 1 : -1))
  const progress = status === 'curve' ? (curve.realQuote * 100_000_000n) / TARGET : 100_000_000n
  const trend = trades
    .map(({ block, quoteAmount }) => {
      const time = timeOf(block)
      return weighMinutes(new Map([[time - (time % 60), quoteAmount]]))
    })
    .reduce(addTrends, NO_TREND)
  return {
    token_id: numberOf(token),
    hidden: HIDDEN.includes(token.index),
    created_block: token.block,
    created_log: token.log,
    status,
    graduated_block: token.graduatedBlock,
    graduated_log: token.graduatedBlock && token.log,
    graduated_at: token.graduatedBlock && timeOf(token.graduatedBlock),
    pool: pool && toBytes(poolAddress(token.index)),
    virtual_quote: curve.virtualQuote,
    virtual_token: curve.virtualToken,
    real_quote: curve.realQuote,
    real_token: curve.realToken,
    pool_quote: pool?.quote ?? null,
    pool_token: pool?.token ?? null,
    progress: (Number(progress) / 1e6).toFixed(6),
    price: ratioToNumber(priced.quote, priced.token),
    market_cap: marketCap,
    ath_market_cap_usd: last ? (Number(marketCap) / 1e18) * QUOTE_USD : null,
    volume_total: volumeOf(trades),
    volume_h24: volumeOf(h24),
    volume_h1: volumeOf(h1),
    volume_usd_h24: usdOf(volumeOf(h24)),
    trades_total: trades.length,
    volume_usd_h1: usdOf(volumeOf(h1)),
    buys_h1: h1.filter((trade) => trade.side === 'buy').length,
    sells_h1: h1.filter((trade) => trade.side === 'sell').length,
    buys_h24: h24.filter((trade) => trade.side === 'buy').length,
    sells_h24: h24.filter((trade) => trade.side === 'sell').length,
    traders_h24: new Set(h24.map((trade) => trade.trader)).size,
    last_trade_block: last?.block ?? null,
    last_trade_log: last?.log ?? null,
    last_trade_at: last ? timeOf(last.block) : null,
    trend: toTrendOrder(trend),
    trend_sum: trend.sum,
    trend_exponent: trend.exponent,
    positive_balances: [...token.balances.values()].filter((balance) => balance > 0n).length,
    holder_count: holders.length,
    top10_balance: sum(largest.slice(0, 10)),
    creator_balance: token.balances.get(token.creator) ?? 0n,
    bundler_balance: 0n,
  }
}

export function toTradeRow(trade: SimulatedTrade): ReadableTrade {
  return {
    block_number: trade.block,
    log_index: trade.log,
    block_time: timeOf(trade.block),
    tx_hash: trade.txHash,
    token: trade.token,
    trader: trade.trader,
    recipient: trade.trader,
    side: trade.side,
    venue: trade.venue,
    token_amount: trade.tokenAmount,
    quote_amount: trade.quoteAmount,
    protocol_fee: trade.protocolFee,
    creator_fee: trade.creatorFee,
    virtual_quote: trade.virtualQuote,
    virtual_token: trade.virtualToken,
    real_quote: trade.realQuote,
    real_token: trade.realToken,
    price: priceOf(trade),
    price_usd: priceOf(trade) * QUOTE_USD,
    value_usd: usdOf(trade.quoteAmount),
  }
}

export function toActionRows(token: SimulatedToken): ReadableAction[] {
  const created = {
    block_number: token.block,
    log_index: token.log,
    block_time: timeOf(token.block),
    tx_hash: transactionHash(token.block, token.log),
    type: 'create',
    wallet: token.creator,
    subject: token.address,
    data: '{}',
  }
  if (token.graduatedBlock === null) return [created]
  const graduated = {
    ...created,
    block_number: token.graduatedBlock,
    block_time: timeOf(token.graduatedBlock),
    tx_hash: transactionHash(token.graduatedBlock, token.log),
    type: 'graduate',
    wallet: LAUNCHPAD,
    data: JSON.stringify({
      pool: poolAddress(token.index),
      quoteLiquidity: String(TARGET),
      tokenLiquidity: String(liquidityOf(token)),
    }),
  }
  return [created, graduated]
}

/** The initial reserves of the pool: the current ones plus later purchases. */
export const liquidityOf = ({ pool, trades }: SimulatedToken): bigint =>
  (pool?.token ?? 0n) + sum(trades.filter(({ venue }) => venue === 'pool').map(({ tokenAmount }) => tokenAmount))

export function toBalanceRows(token: SimulatedToken): ReadableBalance[] {
  return [...token.balances].map(([wallet, balance]) => {
    const own = token.trades.filter((trade) => trade.trader === wallet)
    const first = own[0]?.block ?? token.block
    const last = own.at(-1)?.block ?? null
    return {
      token: token.address,
      wallet,
      balance,
      first_seen_block: first,
      first_seen_at: timeOf(first),
      last_trade_block: last,
      last_trade_at: last && timeOf(last),
      trades_h24: since(own, H24).length,
    }
  })
}

export function toMetadataRows(tokens: SimulatedToken[]): Insertable<Database['token_metadata']>[] {
  return tokens
    .filter(({ index }) => index === DESCRIBED || HIDDEN.includes(index))
    .map(({ index, creator }) => ({
      token_id: numberOf({ index }),
      updated_by: creator,
      hidden: HIDDEN.includes(index),
      featured: index === DESCRIBED,
      ...(index === DESCRIBED && {
        description: 'The cat that sleeps on the slipway.',
        image_url: 'https://images.example.org/hcat.webp',
        website: 'https://hcat.example.org',
      }),
    }))
}
