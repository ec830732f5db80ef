import { type Kysely, sql } from 'kysely'

/*
 * What a row of each table is, and when it is written. `npm run generate` puts these comments into docs/data-model.md and
 * db/schema.ts, and fails for a table without one. The comment on a column `creation` says what a reorg hides.
 */
const tables: Record<string, string> = {
  blocks: 'Block that has logs of indexed contracts, or is not final. Appended; logs packed and compressed.',
  trades: 'Trade, on a curve or in a pool. Appended.',
  actions: 'On-chain action of a wallet other than a trade, such as a launch or a stake. Appended.',
  pool_states: 'Change of the reserves of a pool other than by a swap. Appended.',
  tokens: 'Launch of a token. Appended.',
  token_figures: 'Figures of a token, which change with its trades. Once per batch and token.',
  balances: 'Balance of a token in a wallet. Once per batch and pair.',
  candles: 'Candle of a token in one resolution. Once per batch and bucket.',
  wallet_figures: 'Turnover and profit of a wallet by period. Once per batch and wallet.',
  platform_figures: 'Figures of the platform (one row). Once per batch.',
  staking_events: 'Action of a wallet at a staking pool, with the state after it. Appended.',
  staking_pools: 'Staking pool. Once per batch and pool.',
  staking_positions: 'Stake of a wallet in a pool. Once per batch and pair.',
  raise_events: 'Action of a wallet at a raise, with the sums after it. Appended.',
  raises: 'Raise. Once per batch and raise.',
  raise_commitments: 'Commitment of a wallet to a raise. Once per batch and pair.',
  raise_proposals: 'Proposal in a raise. Once per batch and proposal.',
  raise_figures: 'All raises together (one row). By triggers, with every write to `raises`.',
  chain_state: 'Checkpoint and contracts of the indexed chain (one row). Once per batch.',
  indexer_lease: 'The active indexer (one row). Every 2 s.',
  outbox: 'Live event. Appended; trimmed after an hour; not changed by a rebuild.',
  outbox_state: 'Last number of the outbox (one row). With every event.',
  revoked_tokens: 'Sign-in token that was logged out, until it expires. On logout; trimmed by the active indexer.',
  profiles: 'Profile of a wallet. Per request.',
  follows: 'Follow of a wallet by another. Per request.',
  follow_counts: 'Counts of the follows of a wallet. By triggers.',
  claims: 'Receipt sync of a transaction by a wallet. Per request.',
  token_metadata: 'Texts, pictures, links and flags of a token. Per request, and when its contractURI is fetched.',
  token_counts: 'Counts of the comments and likes of a token. By triggers.',
  token_likes: 'Like of a token. Per request.',
  comments: 'Comment on a token. Per request.',
  comment_likes: 'Like of a comment. Per request.',
  notifications: 'Notification of a wallet. Per request, and with the events of a batch.',
  reports: 'Report of a comment. Per request, and on the decision of an operator.',
  audit_log: 'Action of an operator or labs member. Appended.',
  ambassador_applications: 'Application of an ambassador. Per request, and on the decision of an operator.',
  raise_metadata: 'Texts, pictures, links and flags of a raise. Per request.',
  raise_proposal_texts: 'Text of a proposal in a raise. Per request.',
  failed_images: 'Image that crashed its decoder, to prevent retries. When it crashes.',
}

const creations: Record<string, string> = {
  token_metadata: 'Not shown: texts, pictures, links, `featured`, `hidden`, and metadata from the contractURI.',
  token_likes: 'Not counted.',
  token_counts: 'Not shown.',
  comments: 'Not listed, 404 by id; the same for the likes, replies and reports that refer to them.',
  notifications: 'Likes of the token are neither listed nor counted as unread; those of comments follow the comment.',
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, text] of Object.entries(tables))
    await sql`comment on table ${sql.table(table)} is ${sql.lit(text)}`.execute(db)
  for (const [table, text] of Object.entries(creations))
    await sql`comment on column ${sql.table(table)}.creation is ${sql.lit(text)}`.execute(db)
}
