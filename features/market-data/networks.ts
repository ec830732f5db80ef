/** GeckoTerminal's names of chains, by chain id. The embedded chain has none of its own, and is shown Ethereum's markets. */
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

/** null for a chain that has no such name, as far as we know: one address may be two tokens on two chains. */
export const findNetwork = (chainId: number): string | null => networks[chainId] ?? null
