import { sql, type Transaction } from 'kysely'
import type { Database } from './schema.ts'

/*
 * The largest tables are partitioned: trades, actions and blocks by height, candles by time. The function
 * make_partitions of the database names and creates partitions; this is its only caller.
 */

/**
 * Creates the missing partitions for the rows of these blocks. The caller holds the apply lock. An existing partition
 * costs a look-up by name.
 */
export async function makePartitions(
  trx: Transaction<Database>,
  blocks: readonly { number: number; time: number }[],
): Promise<void> {
  if (blocks.length === 0) return
  const heights = new Set(blocks.map(({ number }) => number - (number % HEIGHTS)))
  const times = new Set(blocks.map(({ time }) => time - (time % DAY)))
  const last = blocks.at(-1)!
  heights.add(last.number)
  times.add(last.time)
  await sql`select make_partitions(${[...heights]}::bigint[], ${[...times]}::bigint[])`.execute(trx)
}

/** Widths are multiples of these, so one value stands for many. */
const HEIGHTS = 65_536
const DAY = 86_400

const MONTH = 30 * DAY
const MAX_WIDTH = 1 << 26
/** For a chain whose block time is unknown. */
const DEFAULT_WIDTH = 1 << 20

/** Blocks of a partition: the smallest power of two that takes a month, so that a year has about ten. */
export function chooseWidth(secondsPerBlock: number | undefined): number {
  if (secondsPerBlock === undefined) return DEFAULT_WIDTH
  let width = HEIGHTS
  while (width * secondsPerBlock < MONTH && width < MAX_WIDTH) width *= 2
  return width
}
