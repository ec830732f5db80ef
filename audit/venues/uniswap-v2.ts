import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import type { RpcLog } from '../../chain/logs/log.ts'
import { type AuditedBlock, at, big, decodeByAbi, type Expected, expectTrade, keyOf, lower } from '../expected.ts'
import { listTopics, topicOf } from '../topics-of.ts'
import type { AuditedVenue, PoolLogs } from './audited-venue.ts'
import { findSeller } from './find-seller.ts'
import { priceState } from './price-state.ts'
import { comparePool } from './uniswap-v2-state.ts'

const syncTopic = topicOf(uniswapV2PairAbi, 'Sync')

/** Pairs of Uniswap V2. */
export const uniswapV2: AuditedVenue = {
  topics: listTopics(uniswapV2PairAbi, 'Sync', 'Swap'),
  // The factory is asked; no log of it is indexed.
  shared: { deployment: 'uniswap-v2-factory', topics: [], poolOf: () => undefined, holdsPools: false },
  // No launchpad launches in a pair.
  firstPrice: () => undefined,
  expect: expectPoolLogs,
  comparePool,
}

/** The logs of a pair in one transaction: a Sync belongs to the swap that follows, or else is a state of its own. */
function expectPoolLogs(out: Expected, block: AuditedBlock, { logs, pool, all, address }: PoolLogs): void {
  const syncs = logs.filter(({ topics: [topic] }) => topic === syncTopic)
  const order = (zero: bigint, one: bigint) => (pool.isToken0 ? [zero, one] : [one, zero]) as [bigint, bigint]
  let open: { log: RpcLog; token: bigint; quote: bigint } | undefined
  const close = () => {
    if (!open) return
    const reserves = {
      pool_quote: open.quote,
      pool_token: open.token,
      ...priceState(block, open, { logs: syncs, pool }),
    }
    const { block_number, log_index } = at(block, open.log)
    out.poolStates.set(keyOf(block, open.log), {
      block_number: block_number ?? null,
      log_index: log_index ?? null,
      token: pool.token,
      ...reserves,
    })
    open = undefined
  }
  for (const log of logs) {
    const event = decodeByAbi(uniswapV2PairAbi, log)
    // A Sync out of bounds ends the state before it all the same.
    if (log.topics[0] === syncTopic) close()
    if (event?.eventName === 'Sync') {
      const [token, quote] = order(big(event.args, 'reserve0'), big(event.args, 'reserve1'))
      open = { log, token, quote }
    } else if (event?.eventName === 'Swap' && open) {
      const { args } = event
      const [tokenIn, quoteIn] = order(big(args, 'amount0In'), big(args, 'amount1In'))
      const [tokenOut, quoteOut] = order(big(args, 'amount0Out'), big(args, 'amount1Out'))
      // Input on the side that was paid out is a donation, unless both sides were: then it repays a loan.
      const loan = tokenOut > 0n && quoteOut > 0n
      const isBuy = loan ? tokenOut > tokenIn : tokenOut > 0n
      const back = { token: loan ? (isBuy ? tokenIn : tokenOut) : 0n, quote: loan ? (isBuy ? quoteOut : quoteIn) : 0n }
      const amount = isBuy ? tokenOut - back.token : tokenIn - back.token
      const value = isBuy ? quoteIn - back.quote : quoteOut - back.quote
      if (amount <= 0n || value <= 0n) continue
      const to = lower(args.to)
      const seller = isBuy
        ? to
        : findSeller(paidBefore(all, { swap: log, sync: open.log, pair: address }), pool, address)
      const columns = {
        ...{ token: pool.token, trader: seller ?? to, trader_known: seller !== undefined, recipient: to },
        ...{ side: isBuy ? 'buy' : 'sell', venue: 'pool', pool: address },
        ...{ token_amount: amount, quote_amount: value },
        ...{ protocol_fee: 0n, creator_fee: 0n, virtual_quote: open.quote, virtual_token: open.token },
        ...{ real_quote: null, real_token: null },
      }
      expectTrade(out, block, log, columns, pool.quote)
      open = undefined
    }
  }
  close()
}

/** The logs between the Sync before the swap's and the swap. */
function paidBefore(all: readonly RpcLog[], { swap, sync, pair }: { swap: RpcLog; sync: RpcLog; pair: string }) {
  const before = all.slice(0, all.indexOf(sync))
  const start = before.findLastIndex((log) => lower(log.address) === pair && log.topics[0] === syncTopic) + 1
  return all.slice(start, all.indexOf(swap))
}
