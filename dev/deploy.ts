// Deploys the launchpad's contracts on a development chain.
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
  /** Its account (local or unlocked) deploys and owns the contracts. */
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
  /** Splits the launchpad's fees between a staking pool and the treasury, once its owner has set a pool. */
  feeSplitter: Address
  /** Block of the launchpad's deployment; no relevant event is older. */
  startBlock: bigint
}

export type DeployOptions = {
  /** Recipient of the launchpad's fees. Default: the fee splitter. */
  feeRecipient?: Address
  /** Recipient of the fees that the splitter does not give to stakers, initially all. Default: the deployer. */
  treasury?: Address
  /** US dollars per native coin, 8 decimals. Default 3,000. */
  initialPrice?: bigint
  /** Called between sending and waiting for receipts, to mine on a node without automining. */
  afterSending?: () => Promise<void>
}

const pairInitCodeHash = pairArtifact.initCodeHash as Hex

// Fixed limits above the actual cost: without estimates, all can be sent before the first is mined.
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
 * Sends all deployments and waits for their receipts. The addresses (lower-case) depend only on the deployer and its
 * nonce, so a new account yields the same ones on every chain.
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
 * Finds the contracts that deployContracts created with a new deployer, as after a restart from a saved state. Returns
 * undefined if they are missing.
 */
export async function findDeployedContracts(publicClient: Clients['publicClient'], deployer: Address) {
  const addresses = predictAddresses(deployer, 0)
  // The last deployment: an older saved state may lack it.
  const code = await publicClient.getCode({ address: addresses.feeSplitter })
  if (!code) return undefined
  const filter = { address: addresses.launchpad, abi: launchpadAbi, eventName: 'OwnershipTransferred' } as const
  const [first] = await publicClient.getContractEvents({ ...filter, fromBlock: 0n })
  return first && ({ ...addresses, startBlock: first.blockNumber } satisfies DeployedContracts)
}

/**
 * Polls for the receipt. viem polls once per block: it waits forever if a chain that mines on demand exposes a block
 * before its receipts.
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
