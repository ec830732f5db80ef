// Deploys the launchpad's contracts on a development chain.
import { type Address, parseEther } from 'viem'
import { launchpadAbi } from '../chain/abi/launchpad.ts'
import type { Clients } from '../contracts/deploy/clients.ts'
import { addressAt, createContracts, hasCode } from '../contracts/deploy/create-contracts.ts'
import {
  type Addresses,
  contractNames,
  PAIR_INIT_CODE_HASH,
  type RaiseRules,
  raiseRules,
} from '../contracts/deploy/creations.ts'

/** The fee splitter splits the launchpad's fees between a staking pool and the treasury, once its owner has set a pool. */
export type DeployedContracts = Omit<Addresses, 'timelock'> & {
  /** Block of the launchpad's deployment; no relevant event is older. */
  startBlock: bigint
}

/** The owner of a demonstration acts at once. */
const names = contractNames.filter((name) => name !== 'timelock')

/** Raises whose votes are over within hours, to see one from start to end. Not for other people's money. */
export const demonstrationRules: RaiseRules = {
  ...raiseRules,
  ...{ minVotingDelay: 0, minVotingPeriod: 3_600, exitWindow: 3_600, releasePeriod: 86_400 },
}

export type DeployOptions = {
  /** Recipient of the launchpad's fees. Default: the fee splitter. */
  feeRecipient?: Address
  /** Recipient of the fees that the splitter does not give to stakers, initially all. Default: the deployer. */
  treasury?: Address
  /** In wei. Default 0.005 coins, so that targets begin at half a coin. */
  graduationBounty?: bigint
  /** US dollars per native coin, 8 decimals. Default 3,000. */
  initialPrice?: bigint
  /** Default: demonstrationRules. */
  raiseRules?: RaiseRules
  /** Called between sending and waiting for receipts, to mine on a node without automining. */
  afterSending?: () => Promise<void>
}

/**
 * Sends all deployments and waits for their receipts. The addresses (lower-case) depend only on the deployer and its
 * nonce, so a new account yields the same ones on every chain.
 */
export async function deployContracts(clients: Clients, options: DeployOptions = {}): Promise<DeployedContracts> {
  const { publicClient, walletClient } = clients
  const deployer = walletClient.account.address
  const nonce = await publicClient.getTransactionCount({ address: deployer, blockTag: 'pending' })
  const addresses = predictAddresses(deployer, nonce)
  const { feeRecipient = addresses.feeSplitter, treasury = deployer, initialPrice = 3_000_00000000n } = options
  const records = await createContracts({
    clients,
    names,
    known: {},
    inputs: {
      owner: deployer,
      feeRecipient,
      treasury,
      pairInitCodeHash: PAIR_INIT_CODE_HASH,
      graduationBounty: options.graduationBounty ?? parseEther('0.005'),
      feedDescription: 'ETH / USD',
      initialPrice,
      raiseRules: options.raiseRules ?? demonstrationRules,
    },
    journal: { records: {}, save: async () => {} },
    pipelined: true,
    ...(options.afterSending && { afterSending: options.afterSending }),
  })
  return { ...addresses, startBlock: BigInt(records.launchpad?.block ?? 0) }
}

/**
 * Finds the contracts that deployContracts created with a new deployer, as after a restart from a saved state. Returns
 * undefined if they are missing.
 */
export async function findDeployedContracts(publicClient: Clients['publicClient'], deployer: Address) {
  const addresses = predictAddresses(deployer, 0)
  // The last deployment: an older saved state may lack it.
  if (!(await hasCode(publicClient, addresses.feeSplitter))) return undefined
  const filter = { address: addresses.launchpad, abi: launchpadAbi, eventName: 'OwnershipTransferred' } as const
  const [first] = await publicClient.getContractEvents({ ...filter, fromBlock: 0n })
  return first && ({ ...addresses, startBlock: first.blockNumber } satisfies DeployedContracts)
}

const predictAddresses = (deployer: Address, nonce: number) =>
  Object.fromEntries(names.map((name, index) => [name, addressAt(deployer, nonce + index)])) as Record<
    (typeof names)[number],
    Address
  >
