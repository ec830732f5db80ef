import { type Kysely, sql } from 'kysely'

/*
 * Raises and their governance. Rows of raise_events are appended; raises, raise_commitments and raise_proposals are computed
 * from them for each key that a batch or a reorg touches. An event has the sums after it, so the latest event of a kind
 * replaces those before it; only tokens_returned, tokens_reclaimed, proposal_count and voter_count are sums of rows.
 *
 * The id of a raise or proposal is <contract>-<number>: unique across contracts, and the same in every database. States that
 * depend on the clock are not stored: see raiseStatusAt and proposalStateAt.
 */

const events = sql`
  create table raise_events (
    block_number bigint not null,
    log_index integer not null,
    block_time bigint not null,
    tx_hash text collate "C" not null,
    raise text collate "C" not null,
    proposal text collate "C",
    kind text collate "C" not null check (kind in ('raise_create', 'register', 'commit', 'finalize', 'cancel_raise',
      'claim_raise', 'refund', 'reclaim_tokens', 'dissolve', 'propose', 'vote', 'exit', 'execute', 'cancel_proposal')),
    wallet text collate "C" not null,
    -- The amount that moved, or the weight of a vote.
    amount numeric(78,0),
    -- Sums after the event: of its kind, and of the wallet.
    total numeric(78,0),
    wallet_total numeric(78,0),
    participant_count bigint,
    tokens_returned numeric(78,0),
    tokens_given_up numeric(78,0),
    exited_weight numeric(78,0),
    recipient text collate "C",
    support smallint,
    for_votes numeric(78,0),
    against_votes numeric(78,0),
    abstain_votes numeric(78,0),
    primary key (block_number, log_index)
  );
  create index raise_events_raise on raise_events (raise, kind, block_number desc, log_index desc);
  create index raise_events_wallet on raise_events (raise, wallet, kind, block_number desc, log_index desc);
  create index raise_events_proposal on raise_events (proposal, kind, block_number desc, log_index desc)
    where proposal is not null;
  create index raise_events_vote on raise_events (proposal, wallet) where kind = 'vote';
  comment on table raise_events is 'Action of a wallet at a raise, with the sums after it. Appended.';
`

const raises = sql`
  -- The terms are null until the creation is known: a later event of the raise may have been synced before it.
  create table raises (
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
    token_amount numeric(78,0),
    goal_min numeric(78,0),
    goal_max numeric(78,0),
    wallet_min numeric(78,0),
    wallet_max numeric(78,0),
    quorum_bps integer,
    voting_delay bigint,
    voting_period bigint,
    exit_window bigint,
    release_period bigint,
    release_bps integer,
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
    exited_weight numeric(78,0) not null default 0,
    exited_amount numeric(78,0) not null default 0,
    tokens_claimed numeric(78,0) not null default 0,
    tokens_returned numeric(78,0) not null default 0,
    tokens_reclaimed numeric(78,0) not null default 0,
    proposal_count bigint not null default 0
  ) with (fillfactor = 80);
  create index raises_newest on raises (created_block desc, created_log desc) where created_block is not null;
  create index raises_creator on raises (creator, created_block desc, created_log desc) where created_block is not null;
  create index raises_token on raises (token, created_block desc, created_log desc) where created_block is not null;
  comment on table raises is 'Raise. Once per batch and raise.';

  -- An index for each group of statuses. The clock tells the statuses of a group apart (see buildRaiseList).
  create index raises_cancelled on raises (created_block desc, created_log desc)
    where created_block is not null and cancelled_at is not null;
  create index raises_finalized on raises (created_block desc, created_log desc)
    where created_block is not null and cancelled_at is null and finalized_at is not null and total_committed >= goal_min;
  create index raises_succeeded on raises (created_block desc, created_log desc, end_at)
    where created_block is not null and cancelled_at is null and finalized_at is null and total_committed >= goal_min;
  create index raises_failed on raises (created_block desc, created_log desc, end_at)
    where created_block is not null and cancelled_at is null and total_committed < goal_min;
  create index raises_open on raises (created_block desc, created_log desc, end_at, start_at)
    where created_block is not null and cancelled_at is null and finalized_at is null and total_committed < goal_max;
  -- Counts the open ones. A range, because lists of them must be read in the order of raises_open, not by times. A raise that
  -- ends before it starts gets an empty range, where PostgreSQL would fail, and so is never open.
  create index raises_running on raises using gist (int8range(start_at, greatest(start_at, end_at)))
    where created_block is not null and cancelled_at is null and finalized_at is null and total_committed < goal_max;
`

/*
 * The sums of all raises, kept by triggers in the transaction of what they count, so that no statement can omit them. The number
 * of open raises depends on the clock, and is counted by raises_running when it is read.
 */
const figures = sql`
  create table raise_figures (
    id boolean primary key default true check (id),
    total bigint not null,
    proposals bigint not null,
    committed numeric(78,0) not null,
    released numeric(78,0) not null,
    refunded numeric(78,0) not null
  ) with (fillfactor = 50);
  insert into raise_figures (total, proposals, committed, released, refunded) values (0, 0, 0, 0, 0);
  comment on table raise_figures is 'All raises together (one row). By triggers, with every write to \`raises\`.';

  create function count_raises() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        update raise_figures f set total = f.total - e.total, proposals = f.proposals - e.proposals,
          committed = f.committed - e.committed, released = f.released - e.released, refunded = f.refunded - e.refunded
        from (select count(*) as total, coalesce(sum(proposal_count), 0) as proposals,
          coalesce(sum(total_committed), 0) as committed, coalesce(sum(released), 0) as released,
          coalesce(sum(refunded), 0) as refunded from before where created_block is not null) e where e.total > 0;
      end if;
      if tg_op <> 'DELETE' then
        update raise_figures f set total = f.total + e.total, proposals = f.proposals + e.proposals,
          committed = f.committed + e.committed, released = f.released + e.released, refunded = f.refunded + e.refunded
        from (select count(*) as total, coalesce(sum(proposal_count), 0) as proposals,
          coalesce(sum(total_committed), 0) as committed, coalesce(sum(released), 0) as released,
          coalesce(sum(refunded), 0) as refunded from after where created_block is not null) e where e.total > 0;
      end if;
      return null;
    end $$;
  create trigger count_raises_added after insert on raises referencing new table as after
    for each statement execute function count_raises();
  create trigger count_raises_changed after update on raises referencing old table as before new table as after
    for each statement execute function count_raises();
  create trigger count_raises_gone after delete on raises referencing old table as before
    for each statement execute function count_raises();
`

const commitments = sql`
  -- amount is what the wallet committed; a refund leaves it. state_block and state_log: position of the wallet's last event.
  create table raise_commitments (
    raise text collate "C" not null,
    wallet text collate "C" not null,
    state_block bigint not null,
    state_log integer not null,
    registered boolean not null,
    amount numeric(78,0) not null,
    refunded numeric(78,0),
    exited_amount numeric(78,0),
    tokens_claimed numeric(78,0),
    tokens_returned numeric(78,0),
    tokens_given_up numeric(78,0),
    primary key (raise, wallet)
  ) with (fillfactor = 80);
  create index raise_commitments_largest on raise_commitments (raise, amount desc, wallet desc) where amount > 0;
  create index raise_commitments_wallet on raise_commitments (wallet, state_block desc, state_log desc);
  comment on table raise_commitments is 'Commitment of a wallet to a raise. Once per batch and pair.';
`

const proposals = sql`
  create table raise_proposals (
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
    executable_at bigint,
    expires_at bigint,
    quorum numeric(78,0),
    total_weight numeric(78,0),
    created_block bigint,
    created_log integer,
    created_at bigint,
    tx_hash text collate "C",

    for_votes numeric(78,0) not null default 0,
    against_votes numeric(78,0) not null default 0,
    abstain_votes numeric(78,0) not null default 0,
    voter_count bigint not null default 0,
    executed_at bigint,
    executed_amount numeric(78,0),
    cancelled_at bigint
  ) with (fillfactor = 80);
  create index raise_proposals_raise on raise_proposals (raise, created_block desc, created_log desc)
    where created_block is not null;
  comment on table raise_proposals is 'Proposal in a raise. Once per batch and proposal.';

  -- An index for each state. Every committer may propose without a limit: without these indexes a list would read thousands of
  -- failed proposals to find one that passed. Those still in a vote are found by its end.
  create index raise_proposals_voting on raise_proposals (raise, vote_end)
    where created_block is not null and executed_at is null and cancelled_at is null;
  create index raise_proposals_passed on raise_proposals (raise, created_block desc, created_log desc)
    where created_block is not null and executed_at is null and cancelled_at is null
      and for_votes + abstain_votes >= quorum and for_votes > against_votes;
  create index raise_proposals_failing on raise_proposals (raise, created_block desc, created_log desc)
    where created_block is not null and executed_at is null and cancelled_at is null
      and not (for_votes + abstain_votes >= quorum and for_votes > against_votes);
  create index raise_proposals_executed on raise_proposals (raise, created_block desc, created_log desc)
    where created_block is not null and executed_at is not null;
  create index raise_proposals_cancelled on raise_proposals (raise, created_block desc, created_log desc)
    where created_block is not null and executed_at is null and cancelled_at is not null;
  -- Votes that passed and can still be executed. Each batch looks here for those whose end it must notify of.
  create index raise_proposals_leaving on raise_proposals (expires_at)
    where created_block is not null and executed_at is null and cancelled_at is null
      and for_votes + abstain_votes >= quorum and for_votes > against_votes
      and executable_at > vote_end and for_votes < total_weight;
`

/*
 * What users write. The author is part of the key, because after a reorg another wallet's raise or proposal may have the number.
 */
const texts = sql`
  create table raise_metadata (
    raise text collate "C" not null,
    creator text collate "C" not null,
    description text,
    image_url text,
    website text,
    twitter text,
    telegram text,
    discord text,
    featured boolean not null default false,
    -- The creator's last edit of the texts. updated_at also changes when the raise is featured.
    described_at timestamptz(3),
    updated_by text collate "C" not null,
    updated_at timestamptz not null default now(),
    primary key (raise, creator)
  );
  comment on table raise_metadata is 'Texts, pictures, links and flags of a raise. Per request.';

  create table raise_proposal_texts (
    proposal text collate "C" not null,
    proposer text collate "C" not null,
    description text not null,
    updated_at timestamptz not null default now(),
    primary key (proposal, proposer)
  );
  comment on table raise_proposal_texts is 'Text of a proposal in a raise. Per request.';
`

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of [events, raises, figures, commitments, proposals, texts]) await part.execute(db)
}
