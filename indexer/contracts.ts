import type { QuoteAsset } from '../chain/rates.ts'
import type { Chain } from '../chain/rpc/client.ts'
import type { Config, Deployment } from '../config/config.ts'
import { findQuoteProblems } from '../config/quotes.ts'
import type { Db } from '../db/client.ts'
import { findUnmetNeeds, findWrappedNativeCall } from '../launchpads/index.ts'
import { launchpadKinds } from '../launchpads/kinds.ts'
import { type Contracts, openChainState } from './engine/contracts.ts'
import { sharedContracts } from './market/registry.ts'
import { modules } from './modules.ts'

/** Completes the configured contracts from the chain. Rejects while no node is reachable. */
export async function resolveContracts(
  chain: Chain,
  { deployments, quotes }: Pick<Config, 'deployments' | 'quotes'>,
): Promise<Contracts> {
  const ofKind = (kind: Config['deployments'][number]['kind']) => deployments.filter((one) => one.kind === kind)
  const wrappedNative = ofKind('wrapped-native')[0]?.address ?? (await readWrappedNative(chain, deployments))
  requireShared(deployments)
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
    quotes: listQuotes(quotes, wrappedNative),
    feed,
    backfilling: new Map(),
    startBlock: Math.min(...own.flatMap(({ deployed }) => deployed.map(({ startBlock }) => startBlock))),
  }
}

/** The assets as they will be added: see addQuotes. Throws Error if the wrapped native coin is among them. */
function listQuotes(quotes: Config['quotes'], wrappedNative: string): ReadonlyMap<string, QuoteAsset> {
  const [problem] = findQuoteProblems(quotes, [wrappedNative])
  if (problem !== undefined) throw new Error(`QUOTES ${problem}`)
  return new Map(
    quotes.map(({ address, symbol, decimals, usd }) => {
      const isOfCoin = 'pool' in usd && usd.quote === wrappedNative
      return [address, { address, symbol, decimals, route: isOfCoin ? { ...usd, quote: 'native' } : usd, since: 0 }]
    }),
  )
}

/**
 * Without the factory or the manager of its pools, no log would name the pools of a launchpad. No log of a launch names the manager,
 * so there may be one alone.
 */
function requireShared(deployments: Config['deployments']): void {
  for (const [kind, { holdsPools }] of sharedContracts)
    if (holdsPools && deployments.filter((one) => one.kind === kind).length > 1)
      throw new Error(`DEPLOYMENTS names more than one ${kind}, but all pools of a chain are in one: leave that one`)
  for (const { launchpad, needs } of findUnmetNeeds(deployments)) {
    const { deployment } = launchpadKinds[launchpad.kind]
    throw new Error(
      `DEPLOYMENTS names ${deployment} without ${needs}, whose events name the pools of its tokens: add it`,
    )
  }
}

async function readWrappedNative(chain: Chain, deployments: readonly Deployment[]): Promise<string> {
  const call = findWrappedNativeCall(deployments)
  if (call !== null) return String(await chain.client.readContract(call)).toLowerCase()
  throw new Error('DEPLOYMENTS does not name the wrapped-native, and its launchpads do not name it either: add it')
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
