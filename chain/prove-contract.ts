import { type Abi, type Address, type Hex, type PublicClient, parseAbi, zeroAddress } from 'viem'
import type { Deployment } from '../config/config.ts'
import type { LaunchpadDeployment } from '../launchpads/kinds.ts'
import { erc20Abi } from './abi/erc20.ts'
import { feeSplitterAbi } from './abi/fee-splitter.ts'
import { feeStakingAbi } from './abi/fee-staking.ts'
import { priceFeedAbi } from './abi/price-feed.ts'
import { raisesAbi } from './abi/raises.ts'
import { uniswapV2FactoryAbi } from './abi/uniswap-v2-factory.ts'
import { uniswapV2Router02Abi } from './abi/uniswap-v2-router02.ts'
import { USD_DECIMALS } from './rpc/client.ts'
import { isNodeFailure } from './rpc/node-failure.ts'

type Kind = Exclude<Deployment['kind'], LaunchpadDeployment>
type Client = Pick<PublicClient, 'getCode' | 'readContract' | 'call'>

/** Chainlink updates a feed at least once a day; an hour covers the delay of its transaction. */
export const MAX_ANSWER_AGE_SECONDS = 25 * 3_600

/** The functions without arguments that a contract answers. */
interface Probed {
  abi: Abi
  probes: readonly string[]
}

const poolManagerAbi = parseAbi(['function protocolFeeController() view returns (address)'])
/** Functions of the routers and quoters of Uniswap V3. */
export const peripheryAbi = parseAbi([
  'function factory() view returns (address)',
  'function WETH9() view returns (address)',
  'function factoryV2() view returns (address)',
  'function positionManager() view returns (address)',
])

const contracts = {
  'price-feed': { abi: priceFeedAbi, probes: ['decimals', 'latestRoundData'] },
  'wrapped-native': { abi: erc20Abi, probes: ['decimals', 'totalSupply', 'symbol'] },
  'uniswap-factory': { abi: uniswapV2FactoryAbi, probes: ['allPairsLength', 'feeToSetter'] },
  // Known by its events alone.
  'uniswap-v3-factory': { abi: [], probes: [] },
  // The router of before has no factory of Uniswap V2, and other calls.
  'uniswap-v3-router': { abi: peripheryAbi, probes: ['factory', 'WETH9', 'factoryV2', 'positionManager'] },
  'uniswap-v3-quoter': { abi: peripheryAbi, probes: ['factory', 'WETH9'] },
  'uniswap-v2-factory': { abi: uniswapV2FactoryAbi, probes: ['allPairsLength', 'feeToSetter'] },
  'uniswap-v2-router': { abi: uniswapV2Router02Abi, probes: ['factory', 'WETH'] },
  'uniswap-v4-pool-manager': { abi: poolManagerAbi, probes: ['protocolFeeController'] },
  'uniswap-router': { abi: uniswapV2Router02Abi, probes: ['factory', 'WETH'] },
  staking: { abi: feeStakingAbi, probes: ['poolCount', 'PRECISION'] },
  raises: { abi: raisesAbi, probes: ['raiseCount', 'proposalCount', 'IDLE_PERIOD'] },
  'fee-splitter': { abi: feeSplitterAbi, probes: ['launchpad', 'staking', 'treasury'] },
} satisfies Record<Kind, Probed>

export type LaunchpadProbes = Readonly<Record<LaunchpadDeployment, Probed>>

type Subject = Pick<Deployment, 'kind' | 'address'>

/**
 * Why the contract at an address is not of the kind, as the end of a sentence; null if it is. Rejects if no node responds.
 * launchpads: how contracts of theirs are recognized.
 */
export async function findKindProblem(
  client: Client,
  { kind, address }: Subject,
  launchpads: LaunchpadProbes,
): Promise<string | null> {
  const code = await client.getCode({ address })
  if (code === undefined || code === '0x') return 'has no code on this chain'
  const { abi, probes }: Probed = { ...contracts, ...launchpads }[kind]
  const answers = await Promise.all(
    probes.map((functionName) => succeeds(client.readContract({ address, abi, functionName }))),
  )
  const missing = probes.filter((_, index) => !answers[index]).map((name) => `${name}()`)
  return missing.length > 0 ? `does not answer ${missing.join(', ')}, so it is not of kind ${kind}` : null
}

/** Whether a contract existed at the end of a block; null if the node has no state of that block. */
export const hasCodeAt = (client: Pick<Client, 'getCode'>, address: Address, block: number): Promise<boolean | null> =>
  client.getCode({ address, blockNumber: BigInt(block) }).then(
    (code) => code !== undefined && code !== '0x',
    () => null,
  )

/** Like findKindProblem; a price feed must have a price, and a wrapped coin must wrap. */
export async function findContractProblem(
  client: Client,
  subject: Subject,
  launchpads: LaunchpadProbes,
): Promise<string | null> {
  const problem = await findKindProblem(client, subject, launchpads)
  if (problem !== null) return problem
  if (subject.kind === 'price-feed') return findFeedProblem(client, subject.address)
  if (subject.kind === 'wrapped-native') return findWrappedProblem(client, subject.address)
  return null
}

/** Whether a call succeeds. Rejects if the node fails. */
const succeeds = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error: unknown) => {
      if (isNodeFailure(error)) throw error
      return false
    },
  )

async function findFeedProblem(client: Client, address: Address): Promise<string | null> {
  const decimals = await client.readContract({ address, abi: priceFeedAbi, functionName: 'decimals' })
  if (decimals !== USD_DECIMALS) return `has ${decimals} decimals; feeds in US dollars have ${USD_DECIMALS}`
  const round = await client.readContract({ address, abi: priceFeedAbi, functionName: 'latestRoundData' })
  return round[1] > 0n ? null : `has no price: its latest answer is ${round[1]}`
}

async function findWrappedProblem(client: Client, address: Address): Promise<string | null> {
  const decimals = await client.readContract({ address, abi: erc20Abi, functionName: 'decimals' })
  if (decimals !== 18) return `has ${decimals} decimals; a wrapped native coin has 18`
  const deposit: Hex = '0xd0e30db0'
  const accepts = await succeeds(client.call({ account: zeroAddress, to: address, data: deposit }))
  return accepts ? null : 'does not accept deposit(): it is a token, not the wrapped native coin'
}

/** Age of the feed's latest answer in seconds, against a block's time. */
export async function readAnswerAge(client: Client, feed: Address, blockTime: number): Promise<number> {
  const round = await client.readContract({ address: feed, abi: priceFeedAbi, functionName: 'latestRoundData' })
  return Math.max(0, blockTime - Number(round[3]))
}
