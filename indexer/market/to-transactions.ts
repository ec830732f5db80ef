import type { ActionRow } from '../engine/store-actions.ts'
import type { ChainEvent, OfKind, TradeEvent } from './events.ts'

const ACTION_KINDS = [
  'create',
  'graduate',
  'creator-fee-claimed',
  'fee-right-transferred',
  'fee-shares-updated',
  'metadata-update',
] as const
type ActionEvent = OfKind<(typeof ACTION_KINDS)[number]>

/** Trades and the other actions of wallets, in chain order. */
export function toTransactions(events: readonly ChainEvent[]): ActionRow[] {
  return events.flatMap((event) => {
    if (event.kind === 'trade') return [toTradeTransaction(event)]
    return isAction(event) ? [toAction(event)] : []
  })
}

/** The actions other than trades, which have a table of their own. */
export const toActions = (events: readonly ChainEvent[]): ActionRow[] => events.filter(isAction).map(toAction)

const actionKinds: ReadonlySet<string> = new Set(ACTION_KINDS)
const isAction = (event: ChainEvent): event is ActionEvent => actionKinds.has(event.kind)

function toTradeTransaction(trade: TradeEvent): ActionRow {
  const { protocolFee, creatorFee } = trade
  const data = {
    tokenAmount: trade.tokenAmount.toString(),
    quoteAmount: trade.quoteAmount.toString(),
    ...(protocolFee !== null && { protocolFee: protocolFee.toString() }),
    ...(creatorFee !== null && { creatorFee: creatorFee.toString() }),
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
  if (event.kind === 'fee-right-transferred')
    return { at, type: 'transfer_fee_right', wallet: event.from, subject, data: { to: event.to } }
  if (event.kind === 'fee-shares-updated')
    return { at, type: 'split_creator_fees', wallet: event.owner, subject, data: {} }
  const { pool, liquidity } = event
  const data = {
    pool,
    ...(liquidity && { quoteLiquidity: liquidity.quote.toString(), tokenLiquidity: liquidity.token.toString() }),
  }
  return { at, type: 'graduate', wallet: event.launchpad, subject, data }
}
