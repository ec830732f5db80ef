// A stand-in for a launchpad with our events whose tokens are priced in any ERC-20: contracts/src/test/QuotedLaunchpad.sol.
import { type Address, encodeDeployData, encodeFunctionData, type Hex, maxUint256, parseEventLogs } from 'viem'
import { erc20Abi } from '../../../chain/abi/erc20.ts'
import { launchpadAbi } from '../../../chain/abi/launchpad.ts'
import { priceFeedAbi } from '../../../chain/abi/price-feed.ts'
import { uniswapV2FactoryAbi } from '../../../chain/abi/uniswap-v2-factory.ts'
import { uniswapV2PairAbi } from '../../../chain/abi/uniswap-v2-pair.ts'
import { quoteTokenAbi } from '../../../contracts/artifacts/abi/quote-token.ts'
import { quotedLaunchpadAbi } from '../../../contracts/artifacts/abi/quoted-launchpad.ts'
import feedArtifact from '../../../contracts/artifacts/DevPriceFeed.json' with { type: 'json' }
import launchpadArtifact from '../../../contracts/artifacts/QuotedLaunchpad.json' with { type: 'json' }
import quoteArtifact from '../../../contracts/artifacts/QuoteToken.json' with { type: 'json' }
import type { Action, Receipt, TestChain } from '../chain-fixture.ts'
import { asLogs } from './logs.ts'
import { CREATING_GAS, deploy } from './venue.ts'

/** An asset with so many decimals, of which each account has plenty, approved for a spender. */
export async function deployQuote(
  { node, accounts }: TestChain,
  { symbol, decimals, spenders }: { symbol: string; decimals: number; spenders: readonly Address[] },
): Promise<Address> {
  const args = [symbol, decimals] as const
  const data = encodeDeployData({ abi: quoteTokenAbi, bytecode: quoteArtifact.bytecode as Hex, args })
  const address = await deploy({ node, accounts }, data)
  const mint = (to: Address): Action => ({
    ...{ from: to, to: address },
    data: encodeFunctionData({
      abi: quoteTokenAbi,
      functionName: 'mint',
      args: [to, 10n ** BigInt(decimals + 9)],
    }),
  })
  const holders = accounts.slice(0, 6)
  await node.run(...holders.map(mint))
  for (const spender of spenders) await node.run(...holders.map((from) => approveAll(from, address, spender)))
  return address
}

const approveAll = (from: Address, token: Address, spender: Address): Action => ({
  ...{ from, to: token },
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, maxUint256] }),
})

/** A price feed with eight decimals, which the first account sets. */
export async function deployFeed({ node, accounts }: TestChain, price: bigint): Promise<Address> {
  const owner = accounts[0]!
  const args = [owner, 'an asset', price] as const
  const data = encodeDeployData({ abi: priceFeedAbi, bytecode: feedArtifact.bytecode as Hex, args })
  return deploy({ node, accounts }, data)
}

export const setAnswer = (owner: Address, feed: Address, price: bigint): Action => ({
  ...{ from: owner, to: feed },
  data: encodeFunctionData({ abi: priceFeedAbi, functionName: 'setAnswer', args: [price] }),
})

export async function deployQuotedLaunchpad(test: TestChain) {
  const { node, deployed } = test
  const args = [deployed.uniswapFactory] as const
  const data = encodeDeployData({ abi: quotedLaunchpadAbi, bytecode: launchpadArtifact.bytecode as Hex, args })
  const address = await deploy(test, data)
  const run = async (...all: Action[]): Promise<Receipt> => (await node.run(...all)).at(-1)!
  const call = (from: Address, functionName: never, args: readonly unknown[]): Action => ({
    ...{ from, to: address, gas: CREATING_GAS },
    data: encodeFunctionData({ abi: quotedLaunchpadAbi, functionName, args } as never),
  })
  const { router } = makeRouterActions(test)
  return {
    address,
    router,
    create: async (from: Address, quote: Address, symbol: string, target: bigint) => {
      const receipt = await run(call(from, 'create' as never, [quote, `The ${symbol}`, symbol, target]))
      const [event] = parseEventLogs({ abi: launchpadAbi, logs: asLogs(receipt), eventName: 'CurveCreate' })
      return { token: event!.args.token.toLowerCase() as Address, receipt }
    },
    buy: (from: Address, token: Address, amount: bigint, recipient = from) =>
      run(call(from, 'buy' as never, [token, amount, recipient])),
    /** Approves the launchpad first, in the same block. */
    sell: (from: Address, token: Address, amount: bigint, recipient = from) =>
      run(approveAll(from, token, address), call(from, 'sell' as never, [token, amount, recipient])),
    graduate: async (from: Address, token: Address) => {
      const receipt = await run(call(from, 'graduate' as never, [token]))
      const [event] = parseEventLogs({ abi: launchpadAbi, logs: asLogs(receipt), eventName: 'CurveGraduate' })
      return event!.args.pool.toLowerCase() as Address
    },
    claim: (from: Address, token: Address) => run(call(from, 'claimCreatorFees' as never, [token])),
  }
}

const swapAbi = [
  {
    type: 'function',
    name: 'swapExactTokensForTokens',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'amountIn', type: 'uint256' },
      { name: 'amountOutMin', type: 'uint256' },
      { name: 'path', type: 'address[]' },
      { name: 'to', type: 'address' },
      { name: 'deadline', type: 'uint256' },
    ],
    outputs: [{ name: 'amounts', type: 'uint256[]' }],
  },
] as const

/** Swaps at pools of two ERC-20s. */
export function makeRouterActions({ node, deployed }: TestChain) {
  const to = deployed.uniswapRouter
  return {
    router: {
      address: to,
      swap: async (from: Address, amount: bigint, path: readonly [Address, Address]): Promise<Receipt> => {
        const data = encodeFunctionData({
          ...{ abi: swapAbi, functionName: 'swapExactTokensForTokens' },
          args: [amount, 0n, [...path], from, maxUint256],
        })
        return (await node.run(approveAll(from, path[0], to), { from, to, data })).at(-1)!
      },
      /** Creates the pair of two assets with these amounts. */
      openPool: async (from: Address, ...sides: [[Address, bigint], [Address, bigint]]): Promise<Address> => {
        const [[a], [b]] = sides
        const create: Action = {
          ...{ from, to: deployed.uniswapFactory, gas: CREATING_GAS },
          data: encodeFunctionData({ abi: uniswapV2FactoryAbi, functionName: 'createPair', args: [a, b] }),
        }
        await node.run(create)
        const data = encodeFunctionData({ abi: uniswapV2FactoryAbi, functionName: 'getPair', args: [a, b] })
        const word = await node.call<Hex>('eth_call', { to: deployed.uniswapFactory, data }, 'latest')
        const pool = `0x${word.slice(-40)}` as Address
        const pay = ([token, amount]: [Address, bigint]): Action => ({
          ...{ from, to: token },
          data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [pool, amount] }),
        })
        const mint: Action = {
          ...{ from, to: pool },
          data: encodeFunctionData({ abi: uniswapV2PairAbi, functionName: 'mint', args: [from] }),
        }
        await node.run(...sides.map(pay), mint)
        return pool
      },
    },
  }
}
