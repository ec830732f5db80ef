import type { ChainEvent, OfKind } from './events.ts'

type Transfer = OfKind<'transfer'>
type Trade = OfKind<'trade'>

/**
 * Pairs the trades of one transaction with the transfers of their tokens, and marks the other transfers as loose. A trade moves its
 * amount from or to its wallet, by a log before or after its own; in the order of logs, each takes the closest one that is still
 * free. Transfers of nothing are not marked: anyone can make them in the name of any wallet. The transaction begins at an
 * index of the events. marketOf: the address with which the wallet exchanges the tokens of a trade; null: any.
 */
export function pairTransfers(
  events: readonly ChainEvent[],
  start: number,
  marketOf: (trade: Trade) => string | null = ({ pool }) => pool,
): void {
  const isPartOf = (transfer: Transfer, trade: Trade) => isOfTrade(transfer, trade, marketOf(trade))
  const transfers: Transfer[] = []
  const trades: Trade[] = []
  for (let at = start; at < events.length; at++) {
    const event = events[at]!
    if (event.kind === 'trade') {
      let index = transfers.length - 1
      while (index >= 0 && !isPartOf(transfers[index]!, event)) index--
      if (index >= 0) event.transfer = transfers.splice(index, 1)[0]!
      else trades.push(event)
    } else if (event.kind === 'transfer' && event.value > 0n) {
      let index = trades.length - 1
      while (index >= 0 && !isPartOf(event, trades[index]!)) index--
      if (index >= 0) trades.splice(index, 1)[0]!.transfer = event
      else transfers.push(event)
    }
  }
  for (const transfer of transfers) transfer.isLoose = true
}

function isOfTrade(transfer: Transfer, trade: Trade, market: string | null): boolean {
  if (transfer.value !== trade.tokenAmount || transfer.token !== trade.token) return false
  return trade.side === 'buy'
    ? transfer.to === trade.recipient && (market === null || transfer.from === market)
    : transfer.from === trade.trader && (market === null || transfer.to === market)
}

/** Transfers of these trades that are not among the events: a repair has added the trade, and they are stored as loose. */
export function findStoredTransfers(events: readonly ChainEvent[]): Transfer[] {
  const stored: Transfer[] = []
  for (let at = 0; at < events.length; at++) {
    const event = events[at]!
    if (event.kind !== 'trade' || event.transfer === null || event.transfer === events[at - 1]) continue
    if (!events.includes(event.transfer)) stored.push(event.transfer)
  }
  return stored
}
