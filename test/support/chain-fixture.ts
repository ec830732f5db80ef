import type { Test } from 'tap'
import { type Address, createPublicClient, createWalletClient, type Hex, http, numberToHex } from 'viem'
import { foundry } from 'viem/chains'
import type { RpcLog } from '../../chain/logs/log.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { type Anvil, type AnvilOptions, startAnvil } from '../../dev/anvil.ts'
import { type DeployedContracts as Deployed, deployContracts } from '../../dev/deploy.ts'
import { resolveContracts } from '../../indexer/contracts.ts'
import type { Contracts } from '../../indexer/engine/contracts.ts'

/** A transaction of an unlocked account. With a gas limit, so that a reverting one is mined too. */
export interface Action {
  from: Address
  to?: Address
  data?: Hex
  value?: bigint
  gas?: bigint
}

export interface Receipt {
  transactionHash: Hex
  blockNumber: Hex
  blockHash: Hex
  status: Hex
  from: Address
  contractAddress: Address | null
  logs: RpcLog[]
}

/** Too little for a completing buy to graduate the token as well: see GRADUATING_GAS. */
const DEFAULT_GAS = 3_000_000n
/** With this limit, a completing buy graduates the token. */
export const GRADUATING_GAS = 5_000_000n
/** wei; the smallest target is a hundred times this. */
export const GRADUATION_BOUNTY = 10n ** 13n

/** Chains of tests begin here, so that a run does not depend on the day. */
export const GENESIS_TIME = 1_790_000_000
const BLOCK_SECONDS = 5

/** The node's interface, with anvil's own methods, packed into few requests. */
export class Node {
  readonly url: string
  #nextId = 1

  constructor(url: string) {
    this.url = url
  }

  async call<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    const [answer] = await this.callAll<T>([{ method, params }])
    if (answer instanceof Error) throw answer
    return answer as T
  }

  /** Answers in order; a refused request is answered by its error. */
  async callAll<T>(requests: readonly { method: string; params: unknown[] }[]): Promise<(T | Error)[]> {
    if (requests.length === 0) return []
    const first = this.#nextId
    this.#nextId += requests.length
    const body = JSON.stringify(requests.map((request, index) => ({ jsonrpc: '2.0', id: first + index, ...request })))
    const response = await fetch(this.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answers = (await response.json()) as { id: number; result?: T; error?: { message: string } }[]
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return requests.map(({ method }, index) => {
      const answer = byId.get(first + index)
      if (!answer || answer.error) return new Error(`${method}: ${answer?.error?.message ?? 'no answer'}`)
      return answer.result as T
    })
  }

  /** Sends without waiting to be mined. The hashes, in order; a transaction that the node refuses has none. */
  async send(actions: readonly Action[]): Promise<(Hex | undefined)[]> {
    const answers = await this.callAll<Hex>(
      actions.map((action) => ({ method: 'eth_sendTransaction', params: [toRequest(action)] })),
    )
    return answers.map((answer) => (answer instanceof Error ? undefined : answer))
  }

  /** Mines the pending transactions in one block, `seconds` after the last one. */
  async mine(seconds = BLOCK_SECONDS): Promise<void> {
    const { timestamp } = await this.call<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)
    await this.call('evm_mine', { timestamp: Number(timestamp) + seconds })
  }

  /** All of these in one block. Demands that each succeeds. */
  async run(...actions: Action[]): Promise<Receipt[]> {
    const hashes = await this.send(actions)
    await this.mine()
    const receipts = await this.receipts(hashes.filter((hash) => hash !== undefined))
    const failed = receipts.findIndex(({ status }) => Number(status) !== 1)
    if (failed >= 0 || receipts.length < actions.length) throw new Error(`Transaction ${failed} of the block failed`)
    return receipts
  }

  /** Of those that are mined. */
  async receipts(hashes: readonly Hex[]): Promise<Receipt[]> {
    const answers = await this.callAll<Receipt | null>(
      hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    )
    return answers.filter((answer): answer is Receipt => answer !== null && !(answer instanceof Error))
  }

  async height(): Promise<number> {
    return Number(await this.call<Hex>('eth_blockNumber'))
  }

  /** Replaces the last `depth` blocks by as many others, which hold the given transactions in the given one of them. */
  async reorg(depth: number, replacements: readonly { action: Action; block: number }[] = []): Promise<void> {
    const pairs = replacements.map(({ action, block }) => [toRequest(action), block])
    await this.call('anvil_reorg', depth, pairs)
  }

  /** Drops the last `depth` blocks: the chain is shorter then. */
  async rollback(depth: number): Promise<void> {
    await this.call('anvil_rollback', depth)
  }
}

/** The parameter of eth_sendTransaction. */
export function toRequest({ from, to, data, value = 0n, gas = DEFAULT_GAS }: Action): Record<string, unknown> {
  return { from, ...(to && { to }), ...(data && { data }), value: numberToHex(value), gas: numberToHex(gas) }
}

export interface TestChain {
  anvil: Anvil
  node: Node
  chain: Chain
  deployed: Deployed
  environment: Record<string, string>
  config: Config
  contracts: Contracts
  accounts: readonly Address[]
}

/**
 * A node with the contracts, which mines on request. accounts[0] has deployed them, and owns launchpad and price
 * feed. The configuration is that of a service that follows it.
 */
export async function startChain(
  t: Pick<Test, 'teardown'>,
  { env = {}, ...options }: AnvilOptions & { env?: Record<string, string> } = {},
): Promise<TestChain> {
  const anvil = await startAnvil({
    timestamp: GENESIS_TIME,
    balance: 1_000_000,
    ...options,
    extraArgs: ['--gas-limit', '1000000000', ...(options.extraArgs ?? [])],
  })
  t.teardown(() => anvil.stop())
  const node = new Node(anvil.url)
  const transport = http(anvil.url)
  const publicClient = createPublicClient({ chain: foundry, transport, pollingInterval: 10, cacheTime: 0 })
  const accounts = (await node.call<Address[]>('eth_accounts')).map((account) => account.toLowerCase() as Address)
  const walletClient = createWalletClient({ chain: foundry, transport, account: accounts[0]! })
  const deployed = await deployContracts(
    { publicClient, walletClient },
    { feeRecipient: accounts[9]!, graduationBounty: GRADUATION_BOUNTY },
  )
  await node.call('anvil_setBlockTimestampInterval', BLOCK_SECONDS)
  await node.call('evm_setAutomine', false)
  const environment = makeEnvironment([anvil.url], deployed, env)
  const config = loadConfig(environment)
  // A busy machine may keep a hundred requests waiting for longer than an operator would.
  const chain = new Chain(config.rpcUrls, { retries: 0, timeoutMs: 60_000 })
  return {
    anvil,
    node,
    chain,
    deployed,
    environment,
    config,
    contracts: await resolveContracts(chain, config),
    accounts,
  }
}

/**
 * Lets a chain that mines each transaction itself mine on request meanwhile. It may answer before a transaction has a
 * receipt, which Node.run would not wait for.
 */
export async function miningOnRequest<T>(
  url: string,
  work: (host: Pick<TestChain, 'node' | 'accounts'>) => Promise<T>,
): Promise<T> {
  const node = new Node(url)
  await node.call('evm_setAutomine', false)
  const accounts = (await node.call<Address[]>('eth_accounts')).map((one) => one.toLowerCase() as Address)
  const result = await work({ node, accounts })
  await node.call('evm_setAutomine', true)
  return result
}

/** The environment of a service on these contracts. */
export function makeEnvironment(
  urls: readonly string[],
  deployed: Deployed,
  env: Record<string, string> = {},
): Record<string, string> {
  const startBlock = Number(deployed.startBlock)
  const deployments = [
    { kind: 'launchpad', address: deployed.launchpad, startBlock },
    { kind: 'price-feed', address: deployed.priceFeed, startBlock },
    { kind: 'wrapped-native', address: deployed.weth, startBlock },
    { kind: 'staking', address: deployed.feeStaking, startBlock },
    { kind: 'raises', address: deployed.raises, startBlock },
  ]
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    RATE_LIMITS: 'off',
    MAX_LOOP_DELAY_MS: '0',
    MARKET: 'off',
    POLL_INTERVAL_MS: '10',
    RPC_URL: urls.join(','),
    CHAIN_ID: String(foundry.id),
    DEPLOYMENTS: JSON.stringify(deployments),
    ...env,
  }
}
