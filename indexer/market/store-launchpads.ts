import { type RawBuilder, sql, type Transaction } from 'kysely'
import { parseUsd } from '../../chain/amounts.ts'
import { type Column, tableOf } from '../../db/bulk.ts'
import type { Database } from '../../db/schema.ts'
import { getOrCreate } from '../../lib/collections/get-or-create.ts'
import { type Deltas, WINDOWS } from './deltas.ts'
import { nativeFee } from './sweep-windows.ts'
import type { TokenFigures } from './token-figures.ts'
import { addTokensDelta, makeTokensDelta, type TokensDelta } from './tokens-delta.ts'
import { addWithFees, makeWithFees, type TurnoverWithFees } from './turnover.ts'

type Row = TokensDelta & { launchpad: string; kind: string }

const sums: Column<Row>[] = [
  { name: 'tokens_total', type: 'bigint', value: ({ tokens }) => tokens },
  { name: 'tokens_graduated', type: 'bigint', value: ({ graduated }) => graduated },
  ...(['total', 'h24'] as const).flatMap((window): Column<Row>[] => [
    { name: `trades_${window}`, type: 'bigint', value: (row) => row[window].trades },
    { name: `volume_${window}`, type: 'numeric', value: (row) => row[window].volume },
    { name: `volume_usd_${window}`, type: 'numeric8', value: (row) => row[window].volumeUsd },
    { name: `protocol_fees_${window}`, type: 'numeric', value: (row) => row.protocolFees[window] },
    { name: `creator_fees_${window}`, type: 'numeric', value: (row) => row.creatorFees[window] },
  ]),
]
const columns: Column<Row>[] = [
  { name: 'launchpad', type: 'text', value: ({ launchpad }) => launchpad },
  { name: 'kind', type: 'text', value: ({ kind }) => kind },
  ...sums,
]
const names = columns.map(({ name }) => name).join(', ')
const additions = sums.map(({ name }) => `${name} = launchpad_figures.${name} + excluded.${name}`).join(', ')

/**
 * Adds the deltas of tokens to the figures of their launchpads: one row for each and batch, whatever the number of trades.
 * figures: of all tokens in the deltas. null: nothing is added.
 */
export function buildLaunchpads(
  { parts }: Pick<Deltas, 'parts'>,
  figures: ReadonlyMap<string, Pick<TokenFigures, 'launchpad' | 'launchpadKind'>>,
): RawBuilder<unknown> | null {
  const byLaunchpad = new Map<string, Row>()
  for (const [token, part] of parts) {
    const { launchpad, launchpadKind: kind } = figures.get(token)!
    addTokensDelta(
      getOrCreate(byLaunchpad, launchpad, () => ({ ...makeTokensDelta(), launchpad, kind })),
      part,
    )
  }
  if (byLaunchpad.size === 0) return null
  const rows = [...byLaunchpad.values()]
  return sql`insert into launchpad_figures (${sql.raw(names)}) select * from ${tableOf(columns, rows)}
    on conflict (launchpad) do update set ${sql.raw(additions)}`
}

const DAY = WINDOWS.h24

type DayRow = Omit<TurnoverWithFees, 'protocolFees' | 'creatorFees'> & {
  day: number
  launchpad: string
  /** null: the trades are archived. */
  protocolFees: bigint | null
  creatorFees: bigint | null
}

const dayColumns: Column<DayRow>[] = [
  { name: 'day', type: 'bigint', value: ({ day }) => day },
  { name: 'launchpad', type: 'text', value: ({ launchpad }) => launchpad },
  { name: 'trades', type: 'bigint', value: ({ trades }) => trades },
  { name: 'volume', type: 'numeric', value: ({ volume }) => volume },
  { name: 'volume_usd', type: 'numeric8', value: ({ volumeUsd }) => volumeUsd },
  { name: 'protocol_fees', type: 'numeric', value: ({ protocolFees }) => protocolFees },
  { name: 'creator_fees', type: 'numeric', value: ({ creatorFees }) => creatorFees },
]
const dayNames = sql.raw(dayColumns.map(({ name }) => name).join(', '))
const dayAdditions = sql.raw(
  dayColumns
    .slice(2)
    .map(({ name }) => `${name} = launchpad_days.${name} + excluded.${name}`)
    .join(', '),
)
const insertDays = (rows: readonly DayRow[]) =>
  sql`insert into launchpad_days (${dayNames}) select * from ${tableOf(dayColumns, rows)}`

/** Adds the trades of tokens to the days of their launchpads, as buildLaunchpads does to the figures. */
export function buildDays(
  { days }: Pick<Deltas, 'days'>,
  figures: ReadonlyMap<string, Pick<TokenFigures, 'launchpad'>>,
): RawBuilder<unknown> | null {
  const rows = new Map<string, TurnoverWithFees & { day: number; launchpad: string }>()
  for (const [token, ofToken] of days) {
    const { launchpad } = figures.get(token)!
    for (const [day, sums] of ofToken)
      addWithFees(
        getOrCreate(rows, `${launchpad}/${day}`, () => ({ ...makeWithFees(), day, launchpad })),
        sums,
      )
  }
  if (rows.size === 0) return null
  return sql`${insertDays([...rows.values()])} on conflict (day, launchpad) do update set ${dayAdditions}`
}

/** After an undo: deletes days without trades. */
export async function dropIdleDays(trx: Transaction<Database>, { days }: Pick<Deltas, 'days'>): Promise<void> {
  const undone = [...days.values()].flatMap((ofToken) =>
    [...ofToken].flatMap(([day, { trades }]) => (trades < 0 ? day : [])),
  )
  if (undone.length === 0) return
  await sql`delete from launchpad_days where day = any(${[...new Set(undone)]}::bigint[]) and trades = 0`.execute(trx)
}

interface StoredDay {
  day: number
  launchpad: string
  trades: number
  volume: string
  volume_usd: string
  protocol_fees: string | null
  creator_fees: string | null
}

/**
 * Computes the days of launchpads whose days do not have all of their trades: those that a version before the migration 0036 has stored.
 * Archived trades are counted by the daily candles, which have no fees.
 */
export async function completeDays(trx: Transaction<Database>): Promise<void> {
  const { rows: incomplete } = await sql<{ launchpad: string }>`
    select f.launchpad from launchpad_figures f
    left join (select launchpad, sum(trades) as trades from launchpad_days group by launchpad) d on d.launchpad = f.launchpad
    where f.trades_total <> coalesce(d.trades, 0)`.execute(trx)
  const launchpads = incomplete.map(({ launchpad }) => launchpad)
  if (launchpads.length === 0) return
  const isOfThese = sql`k.launchpad = any(${launchpads}::text[])`
  const stored = await sql<StoredDay>`
    select day, k.launchpad, sum(trades)::bigint as trades, sum(volume) as volume, sum(volume_usd) as volume_usd,
      sum(protocol_fees) as protocol_fees, sum(creator_fees) as creator_fees
    from (
      select token_id, block_time - block_time % ${DAY}::bigint as day, count(*) as trades,
        sum(coalesce(value_native, quote_amount)) as volume, coalesce(sum(value_usd), 0) as volume_usd,
        coalesce(sum(${nativeFee('protocol_fee')}), 0) as protocol_fees, coalesce(sum(${nativeFee('creator_fee')}), 0) as creator_fees
      from trades group by 1, 2
    ) t join tokens k on k.id = t.token_id where ${isOfThese} group by 1, 2`.execute(trx)
  const archived = await sql<StoredDay>`
    select bucket as day, k.launchpad, sum(c.trades)::bigint as trades, sum(coalesce(c.volume_native, c.volume)) as volume,
      sum(c.volume_usd) as volume_usd, null as protocol_fees, null as creator_fees
    from candles c join tokens k on k.id = c.token_id
    where ${isOfThese} and c.resolution = ${DAY}::integer and c.trades > 0 and exists (
      select from archives a where a.parent = 'trades' and a.state = 'archived'
        and a.first_time < c.bucket + ${DAY}::bigint and a.last_time >= c.bucket)
    group by 1, 2`.execute(trx)
  const rows = new Map([...stored.rows, ...archived.rows].map((row) => [`${row.launchpad}/${row.day}`, toDayRow(row)]))
  await sql`delete from launchpad_days where launchpad = any(${launchpads}::text[])`.execute(trx)
  await insertDays([...rows.values()]).execute(trx)
}

const toDayRow = (row: StoredDay): DayRow => ({
  day: row.day,
  launchpad: row.launchpad,
  trades: row.trades,
  volume: BigInt(row.volume),
  volumeUsd: parseUsd(row.volume_usd),
  protocolFees: row.protocol_fees === null ? null : BigInt(row.protocol_fees),
  creatorFees: row.creator_fees === null ? null : BigInt(row.creator_fees),
})
