import { type Address, concat, encodePacked, getAddress, getContractAddress, type Hex, keccak256 } from 'viem'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import { uniswapV2Router02Abi } from '../../chain/abi/uniswap-v2-router02.ts'
import { findContractProblem, MAX_ANSWER_AGE_SECONDS, readAnswerAge } from '../../chain/prove-contract.ts'
import { launchpadContracts } from '../../launchpads/index.ts'
import uniswapV2 from '../uniswap-v2.json' with { type: 'json' }
import type { Clients } from './clients.ts'
import { PAIR_INIT_CODE_HASH } from './creations.ts'

type Client = Clients['publicClient']

/** Contracts of others that the launchpad uses; null: to be created, or no price feed. */
export interface Existing {
  weth: Address | null
  uniswapFactory: Address | null
  uniswapRouter: Address | null
  priceFeed: Address | null
  pairInitCodeHash: Hex
}

/** The existing contracts as options; undefined: the known one of the chain, if there is one. */
export type Given = Partial<Record<'weth' | 'uniswapFactory' | 'uniswapRouter' | 'priceFeed', Address>>

/** Names of the options, for messages. */
const optionNames = {
  weth: '--wrapped',
  uniswapFactory: '--factory',
  uniswapRouter: '--router',
  priceFeed: '--price-feed',
} as const

/** An option or a known contract that does not fit the chain. */
export class ExistingContractError extends Error {
  override name = 'ExistingContractError'
}

const known: Readonly<Record<string, { factory: string; router: string; wrapped?: string }>> = uniswapV2
const lower = (address: string) => address.toLowerCase() as Address

/**
 * Chooses the existing contracts and proves each on the chain: its code, its functions, and that router, factory and
 * wrapped coin belong together.
 */
export async function findExisting(client: Client, chainId: number, given: Given): Promise<Existing> {
  const uniswap = known[String(chainId)]
  const isOwnUniswap = given.uniswapFactory !== undefined || given.uniswapRouter !== undefined
  const chosen = {
    uniswapFactory: given.uniswapFactory ?? (isOwnUniswap || !uniswap ? null : lower(uniswap.factory)),
    uniswapRouter: given.uniswapRouter ?? (isOwnUniswap || !uniswap ? null : lower(uniswap.router)),
    weth: given.weth ?? (uniswap?.wrapped ? lower(uniswap.wrapped) : null),
    priceFeed: given.priceFeed ?? null,
  }
  const kinds = {
    weth: 'wrapped-native',
    uniswapFactory: 'uniswap-factory',
    uniswapRouter: 'uniswap-router',
    priceFeed: 'price-feed',
  } as const
  for (const [name, kind] of Object.entries(kinds) as [keyof typeof kinds, (typeof kinds)[keyof typeof kinds]][]) {
    const address = chosen[name]
    if (address === null) continue
    const problem = await findContractProblem(client, { kind, address }, launchpadContracts)
    if (problem === null) continue
    const origin = given[name] ? optionNames[name] : `${optionNames[name]} (the known one of this chain)`
    throw new ExistingContractError(`${origin}: ${address} ${problem}`)
  }
  if (chosen.uniswapRouter !== null) await completeFromRouter(client, chosen.uniswapRouter, chosen, given)
  if (chosen.uniswapFactory !== null && chosen.weth === null)
    throw new ExistingContractError('--wrapped is required with --factory: the wrapped coin of its pairs')
  if (chosen.priceFeed !== null) await requireFreshFeed(client, chosen.priceFeed)
  const pairInitCodeHash =
    chosen.uniswapFactory === null || chosen.weth === null
      ? PAIR_INIT_CODE_HASH
      : await findPairHash(client, chosen.uniswapFactory, chosen.weth)
  if (chosen.uniswapFactory !== null && chosen.uniswapRouter === null && pairInitCodeHash !== PAIR_INIT_CODE_HASH)
    throw new ExistingContractError('--router is required: Uniswap’s own router does not find the pairs of --factory')
  return { ...chosen, pairInitCodeHash }
}

type Chosen = Record<keyof Given, Address | null>

/** A router names its factory and its wrapped coin: those that are not given are taken from it, the others must match. */
async function completeFromRouter(client: Client, router: Address, chosen: Chosen, given: Given): Promise<void> {
  const read = (functionName: 'factory' | 'WETH') =>
    client.readContract({ address: router, abi: uniswapV2Router02Abi, functionName }).then(lower)
  const [factory, weth] = [await read('factory'), await read('WETH')]
  if (chosen.uniswapFactory !== null && chosen.uniswapFactory !== factory)
    throw new ExistingContractError(`--router: ${router} uses the factory ${factory}, not ${chosen.uniswapFactory}`)
  if (given.weth !== undefined && given.weth !== weth)
    throw new ExistingContractError(`--router: ${router} wraps into ${weth}, not into --wrapped ${given.weth}`)
  chosen.uniswapFactory = factory
  chosen.weth = weth
}

async function requireFreshFeed(client: Client, feed: Address): Promise<void> {
  const { timestamp } = await client.getBlock()
  const age = await readAnswerAge(client, feed, Number(timestamp))
  if (age > MAX_ANSWER_AGE_SECONDS)
    throw new ExistingContractError(
      `--price-feed: the latest answer of ${feed} is ${Math.round(age / 3_600)} hours old; ` +
        'give the feed of the native coin in US dollars that Chainlink lists for this chain',
    )
}

/** Views by which forks of Uniswap V2 return the hash. */
const hashViews = ['INIT_CODE_PAIR_HASH', 'INIT_CODE_HASH', 'pairCodeHash'] as const

/**
 * The creation code hash of a factory's pairs, proven by the address that the factory would create a pair at. Uniswap's
 * own comes first, then the one that the factory returns.
 */
async function findPairHash(client: Client, factory: Address, weth: Address): Promise<Hex> {
  // No token: a pair of it exists nowhere.
  const probe = getContractAddress({ from: factory, nonce: 1n })
  const { result } = await client.simulateContract({
    address: factory,
    abi: uniswapV2FactoryAbi,
    functionName: 'createPair',
    args: [weth, probe],
  })
  const candidates: Hex[] = [PAIR_INIT_CODE_HASH]
  for (const name of hashViews) {
    const abi = [
      { type: 'function', name, stateMutability: 'view', inputs: [], outputs: [{ type: 'bytes32' }] },
    ] as const
    const hash = await client.readContract({ address: factory, abi, functionName: name }).catch(() => undefined)
    if (hash) candidates.push(hash)
  }
  const found = candidates.find((hash) => pairAddress(factory, hash, weth, probe) === lower(result))
  if (!found)
    throw new ExistingContractError(
      `--factory: the pairs of ${factory} have other creation code than Uniswap V2, and it does not return its hash. ` +
        'Use another factory, or let this command create one.',
    )
  return found
}

function pairAddress(factory: Address, hash: Hex, a: Address, b: Address): Address {
  const [token0, token1] = BigInt(a) < BigInt(b) ? [a, b] : [b, a]
  const salt = keccak256(encodePacked(['address', 'address'], [getAddress(token0), getAddress(token1)]))
  return lower(`0x${keccak256(concat(['0xff', factory, salt, hash])).slice(-40)}`)
}
