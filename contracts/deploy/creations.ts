import { createHash } from 'node:crypto'
import { type Address, encodeDeployData, type Hex, zeroAddress } from 'viem'
import { feeSplitterAbi } from '../../chain/abi/fee-splitter.ts'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { priceFeedAbi } from '../../chain/abi/price-feed.ts'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import { uniswapV2Router02Abi } from '../../chain/abi/uniswap-v2-router02.ts'
import { weth9Abi } from '../../chain/abi/weth9.ts'
import { timelockControllerAbi } from '../artifacts/abi/timelock-controller.ts'
import priceFeedArtifact from '../artifacts/DevPriceFeed.json' with { type: 'json' }
import splitterArtifact from '../artifacts/FeeSplitter.json' with { type: 'json' }
import stakingArtifact from '../artifacts/FeeStaking.json' with { type: 'json' }
import launchpadArtifact from '../artifacts/Launchpad.json' with { type: 'json' }
import raisesArtifact from '../artifacts/Raises.json' with { type: 'json' }
import timelockArtifact from '../artifacts/TimelockController.json' with { type: 'json' }
import factoryArtifact from '../artifacts/UniswapV2Factory.json' with { type: 'json' }
import pairArtifact from '../artifacts/UniswapV2Pair.json' with { type: 'json' }
import routerArtifact from '../artifacts/UniswapV2Router02.json' with { type: 'json' }
import wethArtifact from '../artifacts/WETH9.json' with { type: 'json' }

/** All contracts in the order of their creation: each needs only earlier ones, or predicted addresses. */
export const contractNames = [
  'weth',
  'uniswapFactory',
  'uniswapRouter',
  'priceFeed',
  'launchpad',
  'feeStaking',
  'raises',
  'feeSplitter',
  'timelock',
] as const
export type ContractName = (typeof contractNames)[number]

export type Addresses = Record<ContractName, Address>

/** Constructor argument of Raises. */
export interface RaiseRules {
  /** Seconds. */
  minVotingDelay: number
  minVotingPeriod: number
  /** Time to leave between the end of a vote that passed and its execution, in seconds. */
  exitWindow: number
  /** At most releaseBps of the remaining commitments are released within this time, in seconds. */
  releasePeriod: number
  releaseBps: number
}

const DAY = 86_400

/** The rules of every deployment but the demonstration's: a committer who looks once a day sees each vote and can leave. */
export const raiseRules: RaiseRules = {
  minVotingDelay: DAY,
  minVotingPeriod: DAY,
  exitWindow: DAY,
  releasePeriod: 7 * DAY,
  releaseBps: 2_500,
}

export interface CreationInputs {
  /** Owner of the contracts until it is handed over. */
  owner: Address
  /** Proposes the calls of the timelock; default `owner`. */
  finalOwner?: Address
  /** Recipient of the launchpad's fees. */
  feeRecipient: Address
  /** Recipient of the fees that the splitter does not give to stakers. */
  treasury: Address
  /** keccak256 of the creation code of the factory's pairs. */
  pairInitCodeHash: Hex
  /** What graduating a token pays the account that does, in wei; a hundred times it is the smallest target. */
  graduationBounty: bigint
  /** Description and first answer of a development price feed, US dollars with 8 decimals. */
  feedDescription: string
  initialPrice: bigint
  /** Default: raiseRules. */
  raiseRules?: RaiseRules
}

/** Hash of the creation code of Uniswap's own pairs. */
export const PAIR_INIT_CODE_HASH = pairArtifact.initCodeHash as Hex

/** Gas limits above the actual cost, where nothing can be estimated because earlier contracts are not there yet. */
export const creationGas: Readonly<Record<ContractName, bigint>> = {
  weth: 900_000n,
  uniswapFactory: 3_200_000n,
  uniswapRouter: 6_000_000n,
  priceFeed: 1_000_000n,
  launchpad: 8_000_000n,
  feeStaking: 2_400_000n,
  raises: 5_500_000n,
  feeSplitter: 1_300_000n,
  timelock: 2_400_000n,
}

/** Names of the contracts in Solidity. */
export const artifactNames: Readonly<Record<ContractName, string>> = {
  weth: 'WETH9',
  uniswapFactory: 'UniswapV2Factory',
  uniswapRouter: 'UniswapV2Router02',
  priceFeed: 'DevPriceFeed',
  launchpad: 'Launchpad',
  feeStaking: 'FeeStaking',
  raises: 'Raises',
  feeSplitter: 'FeeSplitter',
  timelock: 'TimelockController',
}

const codeOf = ({ bytecode }: { bytecode: string }) => bytecode as Hex

/** Data of the transaction that creates a contract: its creation code and its encoded arguments. */
export function encodeCreation(name: ContractName, addresses: Partial<Addresses>, inputs: CreationInputs): Hex {
  const { owner, feeRecipient, treasury, pairInitCodeHash, graduationBounty } = inputs
  const at = (other: ContractName): Address => {
    const address = addresses[other]
    if (!address) throw new Error(`${artifactNames[name]} needs the address of ${artifactNames[other]}`)
    return address
  }
  const encoders: Readonly<Record<ContractName, () => Hex>> = {
    weth: () => encodeDeployData({ abi: weth9Abi, bytecode: codeOf(wethArtifact) }),
    uniswapFactory: () =>
      encodeDeployData({ abi: uniswapV2FactoryAbi, bytecode: codeOf(factoryArtifact), args: [owner] }),
    uniswapRouter: () =>
      encodeDeployData({
        abi: uniswapV2Router02Abi,
        bytecode: codeOf(routerArtifact),
        args: [at('uniswapFactory'), at('weth')],
      }),
    priceFeed: () =>
      encodeDeployData({
        abi: priceFeedAbi,
        bytecode: codeOf(priceFeedArtifact),
        args: [owner, inputs.feedDescription, inputs.initialPrice],
      }),
    launchpad: () =>
      encodeDeployData({
        abi: launchpadAbi,
        bytecode: codeOf(launchpadArtifact),
        args: [owner, feeRecipient, at('weth'), at('uniswapFactory'), pairInitCodeHash, graduationBounty],
      }),
    feeStaking: () => encodeDeployData({ abi: feeStakingAbi, bytecode: codeOf(stakingArtifact), args: [owner] }),
    raises: () =>
      encodeDeployData({
        abi: raisesAbi,
        bytecode: codeOf(raisesArtifact),
        args: [inputs.raiseRules ?? raiseRules],
      }),
    feeSplitter: () =>
      encodeDeployData({
        abi: feeSplitterAbi,
        bytecode: codeOf(splitterArtifact),
        args: [owner, at('launchpad'), at('feeStaking'), treasury],
      }),
    // Without a delay until it owns the contracts: see configure.ts. Anyone may execute what is due.
    timelock: () =>
      encodeDeployData({
        abi: timelockControllerAbi,
        bytecode: codeOf(timelockArtifact),
        args: [0n, [...new Set([inputs.finalOwner ?? owner, owner])], [zeroAddress], zeroAddress],
      }),
  }
  return encoders[name]()
}

const artifacts: Readonly<Record<ContractName, { bytecode: string }>> = {
  weth: wethArtifact,
  uniswapFactory: factoryArtifact,
  uniswapRouter: routerArtifact,
  priceFeed: priceFeedArtifact,
  launchpad: launchpadArtifact,
  feeStaking: stakingArtifact,
  raises: raisesArtifact,
  feeSplitter: splitterArtifact,
  timelock: timelockArtifact,
}

/** Length of a contract's creation code in the data of its transaction; the encoded arguments follow. */
export const creationCodeLength = (name: ContractName): number => artifacts[name].bytecode.length

/** Names the code of all contracts: another version of any of them has another name. */
export const hashCreationCode = (): string =>
  createHash('sha256')
    .update(contractNames.map((name) => artifacts[name].bytecode).join())
    .digest('hex')
