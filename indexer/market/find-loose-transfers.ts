import type { ChainEvent, OfKind } from './events.ts'

type Transfer = OfKind<'transfer'>
type Trade = OfKind<'trade'>

/**
 * The transfers of tokens that are no part of a trade. A trade moves its amount from or to its wallet, by a log before or after
 * its own; in the order of logs, each takes the closest one of its transaction that is still free. Transfers of nothing are left
 * out: anyone can make them in the name of any wallet. events: whole transactions, in order.
 */
export function findLooseTransfers(events: readonly ChainEvent[]): Transfer[] {
  const loose: Transfer[] = []
  let transfers: Transfer[] = []
  let trades: Trade[] = []
  let txHash = ''
  for (const event of events) {
    if (event.kind !== 'transfer' && event.kind !== 'trade') continue
    if (event.at.txHash !== txHash) {
      if (transfers.length > 0) loose.push(...transfers)
      if (transfers.length > 0) transfers = []
      if (trades.length > 0) trades = []
      txHash = event.at.txHash
    }
    if (event.kind === 'trade') {
      if (!takeLast(transfers, (transfer) => isPartOf(transfer, event))) trades.push(event)
    } else if (event.value > 0n && !takeLast(trades, (trade) => isPartOf(event, trade))) transfers.push(event)
  }
  return loose.concat(transfers)
}

/** Removes the last item that meets the condition. Returns whether there was one. */
function takeLast<T>(items: T[], meets: (item: T) => boolean): boolean {
  for (let index = items.length - 1; index >= 0; index--) {
    if (!meets(items[index]!)) continue
    items.splice(index, 1)
    return true
  }
  return false
}

function isPartOf(transfer: Transfer, trade: Trade): boolean {
  if (transfer.value !== trade.tokenAmount || transfer.token !== trade.token) return false
  return trade.side === 'buy'
    ? transfer.to === trade.recipient && (trade.pool === null || transfer.from === trade.pool)
    : transfer.from === trade.trader && (trade.pool === null || transfer.to === trade.pool)
}
