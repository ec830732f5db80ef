import { type Chain, defineChain, http } from 'viem'
import { createConfig, createStorage } from 'wagmi'
import type { Config } from '../data/config.tsx'
import { API_URL } from '../lib/api.ts'
import { storage } from '../lib/storage.ts'
import { demoConnector } from './demo-connector.ts'

/** The chain of the service, reached through the service's own node, so that every wallet sees the same state. */
function describeChain({ chainId, chainName, nativeCurrency, explorerUrl }: Config): Chain {
  const { name, symbol, decimals } = nativeCurrency
  return defineChain({
    id: chainId,
    name: chainName,
    nativeCurrency: { name, symbol, decimals },
    ...(explorerUrl && { blockExplorers: { default: { name: new URL(explorerUrl).host, url: explorerUrl } } }),
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
    storage: createStorage({ storage }),
    transports: { [chain.id]: http(`${API_URL}/rpc`, { batch: true }) },
    pollingInterval: 500,
  })
}
