import { sql } from 'kysely'

/**
 * Joins the single row of chain_state as `s`; all null before the first block. limit 1 tells the planner the row count:
 * without statistics it assumes hundreds of rows, and JIT-compiles the query.
 */
export const joinChainState = sql`left join (select * from chain_state limit 1) s on true`

/** The block up to which all indexed logs are proven, of chain_state as `s`. */
export const provenNumber = sql<number>`
  least(s.checkpoint_number, coalesce(lower(s.unproven) - 1, s.checkpoint_number))`.as('proven_number')
