import { type Kysely, sql } from 'kysely'

/*
 * The comment of each table says how its rows would be spread over several servers, and so what its keys may be: see
 * docs/data-model.md.
 */

const SPREAD: Record<string, readonly string[]> = {
  'by token': [
    'balances',
    'candles',
    'comment_likes',
    'comments',
    'fee_shares',
    'pool_states',
    'token_counts',
    'token_figures',
    'token_likes',
    'token_metadata',
    'trades',
  ],
  'by wallet': ['follow_counts', 'follows', 'wallet_figures'],
  reference: ['chain_state', 'contract_ids', 'pools', 'profiles', 'token_ids', 'tokens'],
  local: [
    'actions',
    'ambassador_applications',
    'audit_log',
    'blocks',
    'claims',
    'failed_images',
    'indexer_lease',
    'metadata_reads',
    'notifications',
    'outbox',
    'outbox_state',
    'platform_figures',
    'raise_commitments',
    'raise_events',
    'raise_figures',
    'raise_metadata',
    'raise_proposal_texts',
    'raise_proposals',
    'raises',
    'reports',
    'revoked_tokens',
    'staking_events',
    'staking_pools',
    'staking_positions',
  ],
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [spread, tables] of Object.entries(SPREAD)) {
    for (const table of tables) {
      const { rows } = await sql<{ comment: string }>`
        select obj_description(oid) as comment from pg_class
        where relname = ${table} and relnamespace = current_schema()::regnamespace`.execute(db)
      const comment = `${rows[0]!.comment} Spread: ${spread}.`
      await sql`comment on table ${sql.table(table)} is ${sql.lit(comment)}`.execute(db)
    }
  }
}
