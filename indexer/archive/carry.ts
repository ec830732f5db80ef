import { sql } from 'kysely'
import { parseUsd } from '../../chain/amounts.ts'
import { appendRows, type BulkTarget } from '../../db/bulk.ts'
import type { Db } from '../../db/client.ts'
import { toBytes } from '../../db/hex.ts'
import { isArchived } from '../../db/queries/archives.ts'
import { applyTradeToLot, EMPTY_LOT, type Lot, noProfit, type Profit, parseLot } from '../market/cost-basis.ts'
import { weighMinutes } from '../market/trend.ts'
import { feeInNative } from '../market/turnover.ts'
import type { Entry } from './entries.ts'
import { type ArchivedRow, keyOf, readPage } from './tables.ts'

/*
 * What figures need of trades that are archived: sums, and where the lots of traders stand. An undo replays the later trades of a
 * pair from its lot here, and the audit adds these sums to those of the trades.
 */

const PAGE = 10_000

interface PairSums {
  token: number
  wallet: string
  /** Whether the quote asset of the token is the native coin. */
  isNative: boolean
  trades: number
  volume: bigint
  volumeNative: bigint
  volumeUsd: bigint
  realized: Profit
  lot: Lot
  lotRealized: Profit
  first: ArchivedRow
  last: ArchivedRow
}

interface TokenSums {
  token: number
  isNative: boolean
  trades: number
  volume: bigint
  volumeNative: bigint
  volumeUsd: bigint
  protocolFees: bigint
  creatorFees: bigint
  protocolFeesNative: bigint
  creatorFeesNative: bigint
  /** Volume in native coin by the start of a minute. */
  minutes: Map<number, bigint>
  highestUsd: number | null
  last: ArchivedRow
  curve: ArchivedRow | null
  pool: ArchivedRow | null
  pairs: Map<string, PairSums>
}

/** Stores the sums of a partition, token by token, after those that an earlier run has stored. */
export async function carryTrades(db: Db, entry: Entry, onProgress: (trades: number) => void): Promise<void> {
  const { rows } = await sql<{ token_id: number | null }>`
    select max(token_id) as token_id from archived_tokens where first = ${entry.first}::bigint`.execute(db)
  const done = rows[0]?.token_id ?? null
  let after = done === null ? null : [done, Number.MAX_SAFE_INTEGER, 0]
  let tokens = new Map<number, TokenSums>()
  let count = 0
  for (;;) {
    const page = await readPage(db, entry, { after, limit: PAGE, isBare: true })
    await loadStarts(db, entry, page, tokens)
    for (const trade of page) addTrade(tokens.get(Number(trade.token_id))!, trade)
    count += page.length
    const end = page.at(-1)
    const isLast = page.length < PAGE
    // The trades of the last token may continue on the next page.
    const open = isLast || !end ? undefined : tokens.get(Number(end.token_id))
    await store(
      db,
      entry.first,
      [...tokens.values()].filter((token) => token !== open),
    )
    tokens = new Map(open && [[open.token, open]])
    onProgress(count)
    if (isLast || !end) return
    after = keyOf('trades', end)
  }
}

interface StartRow {
  token_id: number
  wallet: string
  lot_tokens: string
  lot_cost: string
  lot_cost_usd: string
  lot_realized: string
  lot_realized_usd: string
  lot_cost_native: string | null
  lot_realized_native: string | null
}

/** Adds the tokens and traders of a page that are new to it, with the lots of the archives before. */
async function loadStarts(
  db: Db,
  { first }: Entry,
  page: readonly ArchivedRow[],
  tokens: Map<number, TokenSums>,
): Promise<void> {
  const added: PairSums[] = []
  for (const trade of page) {
    const id = Number(trade.token_id)
    const token = tokens.get(id) ?? newToken(id, trade)
    tokens.set(id, token)
    const wallet = String(trade.trader)
    if (token.pairs.has(wallet)) continue
    const pair = newPair(id, wallet, trade)
    token.pairs.set(wallet, pair)
    added.push(pair)
  }
  const { rows } = await sql<StartRow>`
    select distinct on (p.token_id, p.wallet) p.*
    from unnest(${added.map(({ token }) => token)}::integer[], ${added.map(({ wallet }) => toBytes(wallet))}::bytea[])
      as k (token_id, wallet)
    join archived_pairs p on p.token_id = k.token_id and p.wallet = k.wallet
    where p.first < ${first}::bigint and ${isArchived('p')}
    order by p.token_id, p.wallet, p.first desc`.execute(db)
  for (const row of rows) {
    const pair = tokens.get(row.token_id)!.pairs.get(row.wallet)!
    pair.lot = parseLot(row)
    pair.lotRealized = {
      quote: BigInt(row.lot_realized),
      native: BigInt(row.lot_realized_native ?? row.lot_realized),
      usd: parseUsd(row.lot_realized_usd),
    }
  }
}

const newToken = (token: number, last: ArchivedRow): TokenSums => ({
  ...{ token, isNative: last.value_native === null, trades: 0, volume: 0n, volumeNative: 0n, volumeUsd: 0n },
  ...{ protocolFees: 0n, creatorFees: 0n, protocolFeesNative: 0n, creatorFeesNative: 0n },
  ...{ minutes: new Map(), highestUsd: null, last, curve: null, pool: null, pairs: new Map() },
})

const newPair = (token: number, wallet: string, first: ArchivedRow): PairSums => ({
  ...{ token, wallet, isNative: first.value_native === null, trades: 0, volume: 0n, volumeNative: 0n, volumeUsd: 0n },
  ...{ realized: noProfit(), lot: EMPTY_LOT, lotRealized: noProfit(), first, last: first },
})

function addTrade(token: TokenSums, trade: ArchivedRow): void {
  const volume = BigInt(String(trade.quote_amount))
  const isNative = trade.value_native === null
  const valueNative = isNative ? volume : BigInt(String(trade.value_native))
  const valueUsd = trade.value_usd === null ? null : parseUsd(String(trade.value_usd))
  const time = Number(trade.block_time)
  const minute = time - (time % 60)
  token.minutes.set(minute, (token.minutes.get(minute) ?? 0n) + valueNative)
  const [protocolFee, creatorFee] = [BigInt(String(trade.protocol_fee ?? 0)), BigInt(String(trade.creator_fee ?? 0))]
  const valued = { quoteAmount: volume, valueNative }
  token.protocolFees += protocolFee
  token.creatorFees += creatorFee
  token.protocolFeesNative += feeInNative(valued, protocolFee)
  token.creatorFeesNative += feeInNative(valued, creatorFee)
  if (trade.price_usd !== null) token.highestUsd = Math.max(token.highestUsd ?? 0, Number(trade.price_usd))
  if (trade.venue === 'c') token.curve = trade
  else token.pool = trade
  const pair = token.pairs.get(String(trade.trader))!
  for (const sums of [token, pair]) {
    sums.trades += 1
    sums.volume += volume
    sums.volumeNative += valueNative
    sums.volumeUsd += valueUsd ?? 0n
    sums.last = trade
  }
  const profit = {
    quote: BigInt(String(trade.realized ?? 0)),
    native: BigInt(String(trade.realized_native ?? trade.realized ?? 0)),
    usd: parseUsd(String(trade.realized_usd ?? '0')),
  }
  for (const sum of [pair.realized, pair.lotRealized]) {
    sum.quote += profit.quote
    sum.native += profit.native
    sum.usd += profit.usd
  }
  // A sale by an unknown seller reduces no lot.
  if (trade.trader_known !== true) return
  const side = trade.side === 'b' ? 'buy' : 'sell'
  const tokenAmount = BigInt(String(trade.token_amount))
  pair.lot = applyTradeToLot(pair.lot, { side, tokenAmount, quoteAmount: volume, isNative, valueNative, valueUsd }).lot
}

type Source = TokenSums | PairSums

/** A column that is null where the quote asset is the native coin. */
const ofQuoted = <S extends Source>(name: string, value: (row: S) => bigint) =>
  ({ name, type: 'numeric', value: (row: S) => (row.isNative ? null : value(row)) }) as const

const sums = [
  { name: 'trades', type: 'bigint', value: ({ trades }: Source) => trades },
  { name: 'volume', type: 'numeric', value: ({ volume }: Source) => volume },
  { name: 'volume_usd', type: 'numeric8', value: ({ volumeUsd }: Source) => volumeUsd },
  ofQuoted('volume_native', ({ volumeNative }: Source) => volumeNative),
] as const

const numbers = (name: string, read: (row: TokenSums) => ArchivedRow | null, column: string) =>
  ({
    name,
    type: name.endsWith('_log') ? 'integer' : name.endsWith('_block') || name.endsWith('_at') ? 'bigint' : 'numeric',
    value: (row: TokenSums) => read(row)?.[column] ?? null,
  }) as const

const onCurve = ({ curve }: TokenSums) => curve
const inPool = ({ pool }: TokenSums) => pool
const latest = ({ last }: TokenSums) => last

const tokenTarget = (first: number): BulkTarget<TokenSums> => ({
  table: 'archived_tokens',
  columns: [
    { name: 'token_id', type: 'integer', value: ({ token }) => token },
    { name: 'first', type: 'bigint', value: () => first },
    ...sums,
    { name: 'protocol_fees', type: 'numeric', value: ({ protocolFees }) => protocolFees },
    { name: 'creator_fees', type: 'numeric', value: ({ creatorFees }) => creatorFees },
    ofQuoted('protocol_fees_native', ({ protocolFeesNative }: TokenSums) => protocolFeesNative),
    ofQuoted('creator_fees_native', ({ creatorFeesNative }: TokenSums) => creatorFeesNative),
    { name: 'trend_sum', type: 'numeric', value: ({ minutes }) => weighMinutes(minutes).sum },
    { name: 'trend_exponent', type: 'integer', value: ({ minutes }) => weighMinutes(minutes).exponent },
    { name: 'highest_usd', type: 'float8', value: ({ highestUsd }) => highestUsd },
    numbers('last_block', latest, 'block_number'),
    numbers('last_log', latest, 'log_index'),
    numbers('last_at', latest, 'block_time'),
    numbers('curve_block', onCurve, 'block_number'),
    numbers('curve_log', onCurve, 'log_index'),
    ...['virtual_quote', 'virtual_token', 'real_quote', 'real_token'].map((name) => numbers(name, onCurve, name)),
    numbers('pool_block', inPool, 'block_number'),
    numbers('pool_log', inPool, 'log_index'),
    numbers('pool_quote', inPool, 'virtual_quote'),
    numbers('pool_token', inPool, 'virtual_token'),
    numbers('curve_rate_native', onCurve, 'rate_native'),
    numbers('pool_rate_native', inPool, 'rate_native'),
  ],
})

const pairTarget = (first: number): BulkTarget<PairSums> => ({
  table: 'archived_pairs',
  columns: [
    { name: 'token_id', type: 'integer', value: ({ token }) => token },
    { name: 'wallet', type: 'hex', value: ({ wallet }) => wallet },
    { name: 'first', type: 'bigint', value: () => first },
    ...sums,
    { name: 'realized', type: 'numeric', value: ({ realized }) => realized.quote },
    { name: 'realized_usd', type: 'numeric8', value: ({ realized }) => realized.usd },
    { name: 'lot_tokens', type: 'numeric', value: ({ lot }) => lot.tokens },
    { name: 'lot_cost', type: 'numeric', value: ({ lot }) => lot.cost },
    { name: 'lot_cost_usd', type: 'numeric8', value: ({ lot }) => lot.costUsd },
    { name: 'lot_realized', type: 'numeric', value: ({ lotRealized }) => lotRealized.quote },
    { name: 'lot_realized_usd', type: 'numeric8', value: ({ lotRealized }) => lotRealized.usd },
    ofQuoted('realized_native', ({ realized }: PairSums) => realized.native),
    ofQuoted('lot_cost_native', ({ lot }: PairSums) => lot.costNative),
    ofQuoted('lot_realized_native', ({ lotRealized }: PairSums) => lotRealized.native),
    { name: 'first_trade_at', type: 'bigint', value: ({ first: trade }) => Number(trade.block_time) },
    { name: 'last_trade_block', type: 'bigint', value: ({ last }) => Number(last.block_number) },
    { name: 'last_trade_log', type: 'integer', value: ({ last }) => Number(last.log_index) },
    { name: 'last_trade_at', type: 'bigint', value: ({ last }) => Number(last.block_time) },
  ],
})

const store = (db: Db, first: number, tokens: readonly TokenSums[]): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await appendRows(
      trx,
      pairTarget(first),
      tokens.flatMap(({ pairs }) => [...pairs.values()]),
    )
    await appendRows(trx, tokenTarget(first), tokens)
  })
