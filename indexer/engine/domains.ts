import type { Hex } from 'viem'
import { raises } from '../raises/domain.ts'
import { staking } from '../staking/domain.ts'
import type { Domain } from './domain.ts'

/** Every domain beside the market of the launchpads. */
export const domains: readonly Domain[] = [staking, raises]

export const domainTopics: readonly Hex[] = domains.flatMap(({ topics }) => topics)
