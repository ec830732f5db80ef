import { type Address, encodeFunctionData } from 'viem'
import { uniswapV2Router02Abi as abi } from '../../chain/abi/uniswap-v2-router02.ts'
import type { TradeCallArgs, UnsignedCall } from '../../chain/trade-call.ts'

/** Encodes a trade in the pool, through a router that wraps and unwraps the native coin. */
export function encodePoolTrade(contracts: { router: string; weth: string }, args: TradeCallArgs): UnsignedCall {
  const { side, amount, minimumOut } = args
  const [token, recipient, deadline] = [args.token as Address, args.recipient as Address, BigInt(args.deadline)]
  const [to, weth] = [contracts.router, contracts.weth as Address]
  if (side === 'buy') {
    const call = {
      functionName: 'swapExactETHForTokens',
      args: [minimumOut, [weth, token], recipient, deadline],
    } as const
    return { to, data: encodeFunctionData({ abi, ...call }), value: amount }
  }
  const call = {
    functionName: 'swapExactTokensForETH',
    args: [amount, minimumOut, [token, weth], recipient, deadline],
  } as const
  return { to, data: encodeFunctionData({ abi, ...call }), value: 0n }
}
