import { type Chain, defineChain, http } from 'viem'
import { createConfig } from 'wagmi'
import { COIN, type Config } from '../data/config.tsx'
import { API_URL } from '../lib/api.ts'
import { demoConnector } from './demo-connector.ts'

/** The chain of the service, reached through the service's own node, so that every wallet sees the same state. */
function describeChain({ chainId, brand }: Config): Chain {
  return defineChain({
    id: chainId,
    name: chainId === 31337 ? `${brand.name} demo chain` : `Chain ${chainId}`,
    nativeCurrency: { name: COIN.symbol, symbol: COIN.symbol, decimals: COIN.decimals },
    rpcUrls: { default: { http: [`${API_URL}/rpc`] } },
  })
}

/** Browser wallets announce themselves (EIP-6963); the demo wallet exists on the embedded chain alone. */
export function createWagmiConfig(config: Config) {
  const chain = describeChain(config)
  const { demo } = config
  return createConfig({
    chains: [chain],
    connectors: demo ? [demoConnector(demo, `${API_URL}/rpc`)] : [],
    multiInjectedProviderDiscovery: true,
    transports: { [chain.id]: http(`${API_URL}/rpc`, { batch: true }) },
    pollingInterval: 500,
  })
}
