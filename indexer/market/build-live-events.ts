import type { Transaction } from 'kysely'
import { listChartEnds } from '../../db/queries/candles.ts'
import { findNotifications } from '../../db/queries/notifications.ts'
import type { NewEvent } from '../../db/queries/outbox.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import { getRaiseFigures } from '../../db/queries/raises.ts'
import { getStakingFigures } from '../../db/queries/staking-pools.ts'
import { getStatistics } from '../../db/queries/statistics.ts'
import { findTradesAt } from '../../db/queries/trades.ts'
import { findTransactionsAt } from '../../db/queries/transactions.ts'
import type { Database } from '../../db/schema.ts'
import { channels } from '../../records/channels.ts'
import { toEvent, toNotificationEvent, toTokenRecord, toTokenUpdate } from '../../records/events.ts'
import { toCurrentCandles } from '../../records/to-current-candles.ts'
import { toStatistics } from '../../records/to-statistics.ts'
import { toTrade } from '../../records/to-trade.ts'
import { toTransaction } from '../../records/to-transaction.ts'
import type { ChainEvent } from './interpret-blocks.ts'
import type { LiveUpdate } from './live-update.ts'
import { isPriced, RESOLUTIONS } from './store-candles.ts'

/*
 * Builds live events, kind by kind: each function reads its rows once for the whole update, and maps them with the
 * mappers of the API. Events of a hidden token go to its own channel only.
 */

type OfKind<K extends ChainEvent['kind']> = Extract<ChainEvent, { kind: K }>
const ofKind = <K extends ChainEvent['kind']>(events: readonly ChainEvent[], kind: K) =>
  events.filter((event): event is OfKind<K> => event.kind === kind)

const positionsOf = (events: readonly Pick<ChainEvent, 'at'>[]): LogPosition[] =>
  events.map(({ at }) => ({ blockNumber: at.blockNumber, logIndex: at.logIndex }))

/** The token's own channel, and the others unless it is hidden. */
const around = (token: string, { tokens }: LiveUpdate, ...others: string[]) =>
  tokens.get(token)?.hidden ? [channels.token(token)] : [...others, channels.token(token)]

/** Retracts each event that a reorg undid. States (candle, token.updated, stats) are sent again instead. */
export function buildRetractions(_: unknown, update: LiveUpdate): NewEvent[] {
  return [
    ...retractTrades(update),
    ...retractTokens(update, 'graduate'),
    ...retractTokens(update, 'create'),
    ...retractTransactions(update),
    ...update.undone.notifications.map(({ id, recipient }) =>
      toEvent('notification.retracted', [channels.wallet(recipient)], { id: String(id) }),
    ),
  ]
}

function retractTokens(update: LiveUpdate, kind: 'create' | 'graduate'): NewEvent[] {
  const [type, into] =
    kind === 'create'
      ? (['token.created.retracted', () => [channels.tokens, channels.feed]] as const)
      : ([
          'token.graduated.retracted',
          (token: string) => around(token, update, channels.tokens, channels.feed),
        ] as const)
  return ofKind(update.undone.events, kind).map(({ token, at }) =>
    toEvent(type, into(token), {
      token,
      blockNumber: at.blockNumber,
      txHash: at.txHash,
      logIndex: at.logIndex,
    }),
  )
}

function retractTransactions({ undone }: LiveUpdate): NewEvent[] {
  const trades = ofKind(undone.events, 'trade').map(({ at, side, trader, token }) => ({
    ...{
      block_number: at.blockNumber,
      log_index: at.logIndex,
      tx_hash: at.txHash,
      type: side,
      wallet: trader,
      subject: token,
    },
    data: {},
  }))
  return [...trades, ...undone.actions].map((row) => {
    const { amounts, timestamp, confirmed, ...record } = toTransaction({ ...row, block_time: 0, confirmed: false })
    return toEvent('transaction.retracted', [channels.wallet(row.wallet), ...roomsOf(record)], record)
  })
}

function retractTrades(update: LiveUpdate): NewEvent[] {
  return ofKind(update.undone.events, 'trade').map(({ token, trader, side, at }) =>
    toEvent('trade.retracted', around(token, update, channels.trades, channels.feed), {
      id: `${at.txHash}-${at.logIndex}`,
      token,
      trader,
      side,
      blockNumber: at.blockNumber,
      txHash: at.txHash,
      logIndex: at.logIndex,
    }),
  )
}

export const buildLaunches = (_: unknown, update: LiveUpdate) => buildTokenEvents('create', update)

export const buildGraduations = (_: unknown, update: LiveUpdate) => buildTokenEvents('graduate', update)

function buildTokenEvents(kind: 'create' | 'graduate', update: LiveUpdate): NewEvent[] {
  return ofKind(update.events, kind).flatMap(({ token }) => {
    const row = update.tokens.get(token)
    if (!row) return []
    if (kind === 'graduate') {
      const into = around(token, update, channels.tokens, channels.feed)
      return [toEvent('token.graduated', into, toTokenRecord(row, update.chainId))]
    }
    return row.hidden
      ? []
      : [toEvent('token.created', [channels.tokens, channels.feed], toTokenRecord(row, update.chainId))]
  })
}

export async function buildTrades(trx: Transaction<Database>, update: LiveUpdate): Promise<NewEvent[]> {
  const trades = ofKind(update.events, 'trade')
  if (trades.length === 0) return []
  const rows = await findTradesAt(trx, positionsOf(trades))
  return rows
    .reverse()
    .map((row) => toEvent('trade', around(row.token, update, channels.trades, channels.feed), toTrade(row)))
}

/** One event for each token, with the last candles of its chart. */
export async function buildCandles(trx: Transaction<Database>, update: LiveUpdate): Promise<NewEvent[]> {
  const priced = [...update.undone.events, ...update.events].filter(isPriced)
  const tokens = new Set(priced.map(({ token }) => token))
  if (tokens.size === 0) return []
  const ends = await listChartEnds(trx, { tokens: [...tokens], resolutions: RESOLUTIONS })
  return [...Map.groupBy(ends, ({ token }) => token)].map(([token, some]) =>
    toEvent('candle', [channels.token(token)], { token, candles: toCurrentCandles(some) }),
  )
}

/** One event for each token with any event, including transfers and undone ones. */
export function buildTokenUpdates(_: unknown, update: LiveUpdate): NewEvent[] {
  return [...update.tokens.values()].map((row) => toTokenUpdate(row, update.chainId))
}

export async function buildTransactions(trx: Transaction<Database>, update: LiveUpdate): Promise<NewEvent[]> {
  const ofMarket = update.events.filter(({ kind }) => kind !== 'transfer' && kind !== 'pool-state')
  const actions = [...ofMarket, ...update.actions]
  if (actions.length === 0) return []
  const rows = await findTransactionsAt(trx, positionsOf(actions))
  return rows.reverse().map((row) => {
    const record = toTransaction(row)
    return toEvent('transaction', [channels.wallet(row.wallet), ...roomsOf(record)], record)
  })
}

/** The public channels of an action. */
function roomsOf({ pool, raise }: { pool: string | null; raise: string | null }): string[] {
  if (pool !== null) return [channels.staking]
  return raise !== null ? [channels.raises, channels.raise(raise)] : []
}

export async function buildNotifications(trx: Transaction<Database>, update: LiveUpdate): Promise<NewEvent[]> {
  const rows = await findNotifications(
    trx,
    update.notifications.map(({ id }) => id),
  )
  return rows.reverse().map(toNotificationEvent)
}

export async function buildStatistics(trx: Transaction<Database>): Promise<NewEvent[]> {
  return [
    toEvent(
      'stats',
      [channels.stats],
      toStatistics(await getStatistics(trx), await getStakingFigures(trx), await getRaiseFigures(trx)),
    ),
  ]
}
