import { nativeToUsd, parseUsd, usdToNumber } from '../chain/amounts.ts'
import { MAX_TIME } from '../chain/bounds.ts'

const LAST_SECOND = Number(MAX_TIME)

/** Unix seconds as ISO 8601, capped at the end of the year 9999: some contracts use later times. */
export const toIso = (seconds: number): string => new Date(Math.min(seconds, LAST_SECOND) * 1000).toISOString()

/** USD value of an amount of native coin (wei) at a decimal price; null without a price. */
export function toUsd(amount: bigint, quoteUsd: string | null): number | null {
  return quoteUsd === null ? null : usdToNumber(nativeToUsd(amount, parseUsd(quoteUsd)))
}
