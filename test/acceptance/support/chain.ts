import { readFile } from 'node:fs/promises'
import type { Test } from 'tap'
import {
  type Abi,
  type Account,
  createPublicClient,
  createWalletClient,
  type Hex,
  maxUint256,
  type PublicClient,
  parseEventLogs,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { launchTokenAbi } from '../../../chain/abi/launch-token.ts'
import { launchpadAbi } from '../../../chain/abi/launchpad.ts'
import { startAnvil } from '../../../dev/anvil.ts'
import { type DeployedContracts, deployContracts } from '../../../dev/deploy.ts'
import { makeLaunch } from '../../contracts/fixtures/launches.ts'
import { httpWithGasMargin } from '../../support/gas-margin.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

export interface TestChain {
  url: string
  client: PublicClient
  contracts: DeployedContracts
  /** The variables that let a service follow this chain. */
  env: Record<string, string>
  /** Sends a transaction and waits for its receipt, whatever its status. */
  send(account: Account, call: Call): Promise<TransactionReceipt>
  /** Deploys one of the reference contracts; arguments as its constructor takes them. */
  deploy(name: string, ...args: unknown[]): Promise<{ address: Hex; abi: Abi }>
  rpc(method: string, ...params: unknown[]): Promise<unknown>
}

export interface Call {
  to: Hex
  abi: Abi | readonly unknown[]
  functionName: string
  args: readonly unknown[]
  value?: bigint
  /** Given, nothing is estimated: for a call that reverts. */
  gas?: bigint
}

export const account = (index: number) =>
  mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex: index })

export async function startChain(t: Test): Promise<TestChain> {
  const anvil = await startAnvil({})
  t.teardown(() => anvil.stop())
  const transport = httpWithGasMargin(anvil.url)
  const client = createPublicClient({ transport, pollingInterval: 10 })
  const contracts = await deployContracts({
    publicClient: client,
    walletClient: createWalletClient({ account: account(0), transport }),
  })
  const startBlock = Number(contracts.startBlock)
  const deployments = [
    { kind: 'launchpad', address: contracts.launchpad, startBlock },
    { kind: 'price-feed', address: contracts.priceFeed, startBlock },
    { kind: 'wrapped-native', address: contracts.weth, startBlock },
    { kind: 'uniswap-factory', address: contracts.uniswapFactory, startBlock },
    { kind: 'uniswap-router', address: contracts.uniswapRouter, startBlock },
    { kind: 'staking', address: contracts.feeStaking, startBlock },
    { kind: 'raises', address: contracts.raises, startBlock },
  ]
  return {
    url: anvil.url,
    client,
    contracts,
    env: {
      RPC_URL: anvil.url,
      CHAIN_ID: '31337',
      POLL_INTERVAL_MS: '50',
      DEPLOYMENTS: JSON.stringify(deployments),
    },
    send: async (from, { to, abi, functionName, args, value, gas }) => {
      const wallet = createWalletClient({ account: from, transport })
      const hash = await wallet.writeContract({
        address: to,
        abi: abi as Abi,
        functionName,
        args,
        chain: null,
        ...(value !== undefined && { value }),
        ...(gas !== undefined && { gas }),
      })
      return waitForReceipt(client, hash)
    },
    deploy: async (name, ...args) => {
      const artifact = new URL(`../../../contracts/artifacts/${name}.json`, import.meta.url)
      const { abi, bytecode } = JSON.parse(await readFile(artifact, 'utf8')) as { abi: Abi; bytecode: Hex }
      const wallet = createWalletClient({ account: account(0), transport })
      const hash = await wallet.deployContract({ abi, bytecode, args, chain: null })
      const { contractAddress } = await waitForReceipt(client, hash)
      if (!contractAddress) throw new Error(`${name} was not deployed`)
      return { address: contractAddress, abi }
    },
    rpc: (method, ...params) => client.request({ method, params } as never),
  }
}

/**
 * Asks until it is there. The client's own way looks once a block: anvil makes one a transaction, returns its number before its
 * receipts are there, and makes no other to look again at.
 */
async function waitForReceipt(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  let receipt: TransactionReceipt | undefined
  const isThere = async () => {
    receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
      return undefined
    })
    return receipt !== undefined
  }
  await waitUntil(`${hash} has a receipt`, isThere, { pauseMs: 10 })
  return receipt as unknown as TransactionReceipt
}

/** The calls of the story, by name. */
export const calls = {
  create: ({ launchpad }: DeployedContracts, name: string, symbol: string, value = 0n): Call => ({
    to: launchpad,
    abi: launchpadAbi,
    functionName: 'create',
    args: [makeLaunch(name, symbol, { contractURI: 'ipfs://metadata' })],
    value,
  }),
  buy: ({ launchpad }: DeployedContracts, token: Hex, recipient: Hex, value: bigint): Call => ({
    to: launchpad,
    abi: launchpadAbi,
    functionName: 'buy',
    args: [token, recipient, 0n, maxUint256],
    value,
  }),
  sell: ({ launchpad }: DeployedContracts, token: Hex, recipient: Hex, amount: bigint): Call => ({
    to: launchpad,
    abi: launchpadAbi,
    functionName: 'sell',
    args: [token, amount, recipient, 0n, maxUint256],
  }),
  approve: (token: Hex, spender: Hex): Call => ({
    to: token,
    abi: launchTokenAbi,
    functionName: 'approve',
    args: [spender, maxUint256],
  }),
}

export function createdToken(receipt: TransactionReceipt): Hex {
  const [event] = parseEventLogs({ abi: launchpadAbi, logs: receipt.logs, eventName: 'CurveCreate' })
  if (!event) throw new Error('No token was created')
  return event.args.token.toLowerCase() as Hex
}
