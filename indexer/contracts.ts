import type { Address } from 'viem'
import { launchpadAbi } from '../chain/abi/launchpad.ts'
import type { Chain } from '../chain/rpc/client.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/client.ts'
import { type Contracts, openChainState } from './engine/contracts.ts'
import { modules } from './modules.ts'

/** Completes the configured contracts from the chain. Rejects while no node is reachable. */
export async function resolveContracts(chain: Chain, { deployments }: Pick<Config, 'deployments'>): Promise<Contracts> {
  const ofKind = (kind: Config['deployments'][number]['kind']) => deployments.filter((one) => one.kind === kind)
  const [first] = ofKind('launchpad')
  if (!first) throw new Error('DEPLOYMENTS names no launchpad: there is nothing to index')
  const wrappedNative = ofKind('wrapped-native')[0]?.address ?? (await readWrappedNative(chain, first.address))
  // One feed only: with several, the price would depend on the block at which indexing began.
  const feed = ofKind('price-feed').at(-1)?.address ?? null
  const own = modules.map((module) => ({ name: module.name, deployed: ofKind(module.deployments) }))
  return {
    modules,
    addresses: new Map(own.map(({ name, deployed }) => [name, new Set(deployed.map(({ address }) => address))])),
    wrappedNative,
    feed,
    startBlock: Math.min(...own.flatMap(({ deployed }) => deployed.map(({ startBlock }) => startBlock))),
  }
}

async function readWrappedNative(chain: Chain, launchpad: string): Promise<string> {
  const address = await chain.client.readContract({
    address: launchpad as Address,
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
