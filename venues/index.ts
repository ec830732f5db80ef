import { uniswapV2 } from './uniswap-v2/uniswap-v2.ts'
import { uniswapV3 } from './uniswap-v3/uniswap-v3.ts'
import { uniswapV4 } from './uniswap-v4/uniswap-v4.ts'
import type { Venue } from './venue.ts'

/** Every type of pool that can be followed. */
export const venues: readonly Venue[] = [uniswapV2, uniswapV3, uniswapV4]
