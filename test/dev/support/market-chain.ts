import type { Test } from 'tap'
import { type Address, createPublicClient, createWalletClient, type Hex, http, type PublicClient } from 'viem'
import { type Anvil, startAnvil } from '../../../dev/anvil.ts'
import { type DeployedContracts, deployContracts } from '../../../dev/deploy.ts'
import { callNode } from '../../../dev/json-rpc.ts'
import { buildHistory } from '../../../dev/market/build-history.ts'
import { HISTORY_SECONDS, type History } from '../../../dev/market/plan-history.ts'
import { mineWaiting } from '../../../dev/market/send.ts'

export interface EmptyChain {
  anvil: Anvil
  url: string
  contracts: DeployedContracts
  wallets: Address[]
  client: PublicClient
}

export interface MarketChain extends EmptyChain {
  history: History
}

export interface RpcLog {
  address: Hex
  topics: Hex[]
  data: Hex
  blockNumber: Hex
  blockTimestamp: Hex
  transactionHash: Hex
  logIndex: Hex
}

/** A chain with the contracts alone. It mines only when asked to. */
export async function startEmptyChain(t: Test, timestamp?: number): Promise<EmptyChain> {
  const anvil = await startAnvil({
    accounts: 20,
    extraArgs: ['--no-mining'],
    ...(timestamp !== undefined && { timestamp }),
  })
  t.teardown(() => anvil.stop())
  const { url } = anvil
  const wallets = (await callNode<Address[]>(url, 'eth_accounts')).map((wallet) => wallet.toLowerCase() as Address)
  const transport = http(url)
  const client = createPublicClient({ transport, pollingInterval: 10, cacheTime: 0 })
  const walletClient = createWalletClient({ account: wallets[0] as Address, transport })
  const options = { afterSending: () => mineWaiting(url) }
  const contracts = await deployContracts({ publicClient: client, walletClient }, options)
  return { anvil, url, contracts, wallets, client }
}

/** With the demonstration market's past on it, which ends at `endTime`, unix seconds. */
export async function startMarketChain(t: Test, endTime: number, seed = 'test'): Promise<MarketChain> {
  const chain = await startEmptyChain(t, endTime - HISTORY_SECONDS - 60)
  const history = await buildHistory({ url: chain.url, contracts: chain.contracts, seed, endTime })
  return { ...chain, history }
}

export async function readAllLogs(url: string): Promise<RpcLog[]> {
  return callNode(url, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
}

/** A log that remembers, by its messages. */
export function createMemoryLog() {
  const messages: string[] = []
  const add = (_: object, message: string) => void messages.push(message)
  return { messages, info: add, warn: add }
}
