import type { Transaction } from 'kysely'
import { listChartEnds } from '../../db/queries/candles.ts'
import { findNotifications } from '../../db/queries/notifications.ts'
import type { NewEvent } from '../../db/queries/outbox.ts'
import type { Position } from '../../db/queries/positions.ts'
import { getRaiseFigures } from '../../db/queries/raises.ts'
import { getStakingFigures } from '../../db/queries/staking-pools.ts'
import { getStatistics } from '../../db/queries/statistics.ts'
import { findTradesAt } from '../../db/queries/trades.ts'
import { findTransactionsAt } from '../../db/queries/transactions.ts'
import type { Database } from '../../db/schema.ts'
import { toEvent, toNotificationEvent, toTokenRecord, toTokenUpdate } from '../../records/events.ts'
import { rooms } from '../../records/rooms.ts'
import { toCurrentCandles } from '../../records/to-current-candles.ts'
import { toStatistics } from '../../records/to-statistics.ts'
import { toTrade } from '../../records/to-trade.ts'
import { toTransaction } from '../../records/to-transaction.ts'
import type { News } from './announcement.ts'
import type { Happening } from './interpret.ts'
import { isPriced, RESOLUTIONS } from './store-candles.ts'

/*
 * What the indexer has to say, kind by kind: each reads its rows once for all of the news, and tells them by the
 * functions that the API answers with. Of a hidden token only its own room hears.
 */

type OfKind<K extends Happening['kind']> = Extract<Happening, { kind: K }>
const ofKind = <K extends Happening['kind']>(happenings: readonly Happening[], kind: K) =>
  happenings.filter((happening): happening is OfKind<K> => happening.kind === kind)

const positionsOf = (happenings: readonly Pick<Happening, 'at'>[]): Position[] =>
  happenings.map(({ at }) => ({ blockNumber: at.block, logIndex: at.log }))

/** These rooms, unless the token is hidden, and the token's own. */
const around = (token: string, { tokens }: News, ...others: string[]) =>
  tokens.get(token)?.hidden ? [rooms.token(token)] : [...others, rooms.token(token)]

/** Each event that was announced, and that a reorg undid. States (candle, token.updated, stats) are announced again instead. */
export function describeRetractions(_: unknown, news: News): NewEvent[] {
  return [
    ...retractTrades(news),
    ...retractTokens(news, 'graduate'),
    ...retractTokens(news, 'create'),
    ...retractTransactions(news),
    ...news.undone.notifications.map(({ id, recipient }) =>
      toEvent('notification.retracted', [rooms.wallet(recipient)], { id: String(id) }),
    ),
  ]
}

function retractTokens(news: News, kind: 'create' | 'graduate'): NewEvent[] {
  const [type, into] =
    kind === 'create'
      ? (['token.created.retracted', () => [rooms.tokens, rooms.feed]] as const)
      : (['token.graduated.retracted', (token: string) => around(token, news, rooms.tokens, rooms.feed)] as const)
  return ofKind(news.undone.happenings, kind).map(({ token, at }) =>
    toEvent(type, into(token), {
      token,
      blockNumber: at.block,
      txHash: at.txHash,
      logIndex: at.log,
    }),
  )
}

function retractTransactions({ undone }: News): NewEvent[] {
  const trades = ofKind(undone.happenings, 'trade').map(({ at, side, trader, token }) => ({
    ...{ block_number: at.block, log_index: at.log, tx_hash: at.txHash, type: side, wallet: trader, subject: token },
    data: {},
  }))
  return [...trades, ...undone.actions].map((row) => {
    const { amounts, timestamp, confirmed, ...record } = toTransaction({ ...row, block_time: 0, confirmed: false })
    return toEvent('transaction.retracted', [rooms.wallet(row.wallet), ...roomsOf(record)], record)
  })
}

function retractTrades(news: News): NewEvent[] {
  return ofKind(news.undone.happenings, 'trade').map(({ token, trader, side, at }) =>
    toEvent('trade.retracted', around(token, news, rooms.trades, rooms.feed), {
      id: `${at.txHash}-${at.log}`,
      token,
      trader,
      side,
      blockNumber: at.block,
      txHash: at.txHash,
      logIndex: at.log,
    }),
  )
}

export const describeLaunches = (_: unknown, news: News) => describeTokensOf('create', news)

export const describeGraduations = (_: unknown, news: News) => describeTokensOf('graduate', news)

function describeTokensOf(kind: 'create' | 'graduate', news: News): NewEvent[] {
  return ofKind(news.happenings, kind).flatMap(({ token }) => {
    const row = news.tokens.get(token)
    if (!row) return []
    if (kind === 'graduate') {
      const into = around(token, news, rooms.tokens, rooms.feed)
      return [toEvent('token.graduated', into, toTokenRecord(row, news.chainId))]
    }
    return row.hidden ? [] : [toEvent('token.created', [rooms.tokens, rooms.feed], toTokenRecord(row, news.chainId))]
  })
}

export async function describeTrades(trx: Transaction<Database>, news: News): Promise<NewEvent[]> {
  const trades = ofKind(news.happenings, 'trade')
  if (trades.length === 0) return []
  const rows = await findTradesAt(trx, positionsOf(trades))
  return rows.reverse().map((row) => toEvent('trade', around(row.token, news, rooms.trades, rooms.feed), toTrade(row)))
}

/** One a token, with the candles that its chart now ends with. */
export async function describeCandles(trx: Transaction<Database>, news: News): Promise<NewEvent[]> {
  const priced = [...news.undone.happenings, ...news.happenings].filter(isPriced)
  const tokens = new Set(priced.map(({ token }) => token))
  if (tokens.size === 0) return []
  const ends = await listChartEnds(trx, { tokens: [...tokens], resolutions: RESOLUTIONS })
  return [...Map.groupBy(ends, ({ token }) => token)].map(([token, some]) =>
    toEvent('candle', [rooms.token(token)], { token, candles: toCurrentCandles(some) }),
  )
}

/** One a token that anything happened to, transfers and what was undone among it. */
export function describeTokens(_: unknown, news: News): NewEvent[] {
  return [...news.tokens.values()].map((row) => toTokenUpdate(row, news.chainId))
}

export async function describeTransactions(trx: Transaction<Database>, news: News): Promise<NewEvent[]> {
  const ofMarket = news.happenings.filter(({ kind }) => kind !== 'transfer' && kind !== 'pool-state')
  const acts = [...ofMarket, ...news.acts]
  if (acts.length === 0) return []
  const rows = await findTransactionsAt(trx, positionsOf(acts))
  return rows.reverse().map((row) => {
    const record = toTransaction(row)
    return toEvent('transaction', [rooms.wallet(row.wallet), ...roomsOf(record)], record)
  })
}

/** Where everybody hears of an act, beside the wallet whose it is. */
function roomsOf({ pool, raise }: { pool: string | null; raise: string | null }): string[] {
  if (pool !== null) return [rooms.staking]
  return raise !== null ? [rooms.raises, rooms.raise(raise)] : []
}

export async function describeNotices(trx: Transaction<Database>, news: News): Promise<NewEvent[]> {
  const rows = await findNotifications(
    trx,
    news.notices.map(({ id }) => id),
  )
  return rows.reverse().map(toNotificationEvent)
}

export async function describeStatistics(trx: Transaction<Database>): Promise<NewEvent[]> {
  return [
    toEvent(
      'stats',
      [rooms.stats],
      toStatistics(await getStatistics(trx), await getStakingFigures(trx), await getRaiseFigures(trx)),
    ),
  ]
}
