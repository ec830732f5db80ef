/** The launchpads that can be followed: the name of the product, and the kind of its contracts in DEPLOYMENTS. */
export const launchpadKinds = {
  slipway: { name: 'Slipway', deployment: 'launchpad' },
  'nad-fun': { name: 'nad.fun', deployment: 'nad-fun' },
  'clanker-v31': { name: 'Clanker v3.1', deployment: 'clanker-v31' },
  'four-meme': { name: 'four.meme', deployment: 'four-meme' },
  flap: { name: 'Flap', deployment: 'flap' },
  'clanker-v4': { name: 'Clanker v4', deployment: 'clanker-v4' },
} as const

export type LaunchpadKind = keyof typeof launchpadKinds

export type LaunchpadDeployment = (typeof launchpadKinds)[LaunchpadKind]['deployment']

/** What this service can do with the tokens of a launchpad. */
export type Capability = 'launch' | 'trade' | 'quote' | 'pool-trade' | 'graduate' | 'creator-fees'
