import { nativeToUsd, parseUsd, usdToNumber } from '../chain/amounts.ts'
import { MAX_TIME } from '../chain/bounds.ts'

const LAST_SECOND = Number(MAX_TIME)

const DAY = 86_400
const MAX_DATES = 10_000
/** Dates by their day since 1970, as far as they have been asked for: a Date takes longer than the rest of a record. */
const dates = new Map<number, string>()
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

function dateOf(day: number): string {
  let date = dates.get(day)
  if (date === undefined) {
    if (dates.size >= MAX_DATES) dates.clear()
    date = new Date(day * DAY * 1000).toISOString().slice(0, -'00:00:00.000Z'.length)
    dates.set(day, date)
  }
  return date
}

/** Whole unix seconds as ISO 8601, capped at the end of the year 9999: some contracts use later times. */
export function toIso(seconds: number): string {
  const capped = Math.min(seconds, LAST_SECOND)
  const day = Math.floor(capped / DAY)
  const second = capped - day * DAY
  const [hours, minutes] = [Math.floor(second / 3_600), Math.floor(second / 60) % 60]
  return `${dateOf(day)}${twoDigits[hours]}:${twoDigits[minutes]}:${twoDigits[second % 60]}.000Z`
}

/** The last price that was parsed: all records of a time have the same. */
let parsed = { text: '', usd: 0n }

function parsePrice(text: string): bigint {
  if (text !== parsed.text) parsed = { text, usd: parseUsd(text) }
  return parsed.usd
}

/** USD value of an amount of native coin (wei) at a decimal price; null without a price. */
export function toUsd(amount: bigint, nativeUsd: string | null): number | null {
  return nativeUsd === null ? null : usdToNumber(nativeToUsd(amount, parsePrice(nativeUsd)))
}
