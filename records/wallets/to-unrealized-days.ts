import { NATIVE_DECIMALS, nativeToUsd, parseUsd, USD_UNIT, usdToNumber } from '../../chain/amounts.ts'
import type { CloseRow, DayEnd, HeldLots, LotRow } from '../../db/queries/wallets/held-lots.ts'
import { toIso } from '../format.ts'

/** A profit in base units of the native coin, and in USD with USD_DECIMALS decimals; null if unknown. */
interface DayProfit {
  native: bigint | null
  usd: bigint | null
}

interface HeldToken {
  lots: LotRow[]
  closes: CloseRow[]
}

const UNKNOWN: DayProfit = { native: null, usd: null }

/** Unrealized profit at the end of each day; the last one is that of now. */
export function toUnrealizedDays(
  held: HeldLots,
  now: DayProfit,
): { date: string; native: string | null; usd: number | null }[] {
  const { days, lots, closes, today } = held
  const sums: DayProfit[] = days.map(({ native_usd }) =>
    lots === null ? UNKNOWN : { native: 0n, usd: native_usd === null ? null : 0n },
  )
  for (const token of groupByToken(lots ?? [], closes)) addToken(sums, days, token)
  return [...days, { day: today }].map(({ day }, index) => {
    const { native, usd } = sums[index] ?? now
    return { date: toIso(day), native: native?.toString() ?? null, usd: usd === null ? null : usdToNumber(usd) }
  })
}

function groupByToken(lots: readonly LotRow[], closes: readonly CloseRow[]): Iterable<HeldToken> {
  const tokens = new Map<number, HeldToken>()
  for (const lot of lots) {
    const token = tokens.get(lot.token_id) ?? { lots: [], closes: [] }
    tokens.set(lot.token_id, token)
    token.lots.push(lot)
  }
  for (const close of closes) tokens.get(close.token_id)?.closes.push(close)
  return tokens.values()
}

/** Adds the profit of a token to each day: its lot and its price hold until the next ones. */
function addToken(sums: DayProfit[], days: readonly DayEnd[], { lots, closes }: HeldToken): void {
  let [nextLot, nextClose] = [0, 0]
  for (const [index, end] of days.entries()) {
    while (nextLot < lots.length && lots[nextLot]!.day <= index) nextLot++
    while (nextClose < closes.length && closes[nextClose]!.day <= end.day) nextClose++
    const [lot, close] = [lots[nextLot - 1], closes[nextClose - 1]]
    if (lot === undefined || BigInt(lot.lot) === 0n) continue
    const profit = close === undefined ? UNKNOWN : profitOf(lot, close, { end, last: lots.at(-1)! })
    const sum = sums[index]!
    sums[index] = { native: add(sum.native, profit.native), usd: add(sum.usd, profit.usd) }
  }
}

const add = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : a + b)

function profitOf(lot: LotRow, close: CloseRow, { end, last }: { end: DayEnd; last: LotRow }): DayProfit {
  const held = heldOf(lot, last)
  if (held === null) return UNKNOWN
  const share = (cost: bigint) => (cost * held) / BigInt(lot.lot)
  const { native, usd } = worthOf(held, close, end)
  return {
    native: native === null || lot.cost_native === null ? null : native - share(BigInt(lot.cost_native)),
    usd: usd === null || lot.cost_usd === null ? null : usd - share(parseUsd(lot.cost_usd)),
  }
}

/** The bought tokens that are held; null if that cannot be told. */
function heldOf({ lot, held, gone }: LotRow, last: LotRow): bigint | null {
  const [bought, balance] = [BigInt(lot), BigInt(held)]
  const received = BigInt(last.balance) - BigInt(last.held)
  // The token transfers other amounts than those of its trades.
  if (received < 0n) return null
  if (gone === 0) return bought
  // It is not known when they were received: before or after others were sent on.
  if (received > 0n) return null
  return balance < bought ? balance : bought
}

/** Closing prices are floats, so values have 15 digits. */
function worthOf(amount: bigint, close: CloseRow, { native_usd }: DayEnd): DayProfit {
  const whole = Number(amount) / 10 ** close.decimals
  const worth = (price: number | null, unit: number) => {
    const value = price === null ? Number.NaN : Math.floor(whole * price * unit)
    return Number.isFinite(value) ? BigInt(value) : null
  }
  const native = worth(close.is_native ? close.close : close.close_native, 10 ** NATIVE_DECIMALS)
  if (!close.is_native) return { native, usd: worth(close.close_usd, USD_UNIT) }
  return { native, usd: native === null || native_usd === null ? null : nativeToUsd(native, parseUsd(native_usd)) }
}
