// Uniswap V4 without its periphery, and trades in its pools.
import manager from '@uniswap/v4-core/out/PoolManager.sol/PoolManager.json' with { type: 'json' }
import {
  type Abi,
  type Address,
  concat,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  keccak256,
  parseAbiParameters,
  toHex,
  zeroAddress,
} from 'viem'
import { weth9Abi } from '../../../chain/abi/weth9.ts'
import { v4FeeHookAbi } from '../../../contracts/artifacts/abi/v4-fee-hook.ts'
import { v4TraderAbi } from '../../../contracts/artifacts/abi/v4-trader.ts'
import hookArtifact from '../../../contracts/artifacts/V4FeeHook.json' with { type: 'json' }
import traderArtifact from '../../../contracts/artifacts/V4Trader.json' with { type: 'json' }
import type { Action, Node, Receipt } from '../chain-fixture.ts'
import { approve, CREATING_GAS, deploy, type Host } from './venue.ts'

export type VenueV4 = Awaited<ReturnType<typeof deployUniswapV4>>

/** The published build: its licence allows tests, so it is not copied from its package. */
export const poolManagerAbi = manager.abi as Abi

/** What a pool is identified by. The zero address as a currency is the native coin. */
export interface PoolKey {
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
  hooks: Address
}

/** An exact amount in; without a recipient, the sender gets what comes out. */
export interface V4Order {
  key: PoolKey
  tokenIn: Address
  amountIn: bigint
  recipient?: Address
  /** Pays before the swap instead of after it. */
  payFirst?: boolean
}

/** The key of a pool of 1 %, with ticks 200 apart. */
export function makeKey(one: Address, other: Address, hooks: Address = zeroAddress): PoolKey {
  const [currency0, currency1] = BigInt(one) < BigInt(other) ? [one, other] : [other, one]
  return { currency0, currency1, fee: 10_000, tickSpacing: 200, hooks }
}

export const toPoolId = ({ currency0, currency1, fee, tickSpacing, hooks }: PoolKey): Hex =>
  keccak256(
    encodeAbiParameters(parseAbiParameters('address, address, uint24, int24, address'), [
      ...([currency0, currency1, fee, tickSpacing, hooks] as const),
    ]),
  )

const bytecode = manager.bytecode.object as Hex

export async function deployUniswapV4(host: Host, weth: Address) {
  const { node, accounts } = host
  const owner = encodeAbiParameters(parseAbiParameters('address'), [accounts[0]!])
  const [created] = await node.run({ from: accounts[0]!, data: concat([bytecode, owner]), gas: CREATING_GAS })
  const poolManager = created!.contractAddress!.toLowerCase() as Address
  const data = encodeDeployData({ abi: v4TraderAbi, bytecode: traderArtifact.bytecode as Hex, args: [poolManager] })
  const trader = await deploy(host, data)
  return { poolManager, trader, weth, ...makeTrades(node, { trader, weth }) }
}

function makeTrades(node: Node, { trader, weth }: { trader: Address; weth: Address }) {
  const toOrder = (from: Address, { key, tokenIn, amountIn, recipient = from, payFirst = false }: V4Order) => ({
    ...{ key, zeroForOne: tokenIn === key.currency0, amountIn, recipient, payFirst },
  })
  const call = { abi: v4TraderAbi } as const
  const coins = (...orders: readonly V4Order[]): bigint =>
    orders.reduce((sum, { tokenIn, amountIn }) => sum + (tokenIn === zeroAddress ? amountIn : 0n), 0n)
  const act = (from: Address, data: Hex, value = 0n): Action => ({ from, to: trader, data, value, gas: 3_000_000n })
  const actions = {
    wrap: (from: Address, value: bigint): Action => ({
      ...{ from, to: weth, value },
      data: encodeFunctionData({ abi: weth9Abi, functionName: 'deposit' }),
    }),
    approve: (from: Address, token: Address, amount: bigint): Action => approve(from, token, trader, amount),
    swap: (from: Address, order: V4Order, minimumOut = 0n): Action => {
      const args = [toOrder(from, order), minimumOut] as const
      return act(from, encodeFunctionData({ ...call, functionName: 'swap', args }), coins(order))
    },
    /** Several swaps in one transaction, one after another. */
    swapAll: (from: Address, ...orders: V4Order[]): Action => {
      const args = [orders.map((order) => toOrder(from, order))] as const
      return act(from, encodeFunctionData({ ...call, functionName: 'swapAll', args }), coins(...orders))
    },
    /** Several swaps, settled together. value: native coins that are paid in. */
    swapTogether: (from: Address, orders: V4Order[], value = coins(...orders)): Action => {
      const args = [orders.map((order) => toOrder(from, order))] as const
      return act(from, encodeFunctionData({ ...call, functionName: 'swapTogether', args }), value)
    },
    initialize: (from: Address, key: PoolKey, sqrtPrice: bigint): Action =>
      act(from, encodeFunctionData({ ...call, functionName: 'initialize', args: [key, sqrtPrice] })),
    addFullRange: (from: Address, key: PoolKey, liquidity: bigint, value = 0n): Action =>
      act(from, encodeFunctionData({ ...call, functionName: 'addFullRange', args: [key, liquidity] }), value),
  }
  const last = async (...all: Action[]): Promise<Receipt> => (await node.run(...all)).at(-1)!
  return {
    actions,
    /** Wraps the native coins first, in the same block, where the pool has the wrapped one. */
    swapBuy: (from: Address, key: PoolKey, amountIn: bigint, order: Partial<V4Order> = {}) => {
      const tokenIn = key.currency0 === zeroAddress ? zeroAddress : weth
      const swap = actions.swap(from, { key, tokenIn, amountIn, ...order })
      if (tokenIn === zeroAddress) return last(swap)
      return last(actions.wrap(from, amountIn), actions.approve(from, weth, amountIn), swap)
    },
    swapSell: (from: Address, key: PoolKey, token: Address, amountIn: bigint, order: Partial<V4Order> = {}) =>
      last(actions.approve(from, token, amountIn), actions.swap(from, { key, tokenIn: token, amountIn, ...order })),
  }
}

/** Where anvil has the deployer of contracts by salt. */
const CREATE2_DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
/** Called after a swap, and may take an amount. The lowest 14 bits of an address say what its hook may do. */
const HOOK_FLAGS = (1n << 6n) | (1n << 2n)

/** Deploys V4FeeHook at an address that allows what it does. */
export async function deployFeeHook({ node, accounts }: Host, { poolManager }: VenueV4): Promise<Address> {
  const args = [poolManager] as const
  const code = encodeDeployData({ abi: v4FeeHookAbi, bytecode: hookArtifact.bytecode as Hex, args })
  const bytecodeHash = keccak256(code)
  for (let index = 0; ; index++) {
    const salt = toHex(index, { size: 32 })
    const address = getCreate2Address({ from: CREATE2_DEPLOYER, salt, bytecodeHash })
    if ((BigInt(address) & 0x3fffn) !== HOOK_FLAGS) continue
    await node.run({ from: accounts[0]!, to: CREATE2_DEPLOYER, data: concat([salt, code]), gas: CREATING_GAS })
    return address.toLowerCase() as Address
  }
}
