// Generated from the migrations by scripts/generate/db-types.ts. Do not edit: npm run generate:db
import type { ColumnType } from 'kysely'

/** A column with a default: inserts may omit it. */
type Generated<T> = T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
/** numeric: read as a decimal string, written as a decimal string or a bigint. */
type Numeric = ColumnType<string, string | bigint, string | bigint>
/** bytea: read as 0x text, see db/hex.ts. */
type Hex = ColumnType<string, Buffer, Buffer>
type Timestamp = ColumnType<Date, Date | string, Date | string>
type Json = ColumnType<unknown, string, string>

/** On-chain action of a wallet other than a trade, such as a launch or a stake. */
export interface ActionsTable {
  block_number: number
  block_time: number
  log_index: number
  type: string
  subject: string
  wallet: Hex
  tx_hash: Hex
  data: Generated<Json>
}

/** Application of an ambassador. */
export interface AmbassadorApplicationsTable {
  id: Generated<string>
  name: string
  email: string
  wallet: string | null
  country: string
  socials: Json
  audience: string
  motivation: string
  status: Generated<string>
  reviewer: string | null
  review_note: string | null
  reviewed_at: Timestamp | null
  created_at: Generated<Timestamp>
}

/** Sums of a wallet with a token in an archived partition of trades, and its lot after them. */
export interface ArchivedPairsTable {
  token_id: number
  wallet: Hex
  first: number
  trades: number
  volume: Numeric
  volume_usd: Numeric
  realized: Numeric
  realized_usd: Numeric
  lot_tokens: Numeric
  lot_cost: Numeric
  lot_cost_usd: Numeric
  lot_realized: Numeric
  lot_realized_usd: Numeric
  first_trade_at: number
  last_trade_block: number
  last_trade_log: number
  last_trade_at: number
  volume_native: Numeric | null
  realized_native: Numeric | null
  lot_cost_native: Numeric | null
  lot_realized_native: Numeric | null
}

/** Sums and last reserves of a token in an archived partition of trades. */
export interface ArchivedTokensTable {
  token_id: number
  first: number
  trades: number
  volume: Numeric
  volume_usd: Numeric
  protocol_fees: Numeric
  creator_fees: Numeric
  trend_sum: Numeric
  trend_exponent: number
  highest_usd: number | null
  last_block: number
  last_log: number
  last_at: number
  curve_block: number | null
  curve_log: number | null
  virtual_quote: Numeric | null
  virtual_token: Numeric | null
  real_quote: Numeric | null
  real_token: Numeric | null
  pool_block: number | null
  pool_log: number | null
  pool_quote: Numeric | null
  pool_token: Numeric | null
  volume_native: Numeric | null
  protocol_fees_native: Numeric | null
  creator_fees_native: Numeric | null
  curve_rate_native: Numeric | null
  pool_rate_native: Numeric | null
}

/** Partition that was archived, or has no fine candles. */
export interface ArchivesTable {
  partition: string
  parent: string
  first: number
  stop: number
  state: string
  is_thinned: Generated<boolean>
  location: string | null
  parts: Generated<Json>
  manifest_sha256: string | null
  row_count: number | null
  first_time: number | null
  last_time: number | null
  changed_at: Generated<Timestamp>
}

/** Action of an operator or labs member. */
export interface AuditLogTable {
  id: Generated<number>
  actor: string
  action: string
  subject: string
  reason: string | null
  created_at: Generated<Timestamp>
}

/** Balance of a token in a wallet. */
export interface BalancesTable {
  first_seen_block: number
  first_seen_at: number
  last_trade_block: number | null
  last_trade_at: number | null
  last_trade_log: number | null
  trades_h24: Generated<number>
  token_id: number
  wallet: Hex
  balance: Generated<Numeric>
  lot_tokens: Generated<Numeric>
  lot_cost: Generated<Numeric>
  lot_cost_usd: Generated<Numeric>
  realized: Generated<Numeric>
  realized_usd: Generated<Numeric>
  bought: Generated<Numeric>
  sold: Generated<Numeric>
  spent: Generated<Numeric>
  proceeds: Generated<Numeric>
  sent: Generated<Numeric>
  lot_cost_native: Numeric | null
  realized_native: Numeric | null
}

/** Block that has logs of indexed contracts, or is not final. */
export interface BlocksTable {
  number: number
  time: number
  log_count: Generated<number>
  hash: Hex
  parent_hash: Hex | null
  quote_usd: Numeric | null
  logs: Hex | null
  quote_prices: string | null
}

/** Wallet that bought a token in a bundle at its launch. */
export interface BundlersTable {
  token_id: number
  wallet: Hex
}

/** Candle of a token in one resolution. */
export interface CandlesTable {
  token_id: number
  resolution: number
  bucket: number
  open: number
  high: number
  low: number
  close: number
  open_usd: number | null
  high_usd: number | null
  low_usd: number | null
  close_usd: number | null
  open_block: number
  close_block: number
  open_log: number
  close_log: number
  trades: number
  volume: Numeric
  volume_usd: Numeric
  open_native: number | null
  high_native: number | null
  low_native: number | null
  close_native: number | null
  volume_native: Numeric | null
}

/** Checkpoint and contracts of the indexed chain (one row). */
export interface ChainStateTable {
  id: Generated<boolean>
  chain_id: number
  genesis_hash: string
  native_symbol: Generated<string>
  wrapped_native: string
  contracts: Json
  rules: Generated<number>
  block_partition: Generated<number>
  checkpoint_number: number
  checkpoint_hash: string | null
  checkpoint_time: number
  clock_time: number
  head_number: number
  head_time: number
  finalized_number: number
  quote_usd: Numeric | null
  halted: string | null
  undo_count: Generated<number>
  bulk_load: Json | null
  recovery: Json | null
  unproven: Generated<string>
  proofs: Generated<string>
  updated_at: Generated<Timestamp>
  contract_kinds: Generated<Json>
  sniper_seconds: Generated<number>
  lacks_events: Generated<boolean>
}

/** Receipt sync of a transaction by a wallet. */
export interface ClaimsTable {
  tx_hash: string
  wallet: string
  kind: string
  created_at: Generated<Timestamp>
}

/** Like of a comment. */
export interface CommentLikesTable {
  comment_id: number
  wallet: string
  created_at: Generated<Timestamp>
  token_id: number
}

/** Comment on a token. */
export interface CommentsTable {
  id: Generated<number>
  token_id: number
  author: string
  parent_id: number | null
  body: string
  created_at: Generated<Timestamp>
  deleted_at: Timestamp | null
  hidden: Generated<boolean>
  silenced: Generated<boolean>
  visible: Generated<boolean>
  shown: Generated<boolean>
  like_count: Generated<number>
  reply_count: Generated<number>
}

/** Number of a launchpad or quote asset in the rows of trades. */
export interface ContractIdsTable {
  id: number
  address: Hex
}

/** What a contract answered about a log, such as the quote asset of a launch. */
export interface ContractReadsTable {
  block_number: number
  log_index: number
  block_hash: Hex
  answer: Hex | null
  attempts: Generated<number>
  attempted_at: Generated<Timestamp>
}

/** What a recipient was paid of the creator fees of a token, in its quote asset. */
export interface CreatorRevenueTable {
  token_id: number
  recipient: Hex
  claimed: Numeric
}

/** Contract that operators have added over the API. */
export interface DeploymentsTable {
  address: string
  kind: string
  start_block: number
  added_by: string
  added_at: Generated<Timestamp>
  followed_from: number | null
  backfilled_to: number | null
  completed_at: Timestamp | null
  removed_at: Timestamp | null
}

/** Image that crashed its decoder, to prevent retries. */
export interface FailedImagesTable {
  id: string
  decoders: string
  reason: string
  failed_at: Generated<Timestamp>
}

/** Share of a recipient in the creator fees of a token, from a split or transfer of the right on. */
export interface FeeSharesTable {
  block_number: number
  token_id: number
  log_index: number
  bps: number
  position: number
  owner: Hex
  recipient: Hex
}

/** Counts of the follows of a wallet. */
export interface FollowCountsTable {
  wallet: string
  followers: Generated<number>
  following: Generated<number>
}

/** Follow of a wallet by another. */
export interface FollowsTable {
  follower: string
  followee: string
  created_at: Generated<Timestamp>
}

/** The active indexer (one row). */
export interface IndexerLeaseTable {
  id: Generated<boolean>
  token: Generated<number>
  holder: string | null
  backend_pid: number | null
  heartbeat_at: Timestamp | null
  expires_at: Generated<Timestamp>
}

/** Sums of the trades of a day (UTC) on a launchpad. */
export interface LaunchpadDaysTable {
  day: number
  launchpad: string
  trades: number
  volume: Numeric
  volume_usd: Numeric
  protocol_fees: Numeric | null
  creator_fees: Numeric | null
}

/** Sums of the tokens of a launchpad. */
export interface LaunchpadFiguresTable {
  kind: string
  tokens_total: number
  tokens_graduated: number
  trades_total: number
  trades_h24: number
  volume_total: Numeric
  volume_h24: Numeric
  volume_usd_total: Numeric
  volume_usd_h24: Numeric
  protocol_fees_total: Numeric
  protocol_fees_h24: Numeric
  creator_fees_total: Numeric
  creator_fees_h24: Numeric
  launchpad: string
}

/** Token whose metadata is to be read. */
export interface MetadataReadsTable {
  token: string
  due_at: Generated<Timestamp>
  attempts: Generated<number>
  updated_at: Timestamp | null
}

/** Notification of a wallet. */
export interface NotificationsTable {
  id: Generated<number>
  recipient: string
  type: string
  actor: string | null
  subject: string
  token_id: number | null
  comment_id: number | null
  payload: Generated<Json>
  block_number: number | null
  log_index: number | null
  created_at: Generated<Timestamp>
  read_at: Timestamp | null
}

/** Live event. */
export interface OutboxTable {
  seq: Generated<number>
  rooms: string[]
  type: string
  data: string
  created_at: Generated<Timestamp>
}

/** Last number of the outbox (one row). */
export interface OutboxStateTable {
  id: Generated<boolean>
  channel: Generated<string>
  trimmed: Generated<number>
}

/** Figures of the platform (one row). */
export interface PlatformFiguresTable {
  id: Generated<boolean>
  tokens_total: Generated<number>
  tokens_graduated: Generated<number>
  traders_total: Generated<number>
  traders_h24: Generated<number>
  trades_total: Generated<number>
  trades_h24: Generated<number>
  volume_total: Generated<Numeric>
  volume_usd_total: Generated<Numeric>
  volume_h24: Generated<Numeric>
  volume_usd_h24: Generated<Numeric>
  protocol_fees_total: Generated<Numeric>
  protocol_fees_h24: Generated<Numeric>
  creator_fees_total: Generated<Numeric>
  creator_fees_h24: Generated<Numeric>
}

/** Change of the reserves of a pool other than by a swap. */
export interface PoolStatesTable {
  block_number: number
  token_id: number
  log_index: number
  price: number | null
  price_usd: number | null
  pool_quote: Numeric
  pool_token: Numeric
  rate_native: Numeric | null
}

/** Token of a pool. */
export interface PoolsTable {
  pool: Hex
  token_id: number
}

/** Profile of a wallet. */
export interface ProfilesTable {
  wallet: string
  username: string | null
  username_skeleton: string | null
  bio: string | null
  avatar_url: string | null
  banned_at: Timestamp | null
  created_at: Generated<Timestamp>
}

/** Asset besides the native coin in which tokens are priced. */
export interface QuotesTable {
  id: number
  address: string
  symbol: string
  decimals: number
  route: Json
  since_block: number
  usd: Numeric | null
  native: Numeric | null
}

/** Commitment of a wallet to a raise. */
export interface RaiseCommitmentsTable {
  raise: string
  wallet: string
  state_block: number
  state_log: number
  registered: boolean
  amount: Numeric
  refunded: Numeric | null
  exited_amount: Numeric | null
  tokens_claimed: Numeric | null
  tokens_returned: Numeric | null
  tokens_given_up: Numeric | null
}

/** Action of a wallet at a raise, with the sums after it. */
export interface RaiseEventsTable {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  raise: string
  proposal: string | null
  kind: string
  wallet: string
  amount: Numeric | null
  total: Numeric | null
  wallet_total: Numeric | null
  participant_count: number | null
  tokens_returned: Numeric | null
  tokens_given_up: Numeric | null
  exited_weight: Numeric | null
  recipient: string | null
  support: number | null
  for_votes: Numeric | null
  against_votes: Numeric | null
  abstain_votes: Numeric | null
}

/** All raises together (one row). */
export interface RaiseFiguresTable {
  id: Generated<boolean>
  total: number
  proposals: number
  committed: Numeric
  released: Numeric
  refunded: Numeric
}

/** Texts, pictures, links and flags of a raise. */
export interface RaiseMetadataTable {
  raise: string
  creator: string
  description: string | null
  image_url: string | null
  website: string | null
  twitter: string | null
  telegram: string | null
  discord: string | null
  featured: Generated<boolean>
  described_at: Timestamp | null
  updated_by: string
  updated_at: Generated<Timestamp>
  tx_hash: string | null
}

/** Text of a proposal in a raise. */
export interface RaiseProposalTextsTable {
  proposal: string
  proposer: string
  description: string
  updated_at: Generated<Timestamp>
  tx_hash: string | null
}

/** Proposal in a raise. */
export interface RaiseProposalsTable {
  id: string
  contract: string
  number: Numeric
  raise: string
  proposer: string | null
  title: string | null
  description_uri: string | null
  amount: Numeric | null
  recipient: string | null
  vote_start: number | null
  vote_end: number | null
  executable_at: number | null
  expires_at: number | null
  quorum: Numeric | null
  total_weight: Numeric | null
  created_block: number | null
  created_log: number | null
  created_at: number | null
  tx_hash: string | null
  for_votes: Generated<Numeric>
  against_votes: Generated<Numeric>
  abstain_votes: Generated<Numeric>
  voter_count: Generated<number>
  executed_at: number | null
  executed_amount: Numeric | null
  cancelled_at: number | null
}

/** Raise. */
export interface RaisesTable {
  id: string
  contract: string
  number: Numeric
  creator: string | null
  token: string | null
  title: string | null
  metadata_uri: string | null
  registration_required: boolean | null
  registration_start: number | null
  start_at: number | null
  end_at: number | null
  token_amount: Numeric | null
  goal_min: Numeric | null
  goal_max: Numeric | null
  wallet_min: Numeric | null
  wallet_max: Numeric | null
  quorum_bps: number | null
  voting_delay: number | null
  voting_period: number | null
  exit_window: number | null
  release_period: number | null
  release_bps: number | null
  created_block: number | null
  created_log: number | null
  created_at: number | null
  tx_hash: string | null
  registered_count: Generated<number>
  participant_count: Generated<number>
  total_committed: Generated<Numeric>
  cancelled_at: number | null
  finalized_at: number | null
  dissolved_at: number | null
  last_release_at: number | null
  released: Generated<Numeric>
  refunded: Generated<Numeric>
  exited_weight: Generated<Numeric>
  exited_amount: Generated<Numeric>
  tokens_claimed: Generated<Numeric>
  tokens_returned: Generated<Numeric>
  tokens_reclaimed: Generated<Numeric>
  proposal_count: Generated<number>
}

/** Row of `actions` with text instead of numbers and bytes. */
export interface ReadableActionsTable {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  type: string
  wallet: string
  subject: string
  data: Json
}

/** Row of `balances` with text instead of numbers and bytes. */
export interface ReadableBalancesTable {
  token: string
  wallet: string
  balance: Numeric
  first_seen_block: number
  first_seen_at: number
  last_trade_block: number | null
  last_trade_log: number | null
  last_trade_at: number | null
  trades_h24: number
  lot_tokens: Numeric
  lot_cost: Numeric
  lot_cost_usd: Numeric
  realized: Numeric
  realized_usd: Numeric
  bought: Numeric
  sold: Numeric
  spent: Numeric
  proceeds: Numeric
  sent: Numeric
  lot_cost_native: Numeric | null
  realized_native: Numeric | null
}

/** Row of `blocks` with text instead of numbers and bytes. */
export interface ReadableBlocksTable {
  number: number
  hash: string
  time: number
  quote_usd: Numeric | null
  log_count: number
  log_bytes: number
}

/** Row of `bundlers` with text instead of numbers and bytes. */
export interface ReadableBundlersTable {
  token: string
  wallet: string
}

/** Row of `candles` with text instead of numbers and bytes. */
export interface ReadableCandlesTable {
  token: string
  resolution: number
  bucket: number
  open: number
  high: number
  low: number
  close: number
  open_usd: number | null
  high_usd: number | null
  low_usd: number | null
  close_usd: number | null
  volume: Numeric
  volume_usd: Numeric
  trades: number
  open_block: number
  open_log: number
  close_block: number
  close_log: number
  open_native: number | null
  high_native: number | null
  low_native: number | null
  close_native: number | null
  volume_native: Numeric | null
}

/** Row of `creator_revenue` with text instead of numbers and bytes. */
export interface ReadableCreatorRevenueTable {
  token: string
  recipient: string
  claimed: Numeric
}

/** Row of `fee_shares` with text instead of numbers and bytes. */
export interface ReadableFeeSharesTable {
  token: string
  block_number: number
  log_index: number
  position: number
  owner: string
  recipient: string
  bps: number
}

/** Row of `pool_states` with text instead of numbers and bytes. */
export interface ReadablePoolStatesTable {
  block_number: number
  log_index: number
  token: string
  pool_quote: Numeric
  pool_token: Numeric
  price: number | null
  price_usd: number | null
  rate_native: Numeric | null
}

/** Row of `snipers` with text instead of numbers and bytes. */
export interface ReadableSnipersTable {
  token: string
  wallet: string
}

/** Row of `token_figures` with text instead of numbers and bytes. */
export interface ReadableTokenFiguresTable {
  token: string
  token_id: number
  hidden: boolean
  created_block: number
  created_log: number
  status: string
  completed_block: number | null
  completed_log: number | null
  graduated_block: number | null
  graduated_log: number | null
  graduated_at: number | null
  pool: string | null
  virtual_quote: Numeric
  virtual_token: Numeric
  real_quote: Numeric
  real_token: Numeric
  pool_quote: Numeric | null
  pool_token: Numeric | null
  pool_block: number | null
  pool_log: number | null
  curve_block: number | null
  curve_log: number | null
  progress: Numeric
  price: number
  market_cap: Numeric
  ath_market_cap_usd: number | null
  volume_total: Numeric
  volume_h24: Numeric
  volume_h1: Numeric
  volume_usd_h24: Numeric
  trades_total: number
  buys_h24: number
  sells_h24: number
  traders_h24: number
  protocol_fees: Numeric
  creator_fees: Numeric
  creator_fees_claimed: Numeric
  last_trade_block: number | null
  last_trade_log: number | null
  last_trade_at: number | null
  trend: number
  trend_sum: Numeric
  trend_exponent: number
  positive_balances: number
  holder_count: number
  top10_balance: Numeric
  creator_balance: Numeric
  volume_usd_h1: Numeric
  buys_h1: number
  sells_h1: number
  wash_volume: Numeric
  rate_native: Numeric | null
  volume_quote_total: Numeric | null
  volume_quote_h24: Numeric | null
  volume_quote_h1: Numeric | null
  first_trade_at: number | null
  sniper_balance: Numeric
  bundler_balance: Numeric | null
}

/** Row of `trades` with text instead of numbers and bytes. */
export interface ReadableTradesTable {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  token: string
  trader: string
  trader_known: boolean
  recipient: string | null
  side: string
  venue: string
  launchpad: string
  quote_token: string
  pool: string | null
  token_amount: Numeric
  quote_amount: Numeric
  protocol_fee: Numeric | null
  creator_fee: Numeric | null
  virtual_quote: Numeric
  virtual_token: Numeric
  real_quote: Numeric | null
  real_token: Numeric | null
  price: number
  price_usd: number | null
  value_usd: Numeric | null
  realized: Numeric | null
  realized_usd: Numeric | null
  value_native: Numeric | null
  rate_native: Numeric | null
  realized_native: Numeric | null
}

/** Row of `transfers` with text instead of numbers and bytes. */
export interface ReadableTransfersTable {
  block_number: number
  log_index: number
  token: string
  sender: string
  recipient: string
  amount: Numeric
}

/** Report of a comment. */
export interface ReportsTable {
  id: Generated<number>
  comment_id: number
  reporter: string
  reason: string
  note: string | null
  status: Generated<string>
  created_at: Generated<Timestamp>
}

/** Sign-in token that was logged out, until it expires. */
export interface RevokedTokensTable {
  jti: string
  expires_at: Timestamp
}

/** Wallet that bought a token within SNIPER_SECONDS of its first trade. */
export interface SnipersTable {
  token_id: number
  wallet: Hex
}

/** Action of a wallet at a staking pool, with the state after it. */
export interface StakingEventsTable {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  pool: string
  kind: string
  wallet: string
  amount: Numeric
  reward_rate: Numeric
  reward_per_token: Numeric
  last_update_time: number
  period_finish: number
  total_staked: Numeric
  total_funded: Numeric | null
  staked: Numeric | null
  pending_unstake: Numeric | null
  withdrawable_at: number | null
  rewards: Numeric | null
}

/** Staking pool. */
export interface StakingPoolsTable {
  id: string
  contract: string
  number: Numeric
  staking_token: string | null
  reward_token: string | null
  cooldown_seconds: number | null
  period_seconds: number | null
  created_block: number | null
  created_log: number | null
  created_at: number | null
  tx_hash: string | null
  state_block: number | null
  state_log: number | null
  total_staked: Generated<Numeric>
  reward_rate: Generated<Numeric>
  reward_per_token: Generated<Numeric>
  last_update_time: Generated<number>
  period_finish: Generated<number>
  funded_block: number | null
  funded_log: number | null
  total_funded: Generated<Numeric>
  total_paid: Generated<Numeric>
  staker_count: Generated<number>
}

/** Stake of a wallet in a pool. */
export interface StakingPositionsTable {
  pool: string
  wallet: string
  state_block: number
  state_log: number
  staked: Numeric
  pending_unstake: Numeric
  withdrawable_at: number
  rewards: Numeric
  reward_per_token_paid: Numeric
  claimed: Generated<Numeric>
}

/** Alert of a wallet about a token. */
export interface TokenAlertsTable {
  token_id: number
  id: Generated<number>
  wallet: Hex
  measure: string
  direction: string
  threshold: number
  metric: string | null
  value: number | null
  since_block: number
  created_at: Generated<Timestamp>
  triggered_at: Timestamp | null
  triggered_block: number | null
}

/** Counts of the comments and likes of a token. */
export interface TokenCountsTable {
  token_id: number
  comments: Generated<number>
  likes: Generated<number>
  watchers: Generated<number>
}

/** Figures of a token, which change with its trades. */
export interface TokenFiguresTable {
  token_id: number
  hidden: Generated<boolean>
  created_block: Generated<number>
  created_log: Generated<number>
  status: Generated<string>
  completed_block: number | null
  completed_log: number | null
  graduated_block: number | null
  graduated_log: number | null
  graduated_at: number | null
  pool: Hex | null
  virtual_quote: Generated<Numeric>
  virtual_token: Generated<Numeric>
  real_quote: Generated<Numeric>
  real_token: Generated<Numeric>
  pool_quote: Numeric | null
  pool_token: Numeric | null
  pool_block: number | null
  pool_log: number | null
  curve_block: number | null
  curve_log: number | null
  progress: Generated<Numeric>
  price: Generated<number>
  market_cap: Generated<Numeric>
  ath_market_cap_usd: number | null
  volume_total: Generated<Numeric>
  volume_h24: Generated<Numeric>
  volume_h1: Generated<Numeric>
  volume_usd_h24: Generated<Numeric>
  trades_total: Generated<number>
  buys_h24: Generated<number>
  sells_h24: Generated<number>
  traders_h24: Generated<number>
  protocol_fees: Generated<Numeric>
  creator_fees: Generated<Numeric>
  creator_fees_claimed: Generated<Numeric>
  last_trade_block: number | null
  last_trade_log: number | null
  last_trade_at: number | null
  trend: Generated<number>
  trend_sum: Generated<Numeric>
  trend_exponent: Generated<number>
  positive_balances: Generated<number>
  holder_count: Generated<number>
  top10_balance: Generated<Numeric>
  creator_balance: Generated<Numeric>
  volume_usd_h1: Generated<Numeric>
  buys_h1: Generated<number>
  sells_h1: Generated<number>
  wash_volume: Generated<Numeric>
  rate_native: Numeric | null
  volume_quote_total: Numeric | null
  volume_quote_h24: Numeric | null
  volume_quote_h1: Numeric | null
  first_trade_at: number | null
  sniper_balance: Generated<Numeric>
  bundler_balance: Numeric | null
}

/** Number of a launch in the rows of other tables. */
export interface TokenIdsTable {
  id: Generated<number>
  address: string
  creation: Hex
}

/** Like of a token. */
export interface TokenLikesTable {
  token_id: number
  wallet: string
  created_at: Generated<Timestamp>
}

/** Texts, pictures, links and flags of a token. */
export interface TokenMetadataTable {
  token_id: number
  description: string | null
  image_url: string | null
  image_changes: Generated<number>
  image_changed_at: Timestamp | null
  banner_url: string | null
  website: string | null
  twitter: string | null
  telegram: string | null
  discord: string | null
  featured: Generated<boolean>
  hidden: Generated<boolean>
  contract_uri: string | null
  contract_uri_block: number | null
  contract_uri_log: number | null
  updated_by: string
  updated_at: Generated<Timestamp>
}

/** Launch of a token. */
export interface TokensTable {
  address: string
  id: number
  launchpad: string
  creator: string
  quote_token: string
  name: string
  symbol: string
  symbol_taken_before: Generated<boolean>
  metadata_uri: string
  decimals: Generated<number>
  total_supply: Numeric
  initial_virtual_quote: Numeric
  initial_virtual_token: Numeric
  initial_real_token: Numeric
  target_quote: Numeric
  protocol_fee_bps: number | null
  creator_fee_bps: number | null
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  launchpad_kind: Generated<string>
  venue: Generated<string>
  quote_decimals: Generated<number>
  rate_native: Numeric | null
  lifecycle: Generated<string>
  pool_manager: string | null
  pool_native: Generated<boolean>
  symbol_key: string | null
}

/** Alert of a wallet about the trades of another. */
export interface TradeAlertsTable {
  trader: Hex
  id: Generated<number>
  wallet: Hex
  since_block: number
  created_at: Generated<Timestamp>
}

/** Trade, on a curve or in a pool. */
export interface TradesTable {
  block_number: number
  block_time: number
  token_id: number
  log_index: number
  price: number
  price_usd: number | null
  launchpad_id: number
  quote_id: number
  side: string
  venue: string
  trader_known: Generated<boolean>
  tx_hash: Hex
  trader: Hex
  recipient: Hex | null
  pool: Hex | null
  token_amount: Numeric
  quote_amount: Numeric
  protocol_fee: Numeric | null
  creator_fee: Numeric | null
  virtual_quote: Numeric
  virtual_token: Numeric
  real_quote: Numeric | null
  real_token: Numeric | null
  value_usd: Numeric | null
  realized: Numeric | null
  realized_usd: Numeric | null
  value_native: Numeric | null
  rate_native: Numeric | null
  realized_native: Numeric | null
}

/** Transfer of a token that is no part of a trade. */
export interface TransfersTable {
  block_number: number
  token_id: number
  log_index: number
  sender: Hex
  recipient: Hex
  amount: Numeric
}

/** Turnover and profit of a wallet by period. */
export interface WalletFiguresTable {
  trades_total: Generated<number>
  trades_h24: Generated<number>
  trades_d7: Generated<number>
  trades_d30: Generated<number>
  wallet: Hex
  volume_total: Generated<Numeric>
  volume_usd_total: Generated<Numeric>
  realized_total: Generated<Numeric>
  realized_usd_total: Generated<Numeric>
  volume_h24: Generated<Numeric>
  volume_usd_h24: Generated<Numeric>
  realized_h24: Generated<Numeric>
  realized_usd_h24: Generated<Numeric>
  volume_d7: Generated<Numeric>
  volume_usd_d7: Generated<Numeric>
  realized_d7: Generated<Numeric>
  realized_usd_d7: Generated<Numeric>
  volume_d30: Generated<Numeric>
  volume_usd_d30: Generated<Numeric>
  realized_d30: Generated<Numeric>
  realized_usd_d30: Generated<Numeric>
  launchpad_kind: string | null
}

/** Turnover and profit of a wallet on a kind of launchpad, if it has traded on several. */
export interface WalletLaunchpadFiguresTable {
  wallet: Hex
  launchpad_kind: string
  trades_total: number
  volume_total: Numeric
  volume_usd_total: Numeric
  realized_total: Numeric
  realized_usd_total: Numeric
  trades_h24: number
  volume_h24: Numeric
  volume_usd_h24: Numeric
  realized_h24: Numeric
  realized_usd_h24: Numeric
  trades_d7: number
  volume_d7: Numeric
  volume_usd_d7: Numeric
  realized_d7: Numeric
  realized_usd_d7: Numeric
  trades_d30: number
  volume_d30: Numeric
  volume_usd_d30: Numeric
  realized_d30: Numeric
  realized_usd_d30: Numeric
}

/** Token on the watchlist of a wallet. */
export interface WatchedTokensTable {
  token_id: number
  wallet: Hex
  created_at: Generated<Timestamp>
}

export interface Database {
  actions: ActionsTable
  ambassador_applications: AmbassadorApplicationsTable
  archived_pairs: ArchivedPairsTable
  archived_tokens: ArchivedTokensTable
  archives: ArchivesTable
  audit_log: AuditLogTable
  balances: BalancesTable
  blocks: BlocksTable
  bundlers: BundlersTable
  candles: CandlesTable
  chain_state: ChainStateTable
  claims: ClaimsTable
  comment_likes: CommentLikesTable
  comments: CommentsTable
  contract_ids: ContractIdsTable
  contract_reads: ContractReadsTable
  creator_revenue: CreatorRevenueTable
  deployments: DeploymentsTable
  failed_images: FailedImagesTable
  fee_shares: FeeSharesTable
  follow_counts: FollowCountsTable
  follows: FollowsTable
  indexer_lease: IndexerLeaseTable
  launchpad_days: LaunchpadDaysTable
  launchpad_figures: LaunchpadFiguresTable
  metadata_reads: MetadataReadsTable
  notifications: NotificationsTable
  outbox: OutboxTable
  outbox_state: OutboxStateTable
  platform_figures: PlatformFiguresTable
  pool_states: PoolStatesTable
  pools: PoolsTable
  profiles: ProfilesTable
  quotes: QuotesTable
  raise_commitments: RaiseCommitmentsTable
  raise_events: RaiseEventsTable
  raise_figures: RaiseFiguresTable
  raise_metadata: RaiseMetadataTable
  raise_proposal_texts: RaiseProposalTextsTable
  raise_proposals: RaiseProposalsTable
  raises: RaisesTable
  readable_actions: ReadableActionsTable
  readable_balances: ReadableBalancesTable
  readable_blocks: ReadableBlocksTable
  readable_bundlers: ReadableBundlersTable
  readable_candles: ReadableCandlesTable
  readable_creator_revenue: ReadableCreatorRevenueTable
  readable_fee_shares: ReadableFeeSharesTable
  readable_pool_states: ReadablePoolStatesTable
  readable_snipers: ReadableSnipersTable
  readable_token_figures: ReadableTokenFiguresTable
  readable_trades: ReadableTradesTable
  readable_transfers: ReadableTransfersTable
  reports: ReportsTable
  revoked_tokens: RevokedTokensTable
  snipers: SnipersTable
  staking_events: StakingEventsTable
  staking_pools: StakingPoolsTable
  staking_positions: StakingPositionsTable
  token_alerts: TokenAlertsTable
  token_counts: TokenCountsTable
  token_figures: TokenFiguresTable
  token_ids: TokenIdsTable
  token_likes: TokenLikesTable
  token_metadata: TokenMetadataTable
  tokens: TokensTable
  trade_alerts: TradeAlertsTable
  trades: TradesTable
  transfers: TransfersTable
  wallet_figures: WalletFiguresTable
  wallet_launchpad_figures: WalletLaunchpadFiguresTable
  watched_tokens: WatchedTokensTable
}
