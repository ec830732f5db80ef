import { sql } from 'kysely'

/**
 * The one row of chain_state as `s`; all null before the first block. limit 1 tells the planner that there is but one:
 * without statistics it takes a new table for hundreds of rows, and what is joined to them for work worth compiling.
 */
export const joinChainState = sql`left join (select * from chain_state limit 1) s on true`
