import {
  type Address,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseEther,
  zeroHash,
} from 'viem'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { priceFeedAbi } from '../../chain/abi/price-feed.ts'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { uniswapV2Router02Abi } from '../../chain/abi/uniswap-v2-router02.ts'
import { weth9Abi } from '../../chain/abi/weth9.ts'
import { batcherAbi } from '../../contracts/artifacts/abi/batcher.ts'
import { smartAccountFactoryAbi } from '../../contracts/artifacts/abi/smart-account-factory.ts'
import batcherArtifact from '../../contracts/artifacts/Batcher.json' with { type: 'json' }
import accountFactoryArtifact from '../../contracts/artifacts/SmartAccountFactory.json' with { type: 'json' }
import type { DeployedContracts } from '../../dev/deploy.ts'
import { type Launch, makeLaunch } from '../contracts/fixtures/launches.ts'
import type { Action, Node, Receipt } from './chain-fixture.ts'

export const DEAD: Address = '0x000000000000000000000000000000000000dead'
const NEVER = maxUint256

/** Builds transactions of traders and creators. */
export function makeActions({ launchpad, priceFeed, uniswapFactory, uniswapRouter, weth }: DeployedContracts) {
  const pad = (from: Address, data: Hex, value = 0n): Action => ({ from, to: launchpad, data, value })
  const onToken = (from: Address, token: Address, data: Hex): Action => ({ from, to: token, data })
  const router = (from: Address, data: Hex, value = 0n): Action => ({ from, to: uniswapRouter, data, value })
  return {
    launch: (from: Address, symbol: string, value = 0n, name = `The ${symbol}`, changes: Partial<Launch> = {}) => {
      const args = [makeLaunch(name, symbol, { contractURI: `ipfs://${symbol}`, ...changes })] as const
      return pad(from, encodeFunctionData({ abi: launchpadAbi, functionName: 'create', args }), value)
    },
    buy: (from: Address, token: Address, value: bigint, recipient = from) =>
      pad(
        from,
        encodeFunctionData({ abi: launchpadAbi, functionName: 'buy', args: [token, recipient, 0n, NEVER] }),
        value,
      ),
    sell: (from: Address, token: Address, amount: bigint, recipient = from) =>
      pad(
        from,
        encodeFunctionData({ abi: launchpadAbi, functionName: 'sell', args: [token, amount, recipient, 0n, NEVER] }),
      ),
    graduate: (from: Address, token: Address) =>
      pad(from, encodeFunctionData({ abi: launchpadAbi, functionName: 'graduate', args: [token] })),
    setFeeShares: (from: Address, token: Address, recipients: readonly Address[], bps: readonly number[]) =>
      pad(
        from,
        encodeFunctionData({ abi: launchpadAbi, functionName: 'setFeeShares', args: [token, recipients, bps] }),
      ),
    transferFeeRight: (from: Address, token: Address, to: Address) =>
      pad(from, encodeFunctionData({ abi: launchpadAbi, functionName: 'transferFeeRight', args: [token, to] })),
    claimCreatorFee: (from: Address, token: Address) =>
      pad(from, encodeFunctionData({ abi: launchpadAbi, functionName: 'claimCreatorFee', args: [token] })),
    claimProtocolFee: (from: Address) =>
      pad(from, encodeFunctionData({ abi: launchpadAbi, functionName: 'claimProtocolFee' })),
    setDefaults: (owner: Address, target: bigint, protocolBps: number, creatorBps: number) =>
      pad(
        owner,
        encodeFunctionData({
          abi: launchpadAbi,
          functionName: 'setDefaults',
          args: [target, protocolBps, creatorBps],
        }),
      ),
    approve: (from: Address, token: Address, spender: Address) =>
      onToken(
        from,
        token,
        encodeFunctionData({ abi: launchTokenAbi, functionName: 'approve', args: [spender, maxUint256] }),
      ),
    transfer: (from: Address, token: Address, to: Address, amount: bigint) =>
      onToken(from, token, encodeFunctionData({ abi: launchTokenAbi, functionName: 'transfer', args: [to, amount] })),
    setContractUri: (creator: Address, token: Address, uri: string) =>
      onToken(creator, token, encodeFunctionData({ abi: launchTokenAbi, functionName: 'setContractURI', args: [uri] })),
    setPrice: (owner: Address, answer: bigint): Action => ({
      from: owner,
      to: priceFeed,
      data: encodeFunctionData({ abi: priceFeedAbi, functionName: 'setAnswer', args: [answer] }),
    }),
    createPair: (from: Address, token: Address): Action => ({
      from,
      to: uniswapFactory,
      data: encodeFunctionData({ abi: uniswapV2FactoryAbi, functionName: 'createPair', args: [token, weth] }),
    }),
    wrap: (from: Address, value: bigint): Action => ({
      from,
      to: weth,
      value,
      data: encodeFunctionData({ abi: weth9Abi, functionName: 'deposit' }),
    }),
    sendWrapped: (from: Address, to: Address, amount: bigint): Action => ({
      from,
      to: weth,
      data: encodeFunctionData({ abi: weth9Abi, functionName: 'transfer', args: [to, amount] }),
    }),
    sync: (from: Address, pair: Address): Action => ({
      from,
      to: pair,
      data: encodeFunctionData({ abi: uniswapV2PairAbi, functionName: 'sync' }),
    }),
    skim: (from: Address, pair: Address): Action => ({
      from,
      to: pair,
      data: encodeFunctionData({ abi: uniswapV2PairAbi, functionName: 'skim', args: [from] }),
    }),
    swapBuy: (from: Address, token: Address, value: bigint, recipient = from) =>
      router(
        from,
        encodeFunctionData({
          abi: uniswapV2Router02Abi,
          functionName: 'swapExactETHForTokens',
          args: [0n, [weth, token], recipient, NEVER],
        }),
        value,
      ),
    swapSell: (from: Address, token: Address, amount: bigint, recipient = from) =>
      router(
        from,
        encodeFunctionData({
          abi: uniswapV2Router02Abi,
          functionName: 'swapExactTokensForETH',
          args: [amount, 0n, [token, weth], recipient, NEVER],
        }),
      ),
    addLiquidity: (from: Address, token: Address, amount: bigint, value: bigint) =>
      router(
        from,
        encodeFunctionData({
          abi: uniswapV2Router02Abi,
          functionName: 'addLiquidityETH',
          args: [token, amount, 0n, 0n, from, NEVER],
        }),
        value,
      ),
    removeLiquidity: (from: Address, token: Address, shares: bigint) =>
      router(
        from,
        encodeFunctionData({
          abi: uniswapV2Router02Abi,
          functionName: 'removeLiquidityETH',
          args: [token, shares, 0n, 0n, from, NEVER],
        }),
      ),
  }
}

export type Actions = ReturnType<typeof makeActions>

/** A batcher, and contract wallets that let it act for them. */
export interface Batch {
  batcher: Address
  /** Owned by the accounts given, in order. */
  wallets: Address[]
  /** One transaction in which wallets (or the batcher itself, for an action of its own) do all of this. */
  bundle(from: Address, actions: readonly Action[]): Action
}

export async function deployBatch(node: Node, owners: readonly Address[]): Promise<Batch> {
  const [deployer] = owners
  if (!deployer) throw new Error('No owners')
  const deploy = (bytecode: string): Action => ({ from: deployer, data: bytecode as Hex })
  const receipts = await node.run(deploy(batcherArtifact.bytecode), deploy(accountFactoryArtifact.bytecode))
  const [batcher, factory] = receipts.map(({ contractAddress }) => contractAddress?.toLowerCase() as Address)
  const abi = smartAccountFactoryAbi
  const wallets: Address[] = []
  for (const owner of owners) {
    const args = [owner, batcher!, zeroHash] as const
    const data = encodeFunctionData({ abi, functionName: 'addressOf', args })
    const result = await node.call<Hex>('eth_call', { to: factory, data }, 'latest')
    wallets.push(decodeFunctionResult({ abi, functionName: 'addressOf', data: result }).toLowerCase() as Address)
    await node.run({ from: owner, to: factory!, data: encodeFunctionData({ abi, functionName: 'create', args }) })
  }
  await node.run(...wallets.map((to, index) => ({ from: owners[index]!, to, value: parseEther('10000') })))
  const bundle = (from: Address, actions: readonly Action[]): Action => {
    const calls = actions.map(({ from: account, to, data = '0x', value = 0n }) => ({
      account: account === batcher ? '0x0000000000000000000000000000000000000000' : account,
      target: to!,
      value,
      data,
    })) as { account: Address; target: Address; value: bigint; data: Hex }[]
    const own = actions.reduce((sum, action) => sum + (action.from === batcher ? (action.value ?? 0n) : 0n), 0n)
    const data = encodeFunctionData({ abi: batcherAbi, functionName: 'run', args: [calls] })
    return { from, to: batcher!, data, value: own, gas: 30_000_000n }
  }
  return { batcher: batcher!, wallets, bundle }
}

/** The token that a transaction launched. */
export function launchedToken({ logs }: Pick<Receipt, 'logs'>): Address {
  for (const { topics, data } of logs) {
    try {
      const event = decodeEventLog({ abi: launchpadAbi, topics: topics as [Hex, ...Hex[]], data })
      if (event.eventName === 'CurveCreate') return event.args.token.toLowerCase() as Address
    } catch {
      // A log of another contract.
    }
  }
  throw new Error('The transaction launched nothing')
}
