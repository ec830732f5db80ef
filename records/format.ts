import { nativeToUsd, parseUsd, usdToNumber } from '../chain/amounts.ts'

/** Unix seconds as ISO 8601. */
export const toIso = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** Worth of an amount of native coin at a price with decimals; null without a price. */
export function toUsd(amount: bigint, quoteUsd: string | null): number | null {
  return quoteUsd === null ? null : usdToNumber(nativeToUsd(amount, parseUsd(quoteUsd)))
}
