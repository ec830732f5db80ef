import { type RawBuilder, sql } from 'kysely'

/*
 * How the columns of trades are read: letters as words. A function is for the alias of a row of trades.
 */

export type Side = 'buy' | 'sell'
export type Venue = 'curve' | 'pool'

export const sideOf = (alias: string): RawBuilder<Side> =>
  sql<Side>`case ${sql.ref(`${alias}.side`)} when 'b' then 'buy' else 'sell' end`

export const venueOf = (alias: string): RawBuilder<Venue> =>
  sql<Venue>`case ${sql.ref(`${alias}.venue`)} when 'c' then 'curve' else 'pool' end`

export const recipientOf = (alias: string): RawBuilder<string> =>
  sql<string>`coalesce(${sql.ref(`${alias}.recipient`)}, ${sql.ref(`${alias}.trader`)})`

/** Trades of a time in unix seconds and later. Compared as blocks, by which trades are indexed, so that a scan begins with the first. */
export const isSince = (time: number): RawBuilder<boolean> =>
  sql<boolean>`block_number >= (select number from blocks where time >= ${time} order by time, number limit 1)`

/** Trades of a time and earlier, in the same way. */
export const isUntil = (time: number): RawBuilder<boolean> =>
  sql<boolean>`block_number <= (select number from blocks where time <= ${time} order by time desc, number desc limit 1)`

/** The letter of a side in a row. */
export const letterOf = (side: string): RawBuilder<string> => sql<string>`${side.slice(0, 1)}::"char"`
