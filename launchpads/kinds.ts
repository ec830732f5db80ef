/** What records, queries and settings use of a launchpad. They may not import its adapter. */
interface LaunchpadTraits {
  /** The name of the product. */
  name: string
  /** The kind of its contracts in DEPLOYMENTS. */
  deployment: string
  /** What the two amounts are whose ratio is the price of its curves: their virtual reserves, or no more than the price; null: no curves. */
  curve: 'reserves' | 'price' | null
  /** The swap fee of the pools of its tokens in basis points; null: pools differ, by the chain or by the token. */
  poolFeeBps: number | null
}

/** The launchpads that can be followed. */
export const launchpadKinds = {
  slipway: { name: 'Slipway', deployment: 'launchpad', curve: 'reserves', poolFeeBps: 30 },
  'nad-fun': { name: 'nad.fun', deployment: 'nad-fun', curve: 'reserves', poolFeeBps: null },
  'clanker-v31': { name: 'Clanker v3.1', deployment: 'clanker-v31', curve: null, poolFeeBps: null },
  // Its pools are at PancakeSwap V2.
  'four-meme': { name: 'four.meme', deployment: 'four-meme', curve: 'price', poolFeeBps: 25 },
  flap: { name: 'Flap', deployment: 'flap', curve: 'reserves', poolFeeBps: null },
  'clanker-v4': { name: 'Clanker v4', deployment: 'clanker-v4', curve: null, poolFeeBps: null },
} as const satisfies Readonly<Record<string, LaunchpadTraits>>

export type LaunchpadKind = keyof typeof launchpadKinds

/** Our own contracts, which carry the brand of the service. */
export const ownLaunchpad = 'slipway' satisfies LaunchpadKind

export type LaunchpadDeployment = (typeof launchpadKinds)[LaunchpadKind]['deployment']

/** What this service can do with the tokens of a launchpad. */
export type Capability = 'launch' | 'trade' | 'quote' | 'pool-trade' | 'graduate' | 'creator-fees'
