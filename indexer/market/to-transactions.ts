import type { CreateEvent, CreatorFeeClaimedEvent, GraduateEvent, MetadataUpdateEvent } from '../../chain/events.ts'
import type { EventContext } from '../engine/batch.ts'
import type { ActionRow } from '../engine/store-actions.ts'
import type { ChainEvent, TradeEvent } from './events.ts'

type Located<T> = T & { at: EventContext }
type ActionEvent = Located<CreateEvent | GraduateEvent | CreatorFeeClaimedEvent | MetadataUpdateEvent>

/** Trades and the other actions of wallets, in chain order. */
export function toTransactions(events: readonly ChainEvent[]): ActionRow[] {
  return events.flatMap((event) => {
    if (event.kind === 'trade') return [toTradeTransaction(event)]
    return isAction(event) ? [toAction(event)] : []
  })
}

/** The actions other than trades, which have a table of their own. */
export const toActions = (events: readonly ChainEvent[]): ActionRow[] => events.filter(isAction).map(toAction)

const actionKinds: ReadonlySet<string> = new Set(['create', 'graduate', 'creator-fee-claimed', 'metadata-update'])
const isAction = (event: ChainEvent): event is ActionEvent => actionKinds.has(event.kind)

function toTradeTransaction(trade: TradeEvent): ActionRow {
  const data = {
    tokenAmount: trade.tokenAmount.toString(),
    quoteAmount: trade.quoteAmount.toString(),
    protocolFee: trade.protocolFee.toString(),
    creatorFee: trade.creatorFee.toString(),
  }
  return { at: trade.at, type: trade.side, wallet: trade.trader, subject: trade.token, data }
}

/** A graduation names no wallet, because anyone may call it: the row has the launchpad. */
function toAction(event: ActionEvent): ActionRow {
  const { at, token: subject } = event
  if (event.kind === 'create') return { at, type: 'create', wallet: event.creator, subject, data: {} }
  if (event.kind === 'metadata-update') return { at, type: 'update_metadata', wallet: event.creator, subject, data: {} }
  if (event.kind === 'creator-fee-claimed') {
    const data = { amount: event.amount.toString() }
    return { at, type: 'claim_creator_fee', wallet: event.recipient, subject, data }
  }
  const data = {
    pool: event.pool,
    quoteLiquidity: event.quoteLiquidity.toString(),
    tokenLiquidity: event.tokenLiquidity.toString(),
  }
  return { at, type: 'graduate', wallet: event.launchpad, subject, data }
}
