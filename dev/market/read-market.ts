import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { priceFeedAbi } from '../../chain/abi/price-feed.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { topics } from '../../launchpads/slipway/decode.ts'
import { callNode, callNodeAll, type RpcCall } from '../json-rpc.ts'
import type { LaunchTerms, MarketContracts } from './calls.ts'
import type { Exchange } from './exchange.ts'

export interface TokenState {
  address: Address
  creator: Address
  exchange: Exchange
  status: 'curve' | 'completed' | 'graduated'
}

interface Read {
  to: Address
  abi: Abi
  functionName: string
  args?: readonly unknown[]
}

const STATUS = ['none', 'curve', 'completed', 'graduated'] as const

/** Reads the current state of tokens and wallets from the chain, since users trade there too. */
export class MarketReader {
  readonly #url: string
  readonly #contracts: MarketContracts
  readonly #signal: AbortSignal

  constructor(url: string, contracts: MarketContracts, signal: AbortSignal) {
    this.#url = url
    this.#contracts = contracts
    this.#signal = signal
  }

  /** All tokens, oldest first. */
  async listTokens(): Promise<Address[]> {
    const filter = { address: this.#contracts.launchpad, topics: [topics.create], fromBlock: '0x0', toBlock: 'latest' }
    const logs = await callNode<{ topics: [Hex, Hex] }[]>(this.#url, 'eth_getLogs', [filter], this.#signal)
    return logs.map((log) => `0x${log.topics[1].slice(-40)}` as const)
  }

  /** Terms of new launches. */
  async readTerms(): Promise<LaunchTerms> {
    const call = { to: this.#contracts.launchpad, abi: launchpadAbi, functionName: 'defaults' }
    const [terms] = await this.#read<readonly [bigint, number, number]>([call])
    const [targetQuote, protocolFeeBps, creatorFeeBps] = terms as readonly [bigint, number, number]
    return { targetQuote, protocolFeeBps, creatorFeeBps }
  }

  async readTokens(tokens: readonly Address[]): Promise<TokenState[]> {
    const { launchpad, weth } = this.#contracts
    const curves = await this.#read<Curves>(
      tokens.map((token) => ({ to: launchpad, abi: launchpadAbi, functionName: 'curves', args: [token] })),
    )
    const pools = curves.flatMap(({ pool, status }) => (STATUS[status] === 'graduated' ? [pool] : []))
    const reserves = await this.#read<readonly [bigint, bigint, number]>(
      pools.map((to) => ({ to, abi: uniswapV2PairAbi, functionName: 'getReserves' })),
    )
    return tokens.flatMap((address, index): TokenState[] => {
      const { creator, status: code, pool: _, ...curve } = curves[index] as Curves
      const status = STATUS[code]
      if (status === undefined || status === 'none') return []
      if (status !== 'graduated') return [{ address, creator, status, exchange: { kind: 'curve' as const, curve } }]
      const [reserve0, reserve1] = reserves.shift() as readonly [bigint, bigint, number]
      const [token, quote] = BigInt(address) < BigInt(weth) ? [reserve0, reserve1] : [reserve1, reserve0]
      return [
        { address, creator, status, exchange: { kind: 'pool' as const, quote, token, targetQuote: curve.targetQuote } },
      ]
    })
  }

  async readBalances(token: Address, wallets: readonly Address[]): Promise<bigint[]> {
    return this.#read(
      wallets.map((wallet) => ({ to: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })),
    )
  }

  async readAllowance(token: Address, owner: Address, spender: Address): Promise<bigint> {
    const call = { to: token, abi: erc20Abi, functionName: 'allowance', args: [owner, spender] }
    return (await this.#read<bigint>([call]))[0] as bigint
  }

  /** US dollars per native coin, 8 decimals. */
  async readPrice(): Promise<bigint> {
    const call = { to: this.#contracts.priceFeed, abi: priceFeedAbi, functionName: 'latestRoundData' }
    const [round] = await this.#read<readonly [bigint, bigint]>([call])
    return (round as readonly [bigint, bigint])[1]
  }

  /** Balances of native coin, in wei. */
  async readCoins(wallets: readonly Address[]): Promise<bigint[]> {
    const calls = wallets.map((wallet): RpcCall => ['eth_getBalance', [wallet, 'latest']])
    return (await callNodeAll<Hex>(this.#url, calls, this.#signal)).map(BigInt)
  }

  async #read<T>(reads: readonly Read[]): Promise<T[]> {
    const calls = reads.map(({ to, abi, functionName, args = [] }): RpcCall => {
      return ['eth_call', [{ to, data: encodeFunctionData({ abi, functionName, args }) }, 'latest']]
    })
    const results = await callNodeAll<Hex>(this.#url, calls, this.#signal)
    return reads.map(({ abi, functionName }, index) => {
      return decodeFunctionResult({ abi, functionName, data: results[index] as Hex }) as T
    })
  }
}

interface Curves {
  creator: Address
  pool: Address
  status: number
  protocolFeeBps: number
  creatorFeeBps: number
  virtualQuote: bigint
  virtualToken: bigint
  realQuote: bigint
  realToken: bigint
  targetQuote: bigint
  creatorFees: bigint
}
