import { decodeEventLog, type Hex, parseAbi } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import { type AuditedBlock, at, type Expected, expectTrade, keyOf, lower } from '../expected.ts'
import { listTopics } from '../topics-of.ts'
import type { AuditedVenue, PoolLogs } from './audited-venue.ts'
import { findSeller } from './find-seller.ts'
import { priceState } from './price-state.ts'

const abi = parseAbi([
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])
/** PancakeSwap adds the fees of the protocol to the event. */
const pancake = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
])

/** Other reasons to pay tokens into a pool. */
const paid = parseAbi([
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)',
])

const factory = parseAbi([
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
])

/** Pools of Uniswap V3, and of PancakeSwap V3. */
export const uniswapV3: AuditedVenue = {
  topics: [
    ...listTopics(abi, 'Initialize', 'Swap'),
    ...listTopics(pancake, 'Swap'),
    ...listTopics(paid, 'Mint', 'Flash'),
  ],
  shared: {
    ...{ deployment: 'uniswap-v3-factory', topics: listTopics(factory, 'PoolCreated') },
    ...{ poolOf: findCreated, holdsPools: false },
  },
  firstPrice: (logs, address, { isToken0 }) => {
    const first = logs.find((log) => lower(log.address) === address && decode(log) !== undefined)
    return first && priceOf(decode(first)!.args.sqrtPriceX96, isToken0)
  },
  expect: expectPoolLogs,
}

function findCreated({ topics, data }: RpcLog): string | undefined {
  try {
    return lower(decodeEventLog({ abi: factory, topics: topics as [Hex, ...Hex[]], data }).args.pool)
  } catch {
    return undefined
  }
}

function decode({ topics, data }: RpcLog) {
  try {
    const event = decodeEventLog({ abi: [...abi, ...pancake], topics: topics as [Hex, ...Hex[]], data })
    const root = event.args.sqrtPriceX96
    const isPrice = root >= 4295128739n && root <= 1461446703485210103287273052203988822378723970342n
    const amounts = event.eventName === 'Swap' ? [event.args.amount0, event.args.amount1] : []
    const isIn = amounts.every((amount) => -(2n ** 128n) < amount && amount < 2n ** 128n)
    return isPrice && isIn ? event : undefined
  } catch {
    return undefined
  }
}

/** Quote per token as two amounts of at most 128 bits, from the root of the price of token0 in token1. */
export function priceOf(root: bigint, isToken0: boolean): { quote: bigint; token: bigint } {
  const [one, zero] = [root ** 2n, 2n ** 192n]
  const excess = BigInt(Math.max(one.toString(2).length, zero.toString(2).length) - 128)
  const [high, low] = [one / 2n ** excess, zero / 2n ** excess]
  return isToken0 ? { quote: high, token: low } : { quote: low, token: high }
}

function expectPoolLogs(out: Expected, block: AuditedBlock, { logs, pool, all, address }: PoolLogs): void {
  const priced = logs.filter((log) => decode(log) !== undefined)
  for (const log of priced) {
    const event = decode(log)!
    const price = priceOf(event.args.sqrtPriceX96, pool.isToken0)
    const [token, quote] =
      event.eventName !== 'Swap'
        ? [0n, 0n]
        : pool.isToken0
          ? [event.args.amount0, event.args.amount1]
          : [event.args.amount1, event.args.amount0]
    if (event.eventName !== 'Swap' || token * quote >= 0n) {
      const { block_number, log_index } = at(block, log)
      out.poolStates.set(keyOf(block, log), {
        ...{ block_number: block_number ?? null, log_index: log_index ?? null, token: pool.token },
        ...{ pool_quote: price.quote, pool_token: price.token },
        ...priceState(block, { log, ...price }, { logs: priced.filter((other) => other !== log), pool }),
      })
      continue
    }
    const isBuy = token < 0n
    const to = lower(event.args.recipient)
    const earlier = all.slice(0, all.indexOf(log))
    const start = earlier.findLastIndex((other) => lower(other.address) === address && isOfPool(other)) + 1
    const seller = isBuy ? to : findSeller(earlier.slice(start), pool, address)
    const columns = {
      ...{ token: pool.token, trader: seller ?? to, trader_known: seller !== undefined, recipient: to },
      ...{ side: isBuy ? 'buy' : 'sell', venue: 'pool', pool: address },
      ...{ token_amount: isBuy ? -token : token, quote_amount: isBuy ? quote : -quote },
      ...{ protocol_fee: 0n, creator_fee: 0n, virtual_quote: price.quote, virtual_token: price.token },
      ...{ real_quote: null, real_token: null },
    }
    expectTrade(out, block, log, columns, pool.quote)
  }
}

const isOfPool = ({ topics: [topic] }: RpcLog) => (uniswapV3.topics as readonly (string | undefined)[]).includes(topic)
