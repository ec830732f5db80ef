import { nativeToUsd, parseUsd, usdToNumber } from '../chain/amounts.ts'
import { MAX_TIME } from '../chain/bounds.ts'

const LAST_SECOND = Number(MAX_TIME)

/** Unix seconds as ISO 8601. What is later than its years of four digits, as some contracts' times are, is their end. */
export const toIso = (seconds: number): string => new Date(Math.min(seconds, LAST_SECOND) * 1000).toISOString()

/** Worth of an amount of native coin at a price with decimals; null without a price. */
export function toUsd(amount: bigint, quoteUsd: string | null): number | null {
  return quoteUsd === null ? null : usdToNumber(nativeToUsd(amount, parseUsd(quoteUsd)))
}
