import { type Address, decodeFunctionResult, encodeFunctionData } from 'viem'
import type { TradeCallArgs, UnsignedCall } from '../../chain/trade-call.ts'
import type { CallContract, Pool, PoolQuote, PoolTrades, TradedAmount } from '../venue.ts'
import { poolAbi, quoterAbi, routerAbi } from './periphery.ts'
import { toFraction } from './to-fraction.ts'

/** Parts of an amount in which pools count their fee. */
const FEE_PARTS = 1_000_000n
/** A swap stops before these roots of the price, and takes only a part of the amount in. */
const [LOWEST_ROOT, HIGHEST_ROOT] = [4_295_128_740n, 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n]
/** Keeps the proceeds in the router, for the next call of a multicall. */
const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002'

/** Trades in pools of Uniswap V3, by the calls of SwapRouter02, as QuoterV2 computes them at the newest block. */
export const uniswapV3Trades: PoolTrades = {
  router: 'uniswap-v3-router',
  quoter: 'uniswap-v3-quoter',
  quote: quoteTrade,
}

async function quoteTrade(
  call: CallContract,
  { quoter, weth }: { quoter: string; weth: string },
  pool: Pool,
  { side, amount }: TradedAmount,
): Promise<PoolQuote | null> {
  const abi = poolAbi
  const [feeAnswer, slotAnswer] = await Promise.all([
    call(pool.address, encodeFunctionData({ abi, functionName: 'fee' })),
    call(pool.address, encodeFunctionData({ abi, functionName: 'slot0' })),
  ])
  const fee = decodeFunctionResult({ abi, functionName: 'fee', data: feeAnswer })
  const [rootBefore] = decodeFunctionResult({ abi, functionName: 'slot0', data: slotAnswer })
  const [tokenIn, tokenOut] = (side === 'buy' ? [weth, pool.token] : [pool.token, weth]) as [Address, Address]
  const exact = { tokenIn, tokenOut, fee, amountIn: amount, sqrtPriceLimitX96: 0n }
  const asked = { abi: quoterAbi, functionName: 'quoteExactInputSingle' } as const
  const data = await call(quoter, encodeFunctionData({ ...asked, args: [exact] }))
  const [amountOut, rootAfter] = decodeFunctionResult({ ...asked, data })
  if (rootAfter <= LOWEST_ROOT || rootAfter >= HIGHEST_ROOT) return null
  return {
    amountOut,
    poolFee: (amount * BigInt(fee) + FEE_PARTS - 1n) / FEE_PARTS,
    before: toFraction(rootBefore, pool.tokenFirst),
    after: toFraction(rootAfter, pool.tokenFirst),
    encode: (router, args) => encodeTrade({ router, weth, fee }, args),
  }
}

/** A buy wraps the native coin that is sent along, and what the pool does not take comes back; a sell unwraps the proceeds. */
function encodeTrade(
  { router, weth, fee }: { router: string; weth: string; fee: number },
  { side, token, recipient, amount, minimumOut, deadline }: TradeCallArgs,
): UnsignedCall {
  const abi = routerAbi
  const [tokenIn, tokenOut] = (side === 'buy' ? [weth, token] : [token, weth]) as [Address, Address]
  const swap = {
    ...{ tokenIn, tokenOut, fee, amountIn: amount, amountOutMinimum: minimumOut, sqrtPriceLimitX96: 0n },
    recipient: side === 'buy' ? (recipient as Address) : ROUTER_ITSELF,
  } as const
  const calls = [
    encodeFunctionData({ abi, functionName: 'exactInputSingle', args: [swap] }),
    side === 'buy'
      ? encodeFunctionData({ abi, functionName: 'refundETH' })
      : encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: [minimumOut, recipient as Address] }),
  ]
  const data = encodeFunctionData({ abi, functionName: 'multicall', args: [BigInt(deadline), calls] })
  return { to: router, data, value: side === 'buy' ? amount : 0n }
}
