import type { Hex } from 'viem'
import type { Domain } from './domain.ts'
import { raises } from './raises/domain.ts'
import { staking } from './staking/domain.ts'

/** Every domain beside the market of the launchpads. */
export const domains: readonly Domain[] = [staking, raises]

export const domainTopics: readonly Hex[] = domains.flatMap(({ topics }) => topics)
