import { usdToNumber } from '../../chain/amounts.ts'
import type { RpcLog } from '../../chain/logs/log.ts'
import type { Row } from '../findings.ts'

interface Opened {
  since: number
  sinceLog: number
  sinceTx: string
}

/**
 * The price set by a log without a swap. It counts from the graduation on, which opens with the last price before it in its
 * transaction. logs: those of the pool in that transaction that set its price.
 */
export function priceState(
  { number, quoteUsd }: { number: number; quoteUsd: bigint | null },
  { log, token, quote }: { log: RpcLog; token: bigint; quote: bigint },
  { logs, pool }: { logs: readonly RpcLog[]; pool: Opened },
): Row {
  const at = Number(log.logIndex)
  const isOpen = number > pool.since || at > pool.sinceLog
  const isReplaced = logs.some(({ logIndex }) => Number(logIndex) > at && Number(logIndex) < pool.sinceLog)
  const opens = log.transactionHash === pool.sinceTx && !isReplaced
  if (!isOpen && !opens) return { price: null, price_usd: null }
  const price = token === 0n ? 0 : Number(quote) / Number(token)
  return { price, price_usd: quoteUsd === null ? null : price * usdToNumber(quoteUsd) }
}
