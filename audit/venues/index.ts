import type { AuditedVenue } from './audited-venue.ts'
import { uniswapV2 } from './uniswap-v2.ts'
import { uniswapV3 } from './uniswap-v3.ts'

/** By the type of the pool. */
export const auditedVenues: Readonly<Record<string, AuditedVenue>> = {
  'uniswap-v2': uniswapV2,
  'uniswap-v3': uniswapV3,
}
