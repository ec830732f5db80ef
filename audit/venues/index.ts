import type { AuditedVenue } from './audited-venue.ts'
import { uniswapV2 } from './uniswap-v2.ts'
import { uniswapV2OrV3 } from './uniswap-v2-or-v3.ts'
import { uniswapV3 } from './uniswap-v3.ts'
import { uniswapV4 } from './uniswap-v4.ts'

/** The oracles, by the type of the pool. */
export const auditedVenues: Readonly<Record<string, AuditedVenue>> = {
  'uniswap-v2': uniswapV2,
  'uniswap-v3': uniswapV3,
  'uniswap-v4': uniswapV4,
  'uniswap-v2-or-v3': uniswapV2OrV3,
}

/** The venue whose pools share the contracts of a kind in DEPLOYMENTS, with its name. */
export const findVenueSharing = (kind: string | undefined) =>
  Object.entries(auditedVenues).find(([, { shared }]) => shared !== null && shared.deployment === kind)
