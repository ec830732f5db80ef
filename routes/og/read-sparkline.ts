import type { Db } from '../../db/client.ts'
import { getChartBounds, listCandles } from '../../db/queries/candles.ts'
import { fillCandles } from '../../records/fill-candles.ts'

const DAY = 86_400
/** Candle lengths in seconds. The shortest one with at most MOST candles is used. */
const steps = [60, 300, 900]
const MOST = 100

/** Prices of the last 24 hours, or since a later launch, scaled to 0..100. Throws TOKEN_NOT_FOUND. */
export async function readSparkline(db: Db, token: string): Promise<number[]> {
  const { id: tokenId, launched_at, launch_price, clock } = await getChartBounds(db, token)
  const from = Math.max(launched_at, clock - DAY)
  const step = steps.find((step) => (clock - from) / step <= MOST) ?? 900
  const startOf = (time: number) => time - (time % step)
  const window = { start: startOf(from), end: startOf(clock), step, currency: 'quote' as const }
  const rows = await listCandles(db, { tokenId, resolution: step, from: window.start, to: window.end })
  const candles = fillCandles(rows, launch_price, window)
  return scale([candles[0]?.open ?? launch_price, ...candles.map(({ close }) => close ?? launch_price)])
}

/** Rounds, so that changes below one pixel do not change the image. */
function scale(prices: readonly number[]): number[] {
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  if (high === low) return prices.map(() => 50)
  return prices.map((price) => Math.round(((price - low) / (high - low)) * 100))
}
