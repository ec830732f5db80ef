import { decodeEventLog, type Hex, parseAbi, zeroAddress } from 'viem'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import type { RpcLog } from '../../chain/logs/log.ts'
import {
  type AuditedBlock,
  type AuditedPool,
  at,
  big,
  decodeByAbi,
  type Expected,
  expectTrade,
  keyOf,
  lower,
} from '../expected.ts'
import { listTopics } from '../topics-of.ts'
import type { AuditedVenue, PoolLogs } from './audited-venue.ts'
import { priceState } from './price-state.ts'
import { priceOf } from './uniswap-v3.ts'

const abi = parseAbi([
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
])
const topics = listTopics(abi, 'Initialize', 'Swap')

/** Pools of Uniswap V4. */
export const uniswapV4: AuditedVenue = {
  topics,
  shared: {
    ...{ deployment: 'uniswap-v4-pool-manager', topics, holdsPools: true },
    poolOf: ({ topics: [topic, id] }) =>
      topic !== undefined && topics.includes(topic) ? id?.toLowerCase() : undefined,
  },
  firstPrice: (logs, id, { isToken0, manager }) => {
    const isOwn = (log: RpcLog) => lower(log.address) === manager && log.topics[1]?.toLowerCase() === id
    const first = logs.find((log) => isOwn(log) && decode(log) !== undefined)
    return first && priceOf(decode(first)!.args.sqrtPriceX96, isToken0)
  },
  expect: expectPoolLogs,
}

/** Prices and amounts are in the bounds of Uniswap, and the amounts are no more than the database holds. */
function decode({ topics: given, data }: RpcLog) {
  try {
    const event = decodeEventLog({ abi, topics: given as [Hex, ...Hex[]], data })
    const root = event.args.sqrtPriceX96
    if (root < 4295128739n || root > 1461446703485210103287273052203988822378723970342n) return undefined
    const amounts = event.eventName === 'Swap' ? [event.args.amount0, event.args.amount1] : []
    return amounts.some((amount) => amount >= 2n ** 128n || amount <= -(2n ** 128n)) ? undefined : event
  } catch {
    return undefined
  }
}

function expectPoolLogs(out: Expected, block: AuditedBlock, { logs, pool, all, address }: PoolLogs): void {
  const priced = logs.filter((log) => decode(log) !== undefined)
  const wallets = findWallets(priced, all, pool)
  for (const log of priced) {
    const event = decode(log)!
    const price = priceOf(event.args.sqrtPriceX96, pool.isToken0)
    const moved = measure(log, pool)
    if (event.eventName !== 'Swap' || moved === undefined) {
      const { block_number, log_index } = at(block, log)
      out.poolStates.set(keyOf(block, log), {
        ...{ block_number: block_number ?? null, log_index: log_index ?? null, token: pool.token },
        ...{ pool_quote: price.quote, pool_token: price.token },
        ...priceState(block, { log, ...price }, { logs: priced.filter((other) => other !== log), pool }),
      })
      continue
    }
    const wallet = wallets.get(log)
    const shown = wallet ?? lower(event.args.sender)
    const columns = {
      ...{ token: pool.token, trader: shown, trader_known: wallet !== undefined, recipient: shown },
      ...{ side: moved.isBuy ? 'buy' : 'sell', venue: 'pool', pool: address },
      ...{ token_amount: moved.token, quote_amount: moved.quote },
      ...{ protocol_fee: 0n, creator_fee: 0n, virtual_quote: price.quote, virtual_token: price.token },
      ...{ real_quote: null, real_token: null },
    }
    expectTrade(out, block, log, columns, pool.quote)
  }
}

/** What a swap exchanged: positive amounts are what the swapper gets. Undefined for no swap, or if one side is nothing. */
function measure(log: RpcLog, { isToken0 }: AuditedPool) {
  const event = decode(log)
  if (event?.eventName !== 'Swap') return undefined
  const { amount0, amount1 } = event.args
  const [token, quote] = isToken0 ? [amount0, amount1] : [amount1, amount0]
  if (token * quote >= 0n) return undefined
  return token > 0n ? { isBuy: true, token, quote: -quote } : { isBuy: false, token: -token, quote }
}

/** A swap, or a transfer of the token between the manager and a wallet. */
interface Step {
  log: RpcLog
  isSwap: boolean
  isBuy: boolean
  amount: bigint
  wallet: string
}

/**
 * The wallets of the swaps of a transaction. Of a swap and a transfer of the same amount the closest ones belong together; what is
 * left of the swaps is of the wallet that received, or paid, the most of what is left of the transfers.
 */
function findWallets(swaps: readonly RpcLog[], all: readonly RpcLog[], pool: AuditedPool): Map<RpcLog, string> {
  const found = new Map<RpcLog, string>()
  const open: Step[] = []
  for (const log of all) {
    const step = swaps.includes(log) ? toSwap(log, pool) : toTransfer(log, pool)
    if (step === undefined) continue
    const pair = open.findLastIndex(
      ({ isSwap, isBuy, amount }) => isSwap !== step.isSwap && isBuy === step.isBuy && amount === step.amount,
    )
    if (pair < 0) {
      open.push(step)
      continue
    }
    const [other] = open.splice(pair, 1) as [Step]
    found.set(step.isSwap ? log : other.log, step.isSwap ? other.wallet : step.wallet)
  }
  for (const isBuy of [true, false]) {
    const sums: Record<string, bigint> = {}
    for (const { isSwap, wallet, amount, isBuy: side } of open)
      if (!isSwap && side === isBuy) sums[wallet] = (sums[wallet] ?? 0n) + amount
    const [first, second] = Object.entries(sums).sort(([, a], [, b]) => (a < b ? 1 : -1))
    if (first === undefined || first[1] === second?.[1]) continue
    for (const { isSwap, isBuy: side, log } of open) if (isSwap && side === isBuy) found.set(log, first[0])
  }
  return found
}

function toSwap(log: RpcLog, pool: AuditedPool): Step | undefined {
  const moved = measure(log, pool)
  return moved && { log, isSwap: true, isBuy: moved.isBuy, amount: moved.token, wallet: '' }
}

function toTransfer(log: RpcLog, { token, manager }: AuditedPool): Step | undefined {
  const event = lower(log.address) === token ? decodeByAbi(launchTokenAbi, log) : undefined
  if (event?.eventName !== 'Transfer') return undefined
  const [from, to, amount] = [lower(event.args.from), lower(event.args.to), big(event.args, 'value')]
  const isBuy = from === manager
  const wallet = isBuy ? to : from
  const isMoved = amount > 0n && from !== to && wallet !== zeroAddress && (isBuy || to === manager)
  return isMoved ? { log, isSwap: false, isBuy, amount, wallet } : undefined
}
