/** GeckoTerminal's network names by chain id. The embedded chain (31337) has none, and shows Ethereum's markets. */
const networks: Readonly<Record<number, string>> = {
  1: 'eth',
  10: 'optimism',
  56: 'bsc',
  100: 'xdai',
  130: 'unichain',
  137: 'polygon_pos',
  324: 'zksync',
  8453: 'base',
  31337: 'eth',
  42161: 'arbitrum',
  43114: 'avax',
  59144: 'linea',
  81457: 'blast',
  534352: 'scroll',
}

/** null for an unknown chain: an address may be another token there, so no default is correct. */
export const findNetwork = (chainId: number): string | null => networks[chainId] ?? null
