import { sql } from 'kysely'

/**
 * Joins the single row of chain_state as `s`; all null before the first block. limit 1 tells the planner the row count:
 * without statistics it assumes hundreds of rows, and JIT-compiles the query.
 */
export const joinChainState = sql`left join (select * from chain_state limit 1) s on true`
