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

/** The channels of a wallet's transaction: its own, and those of a staking pool or a raise. */
export function channelsOfTransaction(
  wallet: string,
  { pool, raise }: { pool: string | null; raise: string | null },
): string[] {
  const own = channels.wallet(wallet)
  if (pool !== null) return [own, channels.staking]
  return raise === null ? [own] : [own, channels.raises, channels.raise(raise)]
}
