import type { ErrorCode } from '../../errors.ts'

/** Errors of the market data provider, and of refuseOwnToken. */
export const externalMarketReasons = [
  'MARKET_NOT_FOUND',
  'TOKEN_LAUNCHED_HERE',
  'UPSTREAM_FAILED',
  'UPSTREAM_TIMEOUT',
] as const satisfies ErrorCode[]
