import type { RpcLog } from '../../chain/logs/log.ts'
import type { AuditedBlock } from '../expected.ts'
import type { Row } from '../findings.ts'
import type { AuditedQuote } from '../rates.ts'

interface Opened {
  since: number
  sinceLog: number
  sinceTx: string
  quote: AuditedQuote | null
  isDirect: boolean
}

/**
 * The price set by a log without a swap. In the pool of a launch, it counts; elsewhere from the graduation on, which opens with the last price before it in its
 * transaction. logs: those of the pool in that transaction that set its price.
 */
export function priceState(
  { number, worth }: AuditedBlock,
  { log, token, quote }: { log: RpcLog; token: bigint; quote: bigint },
  { logs, pool }: { logs: readonly RpcLog[]; pool: Opened },
): Row {
  const at = Number(log.logIndex)
  const isOpen = pool.isDirect || number > pool.since || at > pool.sinceLog
  const isReplaced = logs.some(({ logIndex }) => Number(logIndex) > at && Number(logIndex) < pool.sinceLog)
  const opens = log.transactionHash === pool.sinceTx && !isReplaced
  const columns = worth.priceColumns(pool.quote, quote, token)
  return isOpen || opens ? columns : { ...columns, price: null, price_usd: null }
}
