import { type Address, encodeFunctionData, type Hex, maxUint256, numberToHex } from 'viem'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { priceFeedAbi } from '../../chain/abi/price-feed.ts'
import { uniswapV2Router02Abi } from '../../chain/abi/uniswap-v2-router02.ts'
import type { DeployedContracts } from '../deploy.ts'
import type { Exchange, Side } from './exchange.ts'

/** A transaction before it is sent. */
export interface Call {
  from: Address
  to: Address
  data: Hex
  /** A fixed limit above the actual cost, so that no estimate is needed. */
  gas: number
  value?: bigint
}

export interface TradeCall {
  exchange: Exchange['kind']
  side: Side
  token: Address
  trader: Address
  amountIn: bigint
  /** The trade reverts if the output is lower. */
  minimum: bigint
}

export type MarketContracts = Pick<
  DeployedContracts,
  'launchpad' | 'uniswapRouter' | 'weth' | 'priceFeed' | 'feeStaking' | 'feeSplitter' | 'raises'
>

const gas = { create: 1_000_000, graduate: 4_000_000, trade: 400_000, other: 120_000 }
const never = maxUint256

export interface LaunchTerms {
  targetQuote: bigint
  protocolFeeBps: number
  creatorFeeBps: number
}

export interface LaunchCall {
  creator: Address
  name: string
  symbol: string
  uri: string
  /** How many tokens there are: no creator has launched with this salt. */
  order: number
  terms: LaunchTerms
  value: bigint
}

/** Tokens of the demonstration have the addresses of these salts. */
export const saltOf = (order: number): Hex => numberToHex(order, { size: 32 })

export function makeCreate({ launchpad }: MarketContracts, launch: LaunchCall): Call {
  const { creator, name, symbol, uri, order, terms, value } = launch
  const own = { salt: saltOf(order), minTokenOut: 0n, deadline: never }
  const args = [{ name, symbol, contractURI: uri, terms, ...own }] as const
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'create', args })
  return { from: creator, to: launchpad, data, value, gas: gas.create }
}

export function makeTrade(contracts: MarketContracts, call: TradeCall): Call {
  return { ...(call.exchange === 'curve' ? onCurve(contracts, call) : inPool(contracts, call)), gas: gas.trade }
}

function onCurve({ launchpad: to }: MarketContracts, { side, token, trader, amountIn, minimum }: TradeCall) {
  if (side === 'buy') {
    const args = [token, trader, minimum, never] as const
    const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'buy', args })
    return { from: trader, to, data, value: amountIn }
  }
  const args = [token, amountIn, trader, minimum, never] as const
  return { from: trader, to, data: encodeFunctionData({ abi: launchpadAbi, functionName: 'sell', args }) }
}

function inPool({ uniswapRouter: to, weth }: MarketContracts, { side, token, trader, amountIn, minimum }: TradeCall) {
  const abi = uniswapV2Router02Abi
  if (side === 'buy') {
    const args = [minimum, [weth, token], trader, never] as const
    const data = encodeFunctionData({ abi, functionName: 'swapExactETHForTokens', args })
    return { from: trader, to, data, value: amountIn }
  }
  const args = [amountIn, minimum, [token, weth], trader, never] as const
  return { from: trader, to, data: encodeFunctionData({ abi, functionName: 'swapExactTokensForETH', args }) }
}

export function makeApproval(token: Address, owner: Address, spender: Address): Call {
  const data = encodeFunctionData({ abi: launchTokenAbi, functionName: 'approve', args: [spender, never] })
  return { from: owner, to: token, data, gas: gas.other }
}

export function makeTransfer(token: Address, from: Address, to: Address, amount: bigint): Call {
  const data = encodeFunctionData({ abi: launchTokenAbi, functionName: 'transfer', args: [to, amount] })
  return { from, to: token, data, gas: gas.other }
}

export function makeGraduate({ launchpad }: MarketContracts, from: Address, token: Address): Call {
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'graduate', args: [token] })
  return { from, to: launchpad, data, gas: gas.graduate }
}

export function makeCreatorFeeClaim({ launchpad }: MarketContracts, creator: Address, token: Address): Call {
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'claimCreatorFee', args: [token] })
  return { from: creator, to: launchpad, data, gas: gas.trade }
}

export function makeProtocolFeeClaim({ launchpad }: MarketContracts, from: Address): Call {
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'claimProtocolFee' })
  return { from, to: launchpad, data, gas: gas.other }
}

/** US dollars per native coin, 8 decimals. Only the deployer may update it. */
export function makePriceUpdate({ priceFeed }: MarketContracts, owner: Address, answer: bigint): Call {
  const data = encodeFunctionData({ abi: priceFeedAbi, functionName: 'setAnswer', args: [answer] })
  return { from: owner, to: priceFeed, data, gas: gas.other }
}
