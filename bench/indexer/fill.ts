// A dense chain to index: few blocks, each with thousands of trades of many wallets on many tokens.
import {
  type Account,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  parseEther,
} from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import traderArtifact from '../../contracts/artifacts/BenchTrader.json' with { type: 'json' }
import { type Anvil, startAnvil } from '../../dev/anvil.ts'
import { type DeployedContracts, deployContracts } from '../../dev/deploy.ts'
import { Node } from './node-client.ts'

export interface Shape {
  trades: number
  blocks: number
  tokens: number
  traders: number
  /** How many of 10,000 choices of a token, or of a wallet, fall on the first hundredth of them. */
  popularBps: number
}

/** The chain's parameters for the indexers, and the expected totals. */
export interface FilledChain {
  chainId: number
  deployment: Pick<DeployedContracts, 'launchpad' | 'priceFeed' | 'weth'> & { startBlock: number }
  /** The last block with trades; all later blocks are empty. */
  lastBlock: number
  head: number
  trades: number
}

const CHAIN_ID = 31_337
/** Minutes between blocks, so that every block has its own candles. */
const BLOCK_SECONDS = 60
const TRADES_PER_TRANSACTION = 250
/** Empty blocks at the head, more than any indexer's finality depth, so that all trades are final. */
const FINALITY_BLOCKS = 100
const ANVIL_ARGS = [
  ...['--gas-limit', '1000000000000', '--base-fee', '0', '--gas-price', '0'],
  // States of old blocks are large and never requested.
  ...['--max-persisted-states', '0'],
]

const traderAbi = parseAbi([
  'constructor(address launchpad)',
  'function launch(string[] symbols)',
  'function hire(uint256 count) payable',
  'function run(uint256 seed, uint256 count, uint256 popularBps)',
])

/** Starts a chain and fills it. The caller stops it. */
export async function startFilledChain(
  shape: Shape,
  report: (line: string) => void,
): Promise<{ anvil: Anvil; filled: FilledChain }> {
  const anvil = await startAnvil({
    chainId: CHAIN_ID,
    balance: 1_000_000_000,
    timestamp: 1_750_000_000,
    extraArgs: ANVIL_ARGS,
  })
  try {
    return { anvil, filled: await fillChain(anvil.url, shape, report) }
  } catch (error) {
    anvil.kill()
    throw error
  }
}

async function fillChain(url: string, shape: Shape, report: (line: string) => void): Promise<FilledChain> {
  const node = new Node(url)
  const [owner] = await node.call<Address[]>('eth_accounts', [])
  if (!owner) throw new Error('The node has no unlocked account')
  const transport = http(url)
  const deployment = await deployContracts({
    publicClient: createPublicClient({ transport, pollingInterval: 20 }),
    walletClient: createWalletClient({ account: { address: owner, type: 'json-rpc' } as Account, transport }),
  })
  // A target beyond the reach of random trading, so that no curve completes.
  const setDefaults = { functionName: 'setDefaults', args: [parseEther('1000'), 100, 50] } as const
  await node.send(owner, deployment.launchpad, encodeFunctionData({ abi: launchpadAbi, ...setDefaults }))
  const trader = await node.send(
    owner,
    null,
    encodeDeployData({ abi: traderAbi, bytecode: traderArtifact.bytecode as Hex, args: [deployment.launchpad] }),
  )
  const symbols = Array.from({ length: shape.tokens }, (_, index) => `BENCH${index}`)
  for (const some of chunk(symbols, 10)) {
    await node.send(owner, trader, encodeFunctionData({ abi: traderAbi, functionName: 'launch', args: [some] }))
  }
  for (const some of chunk(Array.from({ length: shape.traders }), 100)) {
    const hire = { functionName: 'hire', args: [BigInt(some.length)] } as const
    await node.send(owner, trader, encodeFunctionData({ abi: traderAbi, ...hire }), parseEther('10000'))
  }
  const lastBlock = await fillBlocks(node, shape, owner, trader, report)
  await node.call('anvil_mine', [numberToHex(FINALITY_BLOCKS), numberToHex(BLOCK_SECONDS)])
  const { launchpad, priceFeed, weth } = deployment
  return {
    chainId: CHAIN_ID,
    deployment: { launchpad, priceFeed, weth, startBlock: Number(deployment.startBlock) },
    lastBlock,
    head: lastBlock + FINALITY_BLOCKS,
    trades: shape.trades,
  }
}

async function fillBlocks(
  node: Node,
  shape: Shape,
  owner: Address,
  trader: Address,
  report: (line: string) => void,
): Promise<number> {
  await node.call('evm_setAutomine', [false])
  const started = Date.now()
  let made = 0
  let last = 0
  for (let block = 1; block <= shape.blocks; block++) {
    const until = Math.round((shape.trades * block) / shape.blocks)
    const hashes: Hex[] = []
    while (made < until) {
      const count = Math.min(TRADES_PER_TRANSACTION, until - made)
      const run = { functionName: 'run', args: [BigInt(made), BigInt(count), BigInt(shape.popularBps)] } as const
      hashes.push(await node.submit(owner, trader, encodeFunctionData({ abi: traderAbi, ...run })))
      made += count
    }
    await node.call('evm_increaseTime', [BLOCK_SECONDS])
    await node.call('evm_mine', [])
    for (const hash of hashes) last = await node.confirm(hash)
    if (block % 10 === 0 || block === shape.blocks) {
      report(`  ${made.toLocaleString('en')} trades in ${block} blocks, ${Date.now() - started} ms`)
    }
  }
  return last
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
