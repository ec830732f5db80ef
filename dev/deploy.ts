// Deploys the contracts that a launchpad needs, on a chain of one's own.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Account,
  type Address,
  type Chain,
  encodeDeployData,
  getContractAddress,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type Transport,
  type WalletClient,
} from 'viem'
import { feeSplitterAbi } from '../chain/abi/fee-splitter.ts'
import { feeStakingAbi } from '../chain/abi/fee-staking.ts'
import { launchpadAbi } from '../chain/abi/launchpad.ts'
import { priceFeedAbi } from '../chain/abi/price-feed.ts'
import { raisesAbi } from '../chain/abi/raises.ts'
import { uniswapV2FactoryAbi } from '../chain/abi/uniswap-v2-factory.ts'
import { uniswapV2Router02Abi } from '../chain/abi/uniswap-v2-router02.ts'
import { weth9Abi } from '../chain/abi/weth9.ts'
import priceFeedArtifact from '../contracts/artifacts/DevPriceFeed.json' with { type: 'json' }
import splitterArtifact from '../contracts/artifacts/FeeSplitter.json' with { type: 'json' }
import stakingArtifact from '../contracts/artifacts/FeeStaking.json' with { type: 'json' }
import launchpadArtifact from '../contracts/artifacts/Launchpad.json' with { type: 'json' }
import raisesArtifact from '../contracts/artifacts/Raises.json' with { type: 'json' }
import factoryArtifact from '../contracts/artifacts/UniswapV2Factory.json' with { type: 'json' }
import pairArtifact from '../contracts/artifacts/UniswapV2Pair.json' with { type: 'json' }
import routerArtifact from '../contracts/artifacts/UniswapV2Router02.json' with { type: 'json' }
import wethArtifact from '../contracts/artifacts/WETH9.json' with { type: 'json' }

export type Clients = {
  publicClient: PublicClient<Transport, Chain | undefined>
  /** Its account, a local or an unlocked one, deploys and owns the contracts. */
  walletClient: WalletClient<Transport, Chain | undefined, Account>
}

export type DeployedContracts = {
  weth: Address
  uniswapFactory: Address
  uniswapRouter: Address
  priceFeed: Address
  launchpad: Address
  feeStaking: Address
  raises: Address
  /** Shares the launchpad's fees between a staking pool and the treasury, once its owner has named a pool. */
  feeSplitter: Address
  /** The block of the launchpad's deployment: no event that concerns us is older. */
  startBlock: bigint
}

export type DeployOptions = {
  /** Who gets the launchpad's fees. Default: the fee splitter. */
  feeRecipient?: Address
  /** Who gets what the fee splitter does not give to stakers, at first all of it. Default: the deployer. */
  treasury?: Address
  /** US dollars a coin with 8 decimals. Default 3,000. */
  initialPrice?: bigint
  /** Called when all are sent, and before they are waited for: makes a node mine that does not by itself. */
  afterSending?: () => Promise<void>
}

const pairInitCodeHash = pairArtifact.initCodeHash as Hex

// Above what each needs, so that nothing is estimated and all of them can be sent before the first is mined.
const gas = {
  weth: 900_000n,
  factory: 3_200_000n,
  router: 6_000_000n,
  priceFeed: 1_000_000n,
  launchpad: 8_000_000n,
  feeStaking: 2_400_000n,
  raises: 4_500_000n,
  feeSplitter: 1_300_000n,
}

/**
 * Sends all deployments and waits for them. The addresses follow from the deployer's address and nonce alone: a fresh
 * account gives the same ones on every chain. All addresses are lower-case.
 */
export async function deployContracts(clients: Clients, options: DeployOptions = {}): Promise<DeployedContracts> {
  const { publicClient, walletClient } = clients
  const deployer = walletClient.account.address
  const nonce = await publicClient.getTransactionCount({ address: deployer, blockTag: 'pending' })
  const addresses = predictAddresses(deployer, nonce)
  const { feeRecipient = addresses.feeSplitter, treasury = deployer, initialPrice = 3_000_00000000n } = options

  const deployments: [data: Hex, gas: bigint][] = [
    [encodeDeployData({ abi: weth9Abi, bytecode: wethArtifact.bytecode as Hex }), gas.weth],
    [
      encodeDeployData({ abi: uniswapV2FactoryAbi, bytecode: factoryArtifact.bytecode as Hex, args: [deployer] }),
      gas.factory,
    ],
    [
      encodeDeployData({
        abi: uniswapV2Router02Abi,
        bytecode: routerArtifact.bytecode as Hex,
        args: [addresses.uniswapFactory, addresses.weth],
      }),
      gas.router,
    ],
    [
      encodeDeployData({
        abi: priceFeedAbi,
        bytecode: priceFeedArtifact.bytecode as Hex,
        args: [deployer, 'ETH / USD', initialPrice],
      }),
      gas.priceFeed,
    ],
    [
      encodeDeployData({
        abi: launchpadAbi,
        bytecode: launchpadArtifact.bytecode as Hex,
        args: [deployer, feeRecipient, addresses.weth, addresses.uniswapFactory, pairInitCodeHash],
      }),
      gas.launchpad,
    ],
    [
      encodeDeployData({ abi: feeStakingAbi, bytecode: stakingArtifact.bytecode as Hex, args: [deployer] }),
      gas.feeStaking,
    ],
    [encodeDeployData({ abi: raisesAbi, bytecode: raisesArtifact.bytecode as Hex }), gas.raises],
    [
      encodeDeployData({
        abi: feeSplitterAbi,
        bytecode: splitterArtifact.bytecode as Hex,
        args: [deployer, addresses.launchpad, addresses.feeStaking, treasury],
      }),
      gas.feeSplitter,
    ],
  ]
  const hashes: Hex[] = []
  for (const [index, [data, limit]] of deployments.entries()) {
    const chain = walletClient.chain ?? null
    const request = { account: walletClient.account, chain, data, gas: limit, nonce: nonce + index }
    hashes.push(await walletClient.sendTransaction(request))
  }
  await options.afterSending?.()
  const receipts = await Promise.all(hashes.map((hash) => waitForReceipt(publicClient, hash)))
  const failed = receipts.find((receipt) => receipt.status !== 'success')
  if (failed) throw new Error(`A deployment reverted in transaction ${failed.transactionHash}`)
  const launchpad = receipts.find((receipt) => receipt.contractAddress?.toLowerCase() === addresses.launchpad)
  return { ...addresses, startBlock: launchpad!.blockNumber }
}

/**
 * Finds what `deployContracts` put on this chain when its deployer was new, as after a restart from a saved state.
 * Answers undefined when there is nothing, or something else.
 */
export async function findDeployedContracts(publicClient: Clients['publicClient'], deployer: Address) {
  const addresses = predictAddresses(deployer, 0)
  // The last of them: a state saved before there were as many contracts lacks it.
  const code = await publicClient.getCode({ address: addresses.feeSplitter })
  if (!code) return undefined
  const filter = { address: addresses.launchpad, abi: launchpadAbi, eventName: 'OwnershipTransferred' } as const
  const [first] = await publicClient.getContractEvents({ ...filter, fromBlock: 0n })
  return first && ({ ...addresses, startBlock: first.blockNumber } satisfies DeployedContracts)
}

/**
 * Asks for the receipt until it is there. viem's own wait asks once a new block: when a chain that mines on demand shows
 * the block a moment before the receipt, no further block comes and the wait never ends.
 * @throws Error after `timeoutMs`
 */
export async function waitForReceipt(
  publicClient: Clients['publicClient'],
  hash: Hex,
  timeoutMs = 60_000,
): Promise<TransactionReceipt> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    const receipt = await publicClient.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return undefined
      throw error
    })
    if (receipt) return receipt
    await delay(5)
  }
  throw new Error(`Transaction ${hash} was not mined within ${timeoutMs} ms`)
}

function predictAddresses(deployer: Address, nonce: number) {
  const at = (offset: number) =>
    getContractAddress({ from: deployer, nonce: BigInt(nonce + offset) }).toLowerCase() as Address
  return {
    weth: at(0),
    uniswapFactory: at(1),
    uniswapRouter: at(2),
    priceFeed: at(3),
    launchpad: at(4),
    feeStaking: at(5),
    raises: at(6),
    feeSplitter: at(7),
  }
}
