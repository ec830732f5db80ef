import { type Address, encodeFunctionData, type Hex, keccak256, stringToHex, zeroAddress, zeroHash } from 'viem'
import { feeSplitterAbi } from '../../chain/abi/fee-splitter.ts'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import { timelockControllerAbi } from '../artifacts/abi/timelock-controller.ts'
import type { Clients } from './clients.ts'

type Client = Clients['publicClient']

export interface Deployed {
  launchpad: Address
  feeStaking: Address
  feeSplitter: Address
  /** null for a factory of others. */
  ownFactory: Address | null
}

/** How the contracts are to be set up. */
export interface Terms {
  /** Final owner; other than the deployer, it must accept. With a timelock, it proposes what the timelock executes. */
  owner: Address
  /** Owns the contracts in the place of `owner`; null: none. */
  timelock: { address: Address; delaySeconds: number } | null
  treasury: Address
  /** Staked for a share of the fees; null: no pool, and all fees go to the treasury. */
  stakingToken: Address | null
  stakerShareBps: number
  cooldownSeconds: number
  periodSeconds: number
  /** Terms of new launches; undefined: those of the contract. */
  defaults?: { targetQuote: bigint; protocolFeeBps: number; creatorFeeBps: number } | undefined
}

/** A transaction that brings the contracts one step nearer to their terms. */
export interface SetupCall {
  title: string
  to: Address
  data: Hex
}

/** Gas of a setup call at most, for cost estimates. */
export const SETUP_GAS = 300_000n

/**
 * The calls that are still needed, read from the chain: an interrupted setup continues where it stopped. A pool's number
 * is known when it is open, so calls that need it follow in the next round.
 */
export async function findSetupCalls(
  client: Client,
  deployer: Address,
  contracts: Deployed,
  terms: Terms,
): Promise<SetupCall[]> {
  const owned = await readOwners(client, contracts)
  const calls = [
    ...(await findLaunchpadCalls(client, contracts, terms)),
    ...(await findStakingCalls(client, contracts, terms)),
  ]
  const isOwner = owned.every(({ owner }) => owner === deployer)
  if (calls.length > 0 && !isOwner)
    throw new Error(
      `The contracts are not owned by ${deployer} any more, and their setup differs: ${calls[0]?.title}. ` +
        'Let their owner send that call, or correct the options.',
    )
  // Last: the deployer can change nothing afterwards.
  return calls.length > 0 ? calls : await findHandover(client, deployer, owned, contracts, terms)
}

async function findLaunchpadCalls(client: Client, { launchpad, feeSplitter }: Deployed, terms: Terms) {
  const contract = { address: launchpad, abi: launchpadAbi } as const
  const calls: SetupCall[] = []
  const recipient = await client.readContract({ ...contract, functionName: 'feeRecipient' })
  if (recipient.toLowerCase() !== feeSplitter)
    calls.push({
      title: 'Launchpad: pay the fees to the splitter',
      to: launchpad,
      data: encodeFunctionData({ abi: launchpadAbi, functionName: 'setFeeRecipient', args: [feeSplitter] }),
    })
  if (terms.defaults) {
    const { targetQuote, protocolFeeBps, creatorFeeBps } = terms.defaults
    const [target, protocol, creator] = await client.readContract({ ...contract, functionName: 'defaults' })
    if (target !== targetQuote || protocol !== protocolFeeBps || creator !== creatorFeeBps)
      calls.push({
        title: 'Launchpad: set the terms of new launches',
        to: launchpad,
        data: encodeFunctionData({
          abi: launchpadAbi,
          functionName: 'setDefaults',
          args: [targetQuote, protocolFeeBps, creatorFeeBps],
        }),
      })
  }
  return calls
}

async function findStakingCalls(client: Client, { feeStaking, feeSplitter }: Deployed, terms: Terms) {
  const { stakingToken, cooldownSeconds, periodSeconds, treasury } = terms
  const poolId = stakingToken === null ? 0n : await findPool(client, feeStaking, stakingToken)
  if (stakingToken !== null && poolId === undefined) {
    const args = [stakingToken, zeroAddress, BigInt(cooldownSeconds), BigInt(periodSeconds)] as const
    return [
      {
        title: `Staking: open a pool of ${stakingToken} with rewards in the native coin`,
        to: feeStaking,
        data: encodeFunctionData({ abi: feeStakingAbi, functionName: 'createPool', args }),
      },
    ]
  }
  const share = stakingToken === null ? 0 : terms.stakerShareBps
  const splitter = { address: feeSplitter, abi: feeSplitterAbi } as const
  const current = await Promise.all([
    client.readContract({ ...splitter, functionName: 'treasury' }),
    client.readContract({ ...splitter, functionName: 'poolId' }),
    client.readContract({ ...splitter, functionName: 'stakerShareBps' }),
  ])
  if (current[0].toLowerCase() === treasury && current[1] === poolId && current[2] === BigInt(share)) return []
  const args = [treasury, poolId ?? 0n, BigInt(share)] as const
  return [
    {
      title: `Fee splitter: ${share / 100} % to stakers, the rest to ${treasury}`,
      to: feeSplitter,
      data: encodeFunctionData({ abi: feeSplitterAbi, functionName: 'setTerms', args }),
    },
  ]
}

/** The first pool of a token that pays in the native coin. */
async function findPool(client: Client, feeStaking: Address, token: Address): Promise<bigint | undefined> {
  const staking = { address: feeStaking, abi: feeStakingAbi } as const
  const count = await client.readContract({ ...staking, functionName: 'poolCount' })
  for (let id = 1n; id <= count; id++) {
    const pool = await client.readContract({ ...staking, functionName: 'pool', args: [id] })
    if (pool.stakingToken.toLowerCase() === token && pool.rewardToken === zeroAddress) return id
  }
  return undefined
}

interface Owned {
  name: string
  address: Address
  owner: Address
  pendingOwner: Address
}

async function readOwners(client: Client, { launchpad, feeStaking, feeSplitter }: Deployed): Promise<Owned[]> {
  const all = { Launchpad: launchpad, Staking: feeStaking, 'Fee splitter': feeSplitter }
  return Promise.all(
    Object.entries(all).map(async ([name, address]) => {
      // The three have the same functions of Ownable2Step.
      const contract = { address, abi: launchpadAbi } as const
      const [owner, pendingOwner] = await Promise.all([
        client.readContract({ ...contract, functionName: 'owner' }),
        client.readContract({ ...contract, functionName: 'pendingOwner' }),
      ])
      return {
        name,
        address,
        owner: owner.toLowerCase() as Address,
        pendingOwner: pendingOwner.toLowerCase() as Address,
      }
    }),
  )
}

async function findHandover(
  client: Client,
  deployer: Address,
  owned: readonly Owned[],
  { ownFactory }: Deployed,
  { owner, timelock }: Terms,
): Promise<SetupCall[]> {
  const holder = timelock?.address ?? owner
  if (holder === deployer) return []
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'transferOwnership', args: [holder] })
  const calls = owned
    .filter((one) => one.owner === deployer && one.pendingOwner !== holder)
    .map(({ name, address }) => ({ title: offer(name, holder), to: address, data }))
  if (ownFactory !== null) {
    const factory = { address: ownFactory, abi: uniswapV2FactoryAbi } as const
    const setter = await client.readContract({ ...factory, functionName: 'feeToSetter' })
    if (setter.toLowerCase() === deployer)
      calls.push({
        title: `Uniswap factory: hand its fee switch over to ${holder}`,
        to: ownFactory,
        data: encodeFunctionData({ abi: uniswapV2FactoryAbi, functionName: 'setFeeToSetter', args: [holder] }),
      })
  }
  return calls.length > 0 || timelock === null ? calls : findTimelockCalls(client, deployer, owned, { owner, timelock })
}

const offer = (name: string, holder: Address) => `${name}: offer the ownership to ${holder}`

/**
 * While its delay is 0, the timelock accepts the ownerships, takes the deployer's roles away and sets its delay, in one batch: so
 * the owner need not wait for the delay, or accept anything.
 */
async function findTimelockCalls(
  client: Client,
  deployer: Address,
  owned: readonly Owned[],
  { owner, timelock }: { owner: Address; timelock: NonNullable<Terms['timelock']> },
): Promise<SetupCall[]> {
  const { address: to, delaySeconds } = timelock
  const abi = timelockControllerAbi
  const own = (data: Hex) => ({ to, data })
  const revoke = (role: Hex) => own(encodeFunctionData({ abi, functionName: 'revokeRole', args: [role, deployer] }))
  const accept = encodeFunctionData({ abi: launchpadAbi, functionName: 'acceptOwnership' })
  const batch = [
    ...owned.map(({ address }) => ({ to: address, data: accept })),
    ...(owner === deployer ? [] : [revoke(PROPOSER), revoke(CANCELLER)]),
    own(encodeFunctionData({ abi, functionName: 'updateDelay', args: [BigInt(delaySeconds)] })),
  ]
  const args = [
    batch.map((call) => call.to),
    batch.map(() => 0n),
    batch.map((call) => call.data),
    zeroHash,
    zeroHash,
  ] as const
  const id = await client.readContract({ address: to, abi, functionName: 'hashOperationBatch', args })
  const state = await client.readContract({ address: to, abi, functionName: 'getOperationState', args: [id] })
  if (state === OPERATION_DONE) return []
  return state === OPERATION_UNSET
    ? [{ title: SCHEDULE, to, data: encodeFunctionData({ abi, functionName: 'scheduleBatch', args: [...args, 0n] }) }]
    : [{ title: ACCEPT, to, data: encodeFunctionData({ abi, functionName: 'executeBatch', args }) }]
}

const [OPERATION_UNSET, OPERATION_DONE] = [0, 3]
const [PROPOSER, CANCELLER] = ['PROPOSER_ROLE', 'CANCELLER_ROLE'].map((role) => keccak256(stringToHex(role))) as [
  Hex,
  Hex,
]
const SCHEDULE = 'Timelock: schedule that it accepts the ownerships and sets its delay'
const ACCEPT = 'Timelock: accept the ownerships and set the delay'

/** The contracts whose ownership the new owner has yet to accept. */
export async function findUnaccepted(client: Client, contracts: Deployed, owner: Address) {
  const owned = await readOwners(client, contracts)
  return owned.filter((one) => one.owner !== owner && one.pendingOwner === owner)
}

/** The calls of a complete setup as titles, for a plan of contracts that are not there yet. */
export function listSetup(deployer: Address, isOwnFactory: boolean, terms: Terms): string[] {
  const holder = terms.timelock?.address ?? terms.owner
  const handedOver = ['Launchpad', 'Staking', 'Fee splitter'].map((name) => offer(name, holder))
  return [
    'Launchpad: pay the fees to the splitter',
    ...(terms.defaults ? ['Launchpad: set the terms of new launches'] : []),
    ...(terms.stakingToken === null
      ? []
      : [
          `Staking: open a pool of ${terms.stakingToken} with rewards in the native coin`,
          `Fee splitter: ${terms.stakerShareBps / 100} % to stakers, the rest to ${terms.treasury}`,
        ]),
    ...(holder === deployer ? [] : handedOver),
    ...(holder !== deployer && isOwnFactory ? ['Uniswap factory: hand its fee switch over'] : []),
    ...(terms.timelock ? [SCHEDULE, ACCEPT] : []),
  ]
}
