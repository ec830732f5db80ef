import { decodeFunctionData, encodeFunctionResult, type Hex, parseAbi, zeroAddress } from 'viem'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { initialVirtualToken, totalSupply } from '../../chain/curve.ts'
import { FEES, listColdTrades, Market, TARGET, type Trade } from './market.ts'
import { addressOfToken, addressOfWallet, CONTRACTS, creatorOf, isPopular, type Shape } from './shape.ts'

/** 3,000 dollars, with eight decimals. */
const USD = 3_000n * 10n ** 8n
const feedAbi = parseAbi(['function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)'])
const ON_CURVE = 1

/** Tokens that the wallet gets; below zero those that it pays. */
const received = (trade: Trade): bigint => (trade.side === 'buy' ? trade.quote.tokenOut : -trade.tokenIn)

/** What the contracts hold at the end of a block. */
export class ChainState {
  readonly #shape: Shape
  readonly #market: Market
  readonly #tokens = new Map<string, number>()
  /** Of popular tokens, by token and wallet. */
  readonly #balances = new Map<number, Map<string, bigint>>()
  readonly #creatorFees = new Map<number, bigint>()
  #protocolFees = 0n

  /** Generates all trades up to the block. */
  constructor(shape: Shape, block: number) {
    this.#shape = shape
    this.#market = new Market(shape)
    const events = {
      launch: (token: number) => void this.#tokens.set(addressOfToken(token), token),
      trade: (trade: Trade) => this.#add(trade),
    }
    while (this.#market.block < block) this.#market.step(events)
  }

  #add(trade: Trade): void {
    const { token, quote } = trade
    this.#protocolFees += quote.protocolFee
    if (!isPopular(token)) return
    this.#creatorFees.set(token, (this.#creatorFees.get(token) ?? 0n) + quote.creatorFee)
    const balances = this.#balances.get(token) ?? new Map<string, bigint>()
    this.#balances.set(token, balances)
    const wallet = addressOfWallet(trade.wallet)
    balances.set(wallet, (balances.get(wallet) ?? 0n) + received(trade))
  }

  /** undefined where the contract has no such function. */
  call(to: string, data: Hex): Hex | undefined {
    const token = this.#tokens.get(to)
    if (token !== undefined) return this.#callToken(token, data)
    if (to !== CONTRACTS.launchpad) return undefined
    const { functionName, args } = decodeFunctionData({ abi: launchpadAbi, data })
    if (functionName === 'protocolFees')
      return encodeFunctionResult({ abi: launchpadAbi, functionName, result: this.#protocolFees })
    if (functionName !== 'curves') return undefined
    const asked = this.#tokens.get(String(args?.[0]).toLowerCase())
    if (asked === undefined) return undefined
    const { virtualQuote, virtualToken, realQuote, realToken } = this.#market.curveOf(asked)
    return encodeFunctionResult({
      abi: launchpadAbi,
      functionName,
      result: {
        ...{ creator: addressOfWallet(creatorOf(asked, this.#shape)) as Hex, pool: zeroAddress, status: ON_CURVE },
        ...{ virtualQuote, virtualToken, realQuote, realToken, targetQuote: TARGET },
        ...{ ...FEES, creatorFees: this.#creatorFeesOf(asked) },
      } as never,
    })
  }

  #callToken(token: number, data: Hex): Hex | undefined {
    const { functionName, args } = decodeFunctionData({ abi: launchTokenAbi, data })
    if (functionName === 'totalSupply')
      return encodeFunctionResult({ abi: launchTokenAbi, functionName, result: totalSupply })
    if (functionName !== 'balanceOf') return undefined
    const result = this.#balanceOf(token, String(args?.[0]).toLowerCase())
    return encodeFunctionResult({ abi: launchTokenAbi, functionName, result })
  }

  #balanceOf(token: number, wallet: string): bigint {
    if (wallet === CONTRACTS.launchpad)
      return totalSupply - initialVirtualToken + this.#market.curveOf(token).virtualToken
    if (isPopular(token)) return this.#balances.get(token)?.get(wallet) ?? 0n
    return this.#listTrades(token)
      .filter((trade) => addressOfWallet(trade.wallet) === wallet)
      .reduce((sum, trade) => sum + received(trade), 0n)
  }

  #creatorFeesOf(token: number): bigint {
    if (isPopular(token)) return this.#creatorFees.get(token) ?? 0n
    return this.#listTrades(token).reduce((sum, { quote }) => sum + quote.creatorFee, 0n)
  }

  #listTrades = (token: number) => listColdTrades(token, this.#shape, this.#market.countColdTrades(token))
}

/** The results of calls that are equal at every block. */
export function callFixed(to: string, data: Hex, time: number): Hex | undefined {
  if (to !== CONTRACTS.feed) return undefined
  try {
    const { functionName } = decodeFunctionData({ abi: feedAbi, data })
    const at = BigInt(time)
    return encodeFunctionResult({ abi: feedAbi, functionName, result: [1n, USD, at, at, 1n] })
  } catch {
    // The feed is not a proxy.
    return undefined
  }
}
