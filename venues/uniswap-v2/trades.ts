import { type Address, decodeFunctionResult, encodeFunctionData } from 'viem'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { uniswapV2Router02Abi } from '../../chain/abi/uniswap-v2-router02.ts'
import type { CallContract, Pool, PoolQuote, PoolTrades, TradedAmount } from '../venue.ts'
import { encodePoolTrade } from './encode-trade.ts'

/** Trades in pairs of any factory, as its router computes them at the newest block: forks have other fees. */
export const uniswapV2Trades: PoolTrades = {
  router: 'uniswap-v2-router',
  quoter: 'uniswap-v2-router',
  quote: quoteTrade,
}

async function quoteTrade(
  call: CallContract,
  { quoter: router, weth }: { quoter: string; weth: string },
  { address, token, tokenFirst }: Pool,
  { side, amount }: TradedAmount,
): Promise<PoolQuote> {
  const path = (side === 'buy' ? [weth, token] : [token, weth]) as [Address, Address]
  const asked = { abi: uniswapV2Router02Abi, functionName: 'getAmountsOut' } as const
  const held = { abi: uniswapV2PairAbi, functionName: 'getReserves' } as const
  const [amounts, reserves] = await Promise.all([
    call(router, encodeFunctionData({ ...asked, args: [amount, path] })),
    call(address, encodeFunctionData(held)),
  ])
  const amountOut = decodeFunctionResult({ ...asked, data: amounts }).at(-1)!
  const [reserve0, reserve1] = decodeFunctionResult({ ...held, data: reserves })
  const before = tokenFirst ? { token: reserve0, quote: reserve1 } : { token: reserve1, quote: reserve0 }
  const [reserveIn, reserveOut] = side === 'buy' ? [before.quote, before.token] : [before.token, before.quote]
  // What gives this output without a fee.
  const net = (amountOut * reserveIn) / (reserveOut - amountOut)
  const [quoteIn, tokenIn] = side === 'buy' ? [amount, -amountOut] : [-amountOut, amount]
  return {
    amountOut,
    poolFee: amount - net,
    before,
    after: { quote: before.quote + quoteIn, token: before.token + tokenIn },
    encode: (to, args) => encodePoolTrade({ router: to, weth }, args),
  }
}
