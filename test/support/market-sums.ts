import type { Insertable } from 'kysely'
import { toBytes } from '../../db/hex.ts'
import type { Database } from '../../db/schema.ts'
import { priceOf, since, sum, usdOf, volumeOf } from './market-rows.ts'
import { HEAD, LAUNCHPAD, QUOTE_USD, type SimulatedToken, type SimulatedTrade, timeOf } from './market-simulation.ts'
import type { ReadableCandle } from './readable-rows.ts'

const RESOLUTIONS = [60, 300, 900, 1_800, 3_600, 14_400, 86_400]
const DAY = 86_400
const NOW = timeOf(HEAD)

export function toCandleRows(token: SimulatedToken): ReadableCandle[] {
  return RESOLUTIONS.flatMap((resolution) => {
    const bucketOf = (trade: SimulatedTrade) => timeOf(trade.block) - (timeOf(trade.block) % resolution)
    return [...Map.groupBy(token.trades, bucketOf)].map(([bucket, trades]) =>
      toCandleRow(token, resolution, bucket, trades),
    )
  })
}

function toCandleRow(
  token: SimulatedToken,
  resolution: number,
  bucket: number,
  trades: SimulatedTrade[],
): ReadableCandle {
  const prices = trades.map(priceOf)
  const [first, last] = [trades[0] as SimulatedTrade, trades.at(-1) as SimulatedTrade]
  const [open, close] = [priceOf(first), priceOf(last)]
  const [high, low] = [Math.max(...prices), Math.min(...prices)]
  return {
    token: token.address,
    resolution,
    bucket,
    open,
    high,
    low,
    close,
    open_usd: open * QUOTE_USD,
    high_usd: high * QUOTE_USD,
    low_usd: low * QUOTE_USD,
    close_usd: close * QUOTE_USD,
    volume: volumeOf(trades),
    volume_usd: usdOf(volumeOf(trades)),
    trades: trades.length,
    open_block: first.block,
    open_log: first.log,
    close_block: last.block,
    close_log: last.log,
  }
}

export function toWalletRows(trades: SimulatedTrade[]): Insertable<Database['wallet_figures']>[] {
  return [...Map.groupBy(trades, (trade) => trade.trader)].map(([wallet, own]) => {
    const [h24, d7, d30] = [1, 7, 30].map((days) => since(own, NOW - days * DAY)) as [
      SimulatedTrade[],
      SimulatedTrade[],
      SimulatedTrade[],
    ]
    return {
      wallet: toBytes(wallet),
      launchpad_kind: 'slipway',
      trades_total: own.length,
      volume_total: volumeOf(own),
      volume_usd_total: usdOf(volumeOf(own)),
      trades_h24: h24.length,
      volume_h24: volumeOf(h24),
      volume_usd_h24: usdOf(volumeOf(h24)),
      trades_d7: d7.length,
      volume_d7: volumeOf(d7),
      volume_usd_d7: usdOf(volumeOf(d7)),
      trades_d30: d30.length,
      volume_d30: volumeOf(d30),
      volume_usd_d30: usdOf(volumeOf(d30)),
    }
  })
}

export function toDayRows(trades: SimulatedTrade[]): Insertable<Database['launchpad_days']>[] {
  const days = Map.groupBy(trades, ({ block }) => timeOf(block) - (timeOf(block) % DAY))
  return [...days].map(([day, some]) => ({
    day,
    launchpad: LAUNCHPAD,
    trades: some.length,
    volume: volumeOf(some),
    volume_usd: usdOf(volumeOf(some)),
    protocol_fees: sum(some.map(({ protocolFee }) => protocolFee)),
    creator_fees: sum(some.map(({ creatorFee }) => creatorFee)),
  }))
}

export function toPlatformFigures(tokens: SimulatedToken[], trades: SimulatedTrade[]) {
  const h24 = since(trades, NOW - DAY)
  const tradersOf = (some: SimulatedTrade[]) => new Set(some.map((trade) => trade.trader)).size
  const feesOf = (some: SimulatedTrade[], fee: 'protocolFee' | 'creatorFee') => sum(some.map((trade) => trade[fee]))
  return {
    tokens_total: tokens.length,
    tokens_graduated: tokens.filter(({ status }) => status === 'graduated').length,
    traders_total: tradersOf(trades),
    traders_h24: tradersOf(h24),
    trades_total: trades.length,
    trades_h24: h24.length,
    volume_total: volumeOf(trades),
    volume_usd_total: usdOf(volumeOf(trades)),
    volume_h24: volumeOf(h24),
    volume_usd_h24: usdOf(volumeOf(h24)),
    protocol_fees_total: feesOf(trades, 'protocolFee'),
    protocol_fees_h24: feesOf(h24, 'protocolFee'),
    creator_fees_total: feesOf(trades, 'creatorFee'),
    creator_fees_h24: feesOf(h24, 'creatorFee'),
  }
}
