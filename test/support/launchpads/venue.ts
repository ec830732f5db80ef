// Uniswap V3 without its periphery, and trades at its pools.
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { erc20Abi } from '../../../chain/abi/erc20.ts'
import { weth9Abi } from '../../../chain/abi/weth9.ts'
import { uniswapV3FactoryAbi } from '../../../contracts/artifacts/abi/uniswap-v3-factory.ts'
import { v3TraderAbi } from '../../../contracts/artifacts/abi/v3-trader.ts'
import factoryArtifact from '../../../contracts/artifacts/UniswapV3Factory.json' with { type: 'json' }
import traderArtifact from '../../../contracts/artifacts/V3Trader.json' with { type: 'json' }
import wethArtifact from '../../../contracts/artifacts/WETH9.json' with { type: 'json' }
import type { Action, Node, Receipt, TestChain } from '../chain-fixture.ts'

export type Host = Pick<TestChain, 'node' | 'accounts'>
export type Venue = Awaited<ReturnType<typeof deployVenue>>

/** An exact amount in; without a recipient, the sender gets what comes out. */
export interface SwapOrder {
  pool: Address
  tokenIn: Address
  amountIn: bigint
  recipient?: Address
}

/** Enough to create a pool, or the factory. */
export const CREATING_GAS = 8_000_000n
/** Of all launchpads here: 1 %, with ticks 200 apart. */
export const POOL_FEE = 10_000

/** Uses the wrapped coin that is there, if it is given. */
export async function deployVenue({ node, accounts }: Host, existingWeth?: Address) {
  const from = accounts[0]!
  const create = (artifact: { bytecode: string }): Action => ({
    from,
    data: artifact.bytecode as Hex,
    gas: CREATING_GAS,
  })
  const codes = [factoryArtifact, traderArtifact, ...(existingWeth ? [] : [wethArtifact])]
  const receipts = await node.run(...codes.map(create))
  const [factory, trader, weth = existingWeth] = receipts.map(createdAddress) as [Address, Address, Address?]
  return { factory, trader, weth: weth!, ...makeTrades(node, { factory, trader, weth: weth! }) }
}

function makeTrades(node: Node, { factory, trader, weth }: { factory: Address; trader: Address; weth: Address }) {
  const order = (from: Address, { pool, tokenIn, amountIn, recipient = from }: SwapOrder) => ({
    ...{ pool, tokenIn, amountIn, recipient },
  })
  const actions = {
    wrap: (from: Address, value: bigint): Action => ({
      ...{ from, to: weth, value },
      data: encodeFunctionData({ abi: weth9Abi, functionName: 'deposit' }),
    }),
    approve: (from: Address, token: Address, amount: bigint): Action => approve(from, token, trader, amount),
    swap: (from: Address, swap: SwapOrder, minimumOut = 0n): Action => ({
      ...{ from, to: trader },
      data: encodeFunctionData({ abi: v3TraderAbi, functionName: 'swap', args: [order(from, swap), minimumOut] }),
    }),
    /** Several swaps in one transaction. */
    swapAll: (from: Address, ...swaps: SwapOrder[]): Action => ({
      ...{ from, to: trader },
      data: encodeFunctionData({
        abi: v3TraderAbi,
        functionName: 'swapAll',
        args: [swaps.map((swap) => order(from, swap))],
      }),
    }),
    createPool: (from: Address, one: Address, other: Address, fee: number): Action => ({
      ...{ from, to: factory, gas: CREATING_GAS },
      data: encodeFunctionData({ abi: uniswapV3FactoryAbi, functionName: 'createPool', args: [one, other, fee] }),
    }),
    addFullRange: (from: Address, pool: Address, amounts: readonly [bigint, bigint]): Action => ({
      ...{ from, to: trader },
      data: encodeFunctionData({ abi: v3TraderAbi, functionName: 'addFullRange', args: [pool, ...amounts] }),
    }),
    /** The sender pays back what the recipient borrows, with the fee. */
    flash: (from: Address, pool: Address, recipient: Address, amounts: readonly [bigint, bigint]): Action => ({
      ...{ from, to: trader },
      data: encodeFunctionData({ abi: v3TraderAbi, functionName: 'flash', args: [pool, recipient, ...amounts] }),
    }),
  }
  const last = async (...all: Action[]): Promise<Receipt> => (await node.run(...all)).at(-1)!
  return {
    actions,
    /** The zero address if there is none. */
    getPool: async (token: Address, paired: Address = weth): Promise<Address> => {
      const abi = uniswapV3FactoryAbi
      const data = encodeFunctionData({ abi, functionName: 'getPool', args: [token, paired, POOL_FEE] })
      const result = await node.call<Hex>('eth_call', { to: factory, data }, 'latest')
      return decodeFunctionResult({ abi, functionName: 'getPool', data: result }).toLowerCase() as Address
    },
    /** Wraps the native coins first, in the same block. */
    swapBuy: (from: Address, pool: Address, amountIn: bigint, recipient?: Address) => {
      const swap = { pool, tokenIn: weth, amountIn, ...(recipient && { recipient }) }
      return last(actions.wrap(from, amountIn), actions.approve(from, weth, amountIn), actions.swap(from, swap))
    },
    /** The proceeds stay wrapped. */
    swapSell: (from: Address, pool: Address, token: Address, amountIn: bigint, recipient?: Address) => {
      const swap = { pool, tokenIn: token, amountIn, ...(recipient && { recipient }) }
      return last(actions.approve(from, token, amountIn), actions.swap(from, swap))
    },
  }
}

export const approve = (from: Address, token: Address, spender: Address, amount: bigint): Action => ({
  ...{ from, to: token },
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
})

const createdAddress = ({ contractAddress }: Receipt) => contractAddress!.toLowerCase() as Address

/** Deploys one contract. */
export async function deploy({ node, accounts }: Host, data: Hex, gas = CREATING_GAS): Promise<Address> {
  const [receipt] = await node.run({ from: accounts[0]!, data, gas })
  return createdAddress(receipt!)
}

/**
 * A salt with which the token comes first in its pool with the other one, or second, which decides the direction of the
 * pool's prices. `make` builds a call whose first result is the token.
 */
export async function findSalt(
  node: Node,
  make: (salt: Hex) => Action,
  other: Address,
  isFirst: boolean,
): Promise<Hex> {
  for (let index = 0; index < 100; index++) {
    const salt = `0x${index.toString(16).padStart(64, '0')}` as const
    const { from, to, data, gas } = make(salt)
    const request = { from, to, data, gas: `0x${(gas ?? CREATING_GAS).toString(16)}` }
    const result = await node.call<Hex>('eth_call', request, 'latest').catch(() => undefined)
    // It reverts where the salt is used already.
    if (result && `0x${result.slice(26, 66)}` < other.toLowerCase() === isFirst) return salt
  }
  throw new Error('No salt among a hundred puts the token there')
}
