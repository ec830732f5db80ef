import { launchpadAbi } from '../chain/abi/launchpad.ts'
import type { Chain } from '../chain/rpc/client.ts'
import type { Config, Deployment } from '../config/config.ts'
import type { Db } from '../db/client.ts'
import { type Contracts, openChainState } from './engine/contracts.ts'
import { modules } from './modules.ts'

/** Completes the configured contracts from the chain. Rejects while no node is reachable. */
export async function resolveContracts(chain: Chain, { deployments }: Pick<Config, 'deployments'>): Promise<Contracts> {
  const ofKind = (kind: Config['deployments'][number]['kind']) => deployments.filter((one) => one.kind === kind)
  const wrappedNative = ofKind('wrapped-native')[0]?.address ?? (await readWrappedNative(chain, ofKind('launchpad')[0]))
  // One feed only: with several, the price would depend on the block at which indexing began.
  const feed = ofKind('price-feed').at(-1)?.address ?? null
  const own = modules.map((module) => ({
    name: module.name,
    deployed: deployments.filter(({ kind }) => module.deployments.includes(kind)),
  }))
  return {
    modules,
    addresses: new Map(
      own.map(({ name, deployed }) => [name, new Map(deployed.map(({ address, kind }) => [address, kind]))]),
    ),
    wrappedNative,
    feed,
    startBlock: Math.min(...own.flatMap(({ deployed }) => deployed.map(({ startBlock }) => startBlock))),
  }
}

async function readWrappedNative(chain: Chain, launchpad: Deployment | undefined): Promise<string> {
  if (launchpad === undefined)
    throw new Error('DEPLOYMENTS names neither a launchpad of kind launchpad nor the wrapped-native: add one of them')
  const address = await chain.client.readContract({
    address: launchpad.address,
    abi: launchpadAbi,
    functionName: 'weth',
  })
  return address.toLowerCase()
}

/**
 * Returns a memoized function that resolves the contracts and opens chain_state. A failure is not cached, because a process
 * may start while its node is down. It adds no contracts: while an older version still indexes, with fewer of them, that one
 * would move the checkpoint past their blocks.
 */
export function connectContracts(db: Db, chain: Chain, config: Config): () => Promise<Contracts> {
  let connecting: Promise<Contracts> | undefined
  const connect = async () => {
    const contracts = await resolveContracts(chain, config)
    await openChainState(db, chain, contracts, config)
    return contracts
  }
  return () => {
    connecting ??= connect().catch((error: unknown) => {
      connecting = undefined
      throw error
    })
    return connecting
  }
}
