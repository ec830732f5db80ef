/** The launchpads that can be followed, with the names of the products. */
export const launchpadNames = {
  slipway: 'Slipway',
  'nad-fun': 'nad.fun',
} as const

export type LaunchpadKind = keyof typeof launchpadNames

/** What this service can do with the tokens of a launchpad. */
export type Capability = 'launch' | 'trade' | 'quote' | 'graduate' | 'creator-fees'
