import { type Kysely, sql } from 'kysely'

/*
 * Raises and their governance. raise_events is appended to; raises, raise_commitments and raise_proposals are made anew
 * from its rows for whatever a batch or a reorg touches. An event carries the sums after it, so the latest of a kind tells
 * all of that kind that came before; only tokens_returned, tokens_reclaimed, proposal_count and voter_count are sums.
 *
 * The ids of raises and proposals are `<contract>-<number>`: unique over contracts, equal in every deployment of the service.
 * What follows from the clock is not stored: see raiseStatusAt and proposalStateAt.
 */
const statements = [
  // wallet: whose doing it was. amount: what moved, or a vote's weight. total: the running sum of the kind after it:
  // registeredCount, totalCommitted, tokensClaimed, totalRefunded, released.
  sql`create table raise_events (
    block_number bigint not null,
    log_index integer not null,
    block_time bigint not null,
    tx_hash text collate "C" not null,
    raise text collate "C" not null,
    proposal text collate "C",
    kind text collate "C" not null check (kind in ('raise_create', 'register', 'commit', 'finalize', 'cancel_raise',
      'claim_raise', 'refund', 'reclaim_tokens', 'dissolve', 'propose', 'vote', 'execute', 'cancel_proposal')),
    wallet text collate "C" not null,
    amount numeric(78,0),
    total numeric(78,0),
    wallet_total numeric(78,0),
    participant_count bigint,
    tokens_returned numeric(78,0),
    recipient text collate "C",
    support smallint,
    for_votes numeric(78,0),
    against_votes numeric(78,0),
    abstain_votes numeric(78,0),
    primary key (block_number, log_index)
  )`,
  sql`create index raise_events_raise on raise_events (raise, kind, block_number desc, log_index desc)`,
  sql`create index raise_events_wallet on raise_events (raise, wallet, kind, block_number desc, log_index desc)`,
  sql`create index raise_events_proposal on raise_events (proposal, kind, block_number desc, log_index desc)
    where proposal is not null`,
  sql`create index raise_events_vote on raise_events (proposal, wallet) where kind = 'vote'`,

  // The terms are null until the creation is known: something done to the raise may be.
  sql`create table raises (
    id text collate "C" primary key,
    contract text collate "C" not null,
    number numeric(78,0) not null,
    creator text collate "C",
    token text collate "C",
    title text,
    metadata_uri text,
    registration_required boolean,
    registration_start bigint,
    start_at bigint,
    end_at bigint,
    quorum_bps integer,
    voting_delay bigint,
    voting_period bigint,
    token_amount numeric(78,0),
    goal_min numeric(78,0),
    goal_max numeric(78,0),
    wallet_min numeric(78,0),
    wallet_max numeric(78,0),
    created_block bigint,
    created_log integer,
    created_at bigint,
    tx_hash text collate "C",
    registered_count bigint not null default 0,
    participant_count bigint not null default 0,
    total_committed numeric(78,0) not null default 0,
    cancelled_at bigint,
    finalized_at bigint,
    dissolved_at bigint,
    last_release_at bigint,
    released numeric(78,0) not null default 0,
    refunded numeric(78,0) not null default 0,
    tokens_claimed numeric(78,0) not null default 0,
    tokens_returned numeric(78,0) not null default 0,
    tokens_reclaimed numeric(78,0) not null default 0,
    proposal_count bigint not null default 0
  ) with (fillfactor = 80)`,
  sql`create index raises_newest on raises (created_block desc, created_log desc) where created_block is not null`,
  sql`create index raises_creator on raises (creator, created_block desc, created_log desc)
    where created_block is not null`,
  sql`create index raises_token on raises (token, created_block desc, created_log desc) where created_block is not null`,
  // One for each group of statuses; the clock tells those of a group apart (see buildRaiseList).
  sql`create index raises_cancelled on raises (created_block desc, created_log desc)
    where created_block is not null and cancelled_at is not null`,
  sql`create index raises_finalized on raises (created_block desc, created_log desc)
    where created_block is not null and cancelled_at is null and finalized_at is not null and total_committed >= goal_min`,
  sql`create index raises_succeeded on raises (created_block desc, created_log desc, end_at)
    where created_block is not null and cancelled_at is null and finalized_at is null and total_committed >= goal_min`,
  sql`create index raises_failed on raises (created_block desc, created_log desc, end_at)
    where created_block is not null and cancelled_at is null and total_committed < goal_min`,
  sql`create index raises_open on raises (created_block desc, created_log desc, end_at, start_at)
    where created_block is not null and cancelled_at is null and finalized_at is null and total_committed < goal_max`,

  // state_*: the position of the last thing that the wallet did. amount is what it committed: a refund leaves it.
  sql`create table raise_commitments (
    raise text collate "C" not null,
    wallet text collate "C" not null,
    state_block bigint not null,
    state_log integer not null,
    registered boolean not null,
    amount numeric(78,0) not null,
    tokens_claimed numeric(78,0),
    refunded numeric(78,0),
    tokens_returned numeric(78,0),
    primary key (raise, wallet)
  ) with (fillfactor = 80)`,
  sql`create index raise_commitments_largest on raise_commitments (raise, amount desc, wallet desc) where amount > 0`,
  sql`create index raise_commitments_wallet on raise_commitments (wallet, state_block desc, state_log desc)`,

  sql`create table raise_proposals (
    id text collate "C" primary key,
    contract text collate "C" not null,
    number numeric(78,0) not null,
    raise text collate "C" not null,
    proposer text collate "C",
    title text,
    description_uri text,
    amount numeric(78,0),
    recipient text collate "C",
    vote_start bigint,
    vote_end bigint,
    quorum numeric(78,0),
    created_block bigint,
    created_log integer,
    created_at bigint,
    tx_hash text collate "C",
    for_votes numeric(78,0) not null default 0,
    against_votes numeric(78,0) not null default 0,
    abstain_votes numeric(78,0) not null default 0,
    voter_count bigint not null default 0,
    executed_at bigint,
    cancelled_at bigint
  ) with (fillfactor = 80)`,
  sql`create index raise_proposals_raise on raise_proposals (raise, created_block desc, created_log desc)
    where created_block is not null`,

  // What people say. With the creator in the key: after a reorg another wallet's raise may have the number.
  sql`create table raise_metadata (
    raise text collate "C" not null,
    creator text collate "C" not null,
    description text,
    image_url text,
    website text,
    twitter text,
    telegram text,
    discord text,
    featured boolean not null default false,
    updated_by text collate "C" not null,
    updated_at timestamptz not null default now(),
    primary key (raise, creator)
  )`,

  sql`create table raise_proposal_texts (
    proposal text collate "C" not null,
    proposer text collate "C" not null,
    description text not null,
    updated_at timestamptz not null default now(),
    primary key (proposal, proposer)
  )`,

  // A contract that was configured before its events were read counts as a new one: the indexer goes back for it.
  sql`update chain_state set raises = '[]'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
