import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../db/schema.ts'
import type { Findings, Row } from './findings.ts'

/*
 * Archived trades are not in the database. Their logs are, so the chain decides how many there must be; figures are compared with
 * the sums that the archive left.
 */

/** Candles that FINE_CANDLE_DAYS removes, and that an archive takes, are at most this long, in seconds. */
const [FINE, NOT_DAILY] = [1_800, 14_400]

interface ArchivedRange {
  partition: string
  parent: string
  first: number
  stop: number
  /** Times of the first and the last archived trade, in unix seconds. */
  first_time: number | null
  last_time: number | null
  row_count: number | null
  is_archived: boolean
}

export const isCounted = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from archives a where a.parent = 'trades' and a.state = 'archived' and a.first = ${sql.ref(`${alias}.first`)})`

/** The ranges that are archived, or without fine candles. */
export class ArchivedRanges {
  readonly #trades: readonly ArchivedRange[]
  readonly #candles: readonly ArchivedRange[]
  readonly #expected = new Map<string, { trades: number; volume: bigint }>()

  private constructor(rows: readonly ArchivedRange[]) {
    this.#trades = rows.filter(({ parent, is_archived }) => parent === 'trades' && is_archived)
    this.#candles = rows.filter(({ parent }) => parent === 'candles')
  }

  static async read(trx: Transaction<Database>): Promise<ArchivedRanges> {
    const { rows } = await sql<ArchivedRange>`
      select partition, parent, first, stop, first_time, last_time, row_count, state = 'archived' as is_archived
      from archives where state = 'archived' or is_thinned order by first`.execute(trx)
    return new ArchivedRanges(rows)
  }

  /** Takes the trades of archived blocks out of the expected ones, and counts them. */
  takeTrades(trades: Map<string, Row>): void {
    for (const [key, trade] of trades) {
      const block = Number(trade.block_number)
      const range = this.#trades.find(({ first, stop }) => block >= first && block < stop)
      if (!range) continue
      trades.delete(key)
      const sums = this.#expected.get(range.partition) ?? { trades: 0, volume: 0n }
      this.#expected.set(range.partition, sums)
      sums.trades += 1
      sums.volume += BigInt(String(trade.quote_amount))
    }
  }

  /** Compares the numbers and volumes of archived trades with those that the logs of all blocks give. */
  async compare(trx: Transaction<Database>, findings: Findings): Promise<void> {
    const { rows } = await sql<{ first: number; trades: number; volume: string }>`
      select first, sum(trades)::bigint as trades, sum(volume) as volume from archived_tokens group by first`.execute(
      trx,
    )
    for (const { partition, first, row_count } of this.#trades) {
      const stored = rows.find((row) => row.first === first)
      const { trades, volume } = this.#expected.get(partition) ?? { trades: 0, volume: 0n }
      findings.compare(`archive ${partition} rows`, row_count, trades)
      findings.compare(`archive ${partition} trades`, stored?.trades ?? 0, trades)
      findings.compare(`archive ${partition} volume`, stored?.volume ?? '0', volume)
    }
  }

  /**
   * Leaves the candles that can be compared, by `resolution/bucket`: not those of archived trades; and of those that may be gone,
   * the ones that are not.
   */
  leaveComparable(stored: Map<string, Row>, expected: Map<string, Row>): void {
    if (this.#trades.length === 0 && this.#candles.length === 0) return
    for (const key of [...stored.keys(), ...expected.keys()]) {
      const [resolution, bucket] = key.split('/').map(Number) as [number, number]
      const end = bucket + resolution
      const isUnknown = this.#trades.some(
        ({ first_time, last_time }) => first_time !== null && first_time < end && (last_time ?? 0) >= bucket,
      )
      const mayBeGone = this.#candles.some(
        ({ first, stop, is_archived }) =>
          bucket >= first && bucket < stop && resolution <= (is_archived ? NOT_DAILY : FINE),
      )
      if (isUnknown || (mayBeGone && !stored.has(key))) expected.delete(key)
      if (isUnknown) stored.delete(key)
    }
  }
}

/** The sums of a token's archived trades, newest last. */
export async function readArchivedTrades(trx: Transaction<Database>, token: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select s.* from archived_tokens s join tokens t on t.id = s.token_id
    where t.address = ${token} and ${isCounted('s')} order by s.first`.execute(trx)
  return rows
}

/** Where the lots of a token's traders stand after their last archived trades. */
export async function readArchivedLots(trx: Transaction<Database>, token: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select distinct on (p.wallet) p.*, r.stop from archived_pairs p join tokens t on t.id = p.token_id
    join archives r on r.parent = 'trades' and r.first = p.first
    where t.address = ${token} and ${isCounted('p')} order by p.wallet, p.first desc`.execute(trx)
  return rows
}
