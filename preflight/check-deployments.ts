import type { Address, PublicClient } from 'viem'
import { feeSplitterAbi } from '../chain/abi/fee-splitter.ts'
import { raisesAbi } from '../chain/abi/raises.ts'
import { uniswapV2Router02Abi } from '../chain/abi/uniswap-v2-router02.ts'
import { DEMO_CHAIN } from '../chain/demo-accounts.ts'
import {
  findContractProblem,
  hasCodeAt,
  MAX_ANSWER_AGE_SECONDS,
  peripheryAbi,
  readAnswerAge,
} from '../chain/prove-contract.ts'
import type { Config, Deployment } from '../config/config.ts'
import { findByDeployment, findUnmetNeeds, launchpadContracts } from '../launchpads/index.ts'
import { launchpadKinds } from '../launchpads/kinds.ts'
import { connect } from './check-node.ts'
import { type Finding, fail, pass, reasonOf, warn } from './finding.ts'

type Settings = Pick<Config, 'rpcUrls' | 'chainId' | 'deployments'>

const DAY = 86_400

/** Kinds whose contracts are indexed, from their start block on. */
const INDEXED: readonly string[] = [...Object.keys(launchpadContracts), 'staking', 'raises']

/** Checks DEPLOYMENTS against the chain: code, kind and start block of each contract, and that they belong together. */
export async function checkDeployments({ rpcUrls, chainId, deployments }: Settings): Promise<Finding[]> {
  const [url] = rpcUrls
  if (url === undefined) return []
  const client = connect(url)
  // An unreachable node, or one of another chain, has its own finding.
  if ((await client.getChainId().catch(() => null)) !== chainId) return []
  try {
    const findings: Finding[] = []
    for (const deployment of deployments) findings.push(await checkDeployment(client, deployment))
    if (findings.every(({ level }) => level !== 'fail'))
      findings.push(...(await checkRelations(client, deployments)), ...(await checkRules(client, deployments, chainId)))
    return [...findings, ...listMissing(deployments)]
  } catch (error) {
    return [warn('DEPLOYMENTS', `not checked: ${reasonOf(error)}`, 'Run this again when the node of RPC_URL responds')]
  }
}

const nameOf = ({ kind, address }: Deployment) => `${kind} ${address}`

async function checkDeployment(client: PublicClient, deployment: Deployment): Promise<Finding> {
  const problem = await findContractProblem(client, deployment, launchpadContracts)
  if (problem !== null) {
    const remedy = 'Correct its address or kind; npm run deploy prints the value for contracts that it created'
    return fail('DEPLOYMENTS', `${nameOf(deployment)} ${problem}`, remedy)
  }
  if (deployment.kind === 'price-feed') return checkFeed(client, deployment)
  return INDEXED.includes(deployment.kind)
    ? checkStart(client, deployment)
    : pass('DEPLOYMENTS', `${nameOf(deployment)} is there`)
}

async function checkFeed(client: PublicClient, deployment: Deployment): Promise<Finding> {
  const { timestamp } = await client.getBlock()
  const age = await readAnswerAge(client, deployment.address, Number(timestamp))
  return age <= MAX_ANSWER_AGE_SECONDS
    ? pass('DEPLOYMENTS', `${nameOf(deployment)} has a price, ${age} s old`)
    : warn(
        'DEPLOYMENTS',
        `${nameOf(deployment)} has a price that is ${Math.round(age / 3_600)} hours old`,
        'Check that it is the feed of the native coin in US dollars that Chainlink lists for this chain',
      )
}

/** Events before the start block are missed for ever; those after it are all there. */
async function checkStart(client: PublicClient, deployment: Deployment): Promise<Finding> {
  const { address, startBlock } = deployment
  const head = Number(await client.getBlockNumber())
  if (startBlock > head) {
    const remedy = 'Set startBlock to the block of its creation'
    return fail('DEPLOYMENTS', `${nameOf(deployment)} starts at block ${startBlock}, but the chain has ${head}`, remedy)
  }
  if (startBlock === 0) return pass('DEPLOYMENTS', `${nameOf(deployment)} is indexed from block 0`)
  const existed = await hasCodeAt(client, address, startBlock - 1)
  if (existed === null)
    return warn(
      'DEPLOYMENTS',
      `${nameOf(deployment)}: the node has no state of block ${startBlock}, so its start block is not checked`,
      'Compare startBlock with the block of its creation at an explorer',
    )
  return existed
    ? fail(
        'DEPLOYMENTS',
        `${nameOf(deployment)} existed before its startBlock ${startBlock}, so its first events would be missed`,
        'Set startBlock to the block of its creation',
      )
    : pass('DEPLOYMENTS', `${nameOf(deployment)} is there, and starts at its creation or before`)
}

/** Launchpads name their wrapped coin and factory, routers their factory, splitters their launchpad. */
async function checkRelations(client: PublicClient, deployments: readonly Deployment[]): Promise<Finding[]> {
  const ofKind = (kind: Deployment['kind']) =>
    deployments.filter((one) => one.kind === kind).map(({ address }) => address)
  const findings: Finding[] = []
  const remedy = 'Use the contracts of one deployment together'
  const compare = (subject: string, actual: string, kind: Deployment['kind']) => {
    const expected = ofKind(kind)
    if (expected.length > 0 && !expected.includes(actual.toLowerCase() as Address))
      findings.push(
        fail(
          'DEPLOYMENTS',
          `${subject} uses the ${kind} ${actual.toLowerCase()}, not ${expected.join(' or ')}`,
          remedy,
        ),
      )
  }
  const routers = ofKind('uniswap-router')
  for (const { kind, address } of deployments) {
    const { abi, uses } = findByDeployment(kind)?.contract ?? { abi: [], uses: {} }
    for (const [used, functionName] of Object.entries(uses))
      compare(
        `${kind} ${address}`,
        String(await client.readContract({ address, abi, functionName })),
        used as keyof typeof uses,
      )
  }
  for (const address of routers) {
    const factory = await client.readContract({ address, abi: uniswapV2Router02Abi, functionName: 'factory' })
    compare(`uniswap-router ${address}`, factory, 'uniswap-factory')
  }
  for (const [kind, used] of [
    ['uniswap-v2-router', 'uniswap-v2-factory'],
    ['uniswap-v3-router', 'uniswap-v3-factory'],
    ['uniswap-v3-quoter', 'uniswap-v3-factory'],
  ] as const)
    for (const address of ofKind(kind)) {
      const factory = await client.readContract({ address, abi: peripheryAbi, functionName: 'factory' })
      compare(`${kind} ${address}`, factory, used)
    }
  for (const address of ofKind('fee-splitter')) {
    const launchpad = await client.readContract({ address, abi: feeSplitterAbi, functionName: 'launchpad' })
    compare(`fee-splitter ${address}`, launchpad, 'launchpad')
  }
  return findings
}

/** Raises of the demonstration decide within hours, so that it can be played through. */
async function checkRules(
  client: PublicClient,
  deployments: readonly Deployment[],
  chainId: number,
): Promise<Finding[]> {
  if (chainId === DEMO_CHAIN) return []
  const check = async (deployment: Deployment) => {
    const { address } = deployment
    const rules = await client.readContract({ address, abi: raisesAbi, functionName: 'rules' })
    const { minVotingDelay, minVotingPeriod, exitWindow } = rules
    const short = Object.entries({ minVotingDelay, minVotingPeriod, exitWindow }).filter(([, length]) => length < DAY)
    if (short.length === 0) return []
    const lengths = short.map(([name, length]) => `${name} ${length} s`).join(', ')
    return warn(
      'DEPLOYMENTS',
      `${nameOf(deployment)} has rules of the demonstration: ${lengths}. Money can leave before its committers look`,
      'Use a contract that npm run deploy created, whose rules take 24 hours each',
    )
  }
  const raises = deployments.filter(({ kind }) => kind === 'raises')
  return (await Promise.all(raises.map(check))).flat()
}

function listMissing(deployments: readonly Deployment[]): Finding[] {
  const has = (kind: Deployment['kind']) => deployments.some((one) => one.kind === kind)
  const findings: Finding[] = []
  const followed = deployments.flatMap(({ kind }) => findByDeployment(kind) ?? [])
  if (
    followed.length > 0 &&
    !has('wrapped-native') &&
    !followed.some(({ contract }) => contract.uses['wrapped-native'])
  )
    findings.push(
      fail('DEPLOYMENTS', 'no wrapped-native is named', 'Add the wrapped native coin: these launchpads do not name it'),
    )
  for (const { launchpad, needs } of findUnmetNeeds(deployments)) {
    const { name } = launchpadKinds[launchpad.kind]
    const reason = launchpad.venue.shared?.holdsPools
      ? `the pools of ${name} are in it`
      : `${name} does not name the pools of its tokens`
    const remedy = `Add it: ${reason}. See "Contracts that a launchpad needs" in docs/launchpads.md`
    findings.push(fail('DEPLOYMENTS', `no ${needs} is named`, remedy))
  }
  if (deployments.filter(({ kind }) => kind === 'uniswap-v4-pool-manager').length > 1)
    findings.push(
      fail(
        'DEPLOYMENTS',
        'more than one uniswap-v4-pool-manager is named',
        'Leave the PoolManager that Uniswap lists for this chain: all pools of Uniswap V4 are in it',
      ),
    )
  if (has('uniswap-v3-router') !== has('uniswap-v3-quoter'))
    findings.push(
      warn(
        'DEPLOYMENTS',
        'only one of uniswap-v3-router and uniswap-v3-quoter is named',
        'Name both: without them, tokens in pools of Uniswap V3 cannot be traded here',
      ),
    )
  if (followed.some(({ capabilities }) => capabilities.includes('quote')) && !has('uniswap-router'))
    findings.push(
      warn('DEPLOYMENTS', 'no uniswap-router is named', 'Add it: without one, graduated tokens cannot be quoted'),
    )
  if (followed.length > 0 && !has('price-feed'))
    findings.push(
      warn(
        'DEPLOYMENTS',
        'no price-feed is named',
        'Add one if the chain has it: without one, figures in US dollars are null',
      ),
    )
  return findings
}
