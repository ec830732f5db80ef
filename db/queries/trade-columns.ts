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

/** The letter of a side in a row. */
export const letterOf = (side: string): RawBuilder<string> => sql<string>`${side.slice(0, 1)}::"char"`
