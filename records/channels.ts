/** Channels of live events. Names hold no spaces; ids and addresses are lower-case. */
export const channels = {
  tokens: 'tokens',
  trades: 'trades',
  feed: 'feed',
  raises: 'raises',
  staking: 'staking',
  stats: 'stats',
  token: (address: string) => `token:${address}`,
  wallet: (address: string) => `wallet:${address}`,
  raise: (id: string) => `raise:${id}`,
} as const
