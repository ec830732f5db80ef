import { type Address, encodeFunctionData, type Hex } from 'viem'
import { launchpadAbi } from './abi/launchpad.ts'
import { uniswapV2Router02Abi } from './abi/uniswap-v2-router02.ts'

/** An unsigned contract call. */
export interface UnsignedCall {
  to: string
  data: Hex
  /** Native coin, in base units. */
  value: bigint
}

export interface TradeCallArgs {
  token: string
  side: 'buy' | 'sell'
  amount: bigint
  minimumOut: bigint
  recipient: string
  /** Unix seconds. */
  deadline: number
}

/** Encodes a trade on the curve. */
export function encodeCurveTrade(launchpad: string, args: TradeCallArgs): UnsignedCall {
  const { side, amount, minimumOut } = args
  const [token, recipient, deadline] = [args.token as Address, args.recipient as Address, BigInt(args.deadline)]
  if (side === 'buy') {
    const call = { functionName: 'buy', args: [token, recipient, minimumOut, deadline] } as const
    return { to: launchpad, data: encodeFunctionData({ abi: launchpadAbi, ...call }), value: amount }
  }
  const call = { functionName: 'sell', args: [token, amount, recipient, minimumOut, deadline] } as const
  return { to: launchpad, data: encodeFunctionData({ abi: launchpadAbi, ...call }), value: 0n }
}

/** Encodes a trade in the pool, through a Uniswap V2 router that wraps and unwraps the native coin. */
export function encodePoolTrade(contracts: { router: string; weth: string }, args: TradeCallArgs): UnsignedCall {
  const { side, amount, minimumOut } = args
  const [token, recipient, deadline] = [args.token as Address, args.recipient as Address, BigInt(args.deadline)]
  const [to, weth] = [contracts.router, contracts.weth as Address]
  if (side === 'buy') {
    const call = {
      functionName: 'swapExactETHForTokens',
      args: [minimumOut, [weth, token], recipient, deadline],
    } as const
    return { to, data: encodeFunctionData({ abi: uniswapV2Router02Abi, ...call }), value: amount }
  }
  const call = {
    functionName: 'swapExactTokensForETH',
    args: [amount, minimumOut, [token, weth], recipient, deadline],
  } as const
  return { to, data: encodeFunctionData({ abi: uniswapV2Router02Abi, ...call }), value: 0n }
}
