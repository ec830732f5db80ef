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
  // Of one transaction.
  const transfers: Transfer[] = []
  const trades: Trade[] = []
  let txHash = ''
  for (const event of events) {
    if (event.kind !== 'transfer' && event.kind !== 'trade') continue
    if (event.at.txHash !== txHash) {
      for (const transfer of transfers) loose.push(transfer)
      transfers.length = 0
      trades.length = 0
      txHash = event.at.txHash
    }
    if (event.kind === 'trade') {
      let index = transfers.length - 1
      while (index >= 0 && !isPartOf(transfers[index]!, event)) index--
      if (index >= 0) transfers.splice(index, 1)
      else trades.push(event)
    } else if (event.value > 0n) {
      let index = trades.length - 1
      while (index >= 0 && !isPartOf(event, trades[index]!)) index--
      if (index >= 0) trades.splice(index, 1)
      else transfers.push(event)
    }
  }
  return loose.concat(transfers)
}

function isPartOf(transfer: Transfer, trade: Trade): boolean {
  if (transfer.value !== trade.tokenAmount || transfer.token !== trade.token) return false
  return trade.side === 'buy'
    ? transfer.to === trade.recipient && (trade.pool === null || transfer.from === trade.pool)
    : transfer.from === trade.trader && (trade.pool === null || transfer.to === trade.pool)
}
