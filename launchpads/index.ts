import type { Launchpad } from './launchpad.ts'
import { nadFun } from './nad-fun/nad-fun.ts'
import { slipway } from './slipway/slipway.ts'

/** Every launchpad that can be followed. */
export const launchpads: readonly Launchpad[] = [slipway, nadFun]
