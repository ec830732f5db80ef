import { type Kysely, sql } from 'kysely'

/*
 * Fee staking. Rows of staking_events are appended; staking_pools and staking_positions are updated in place, once per batch and
 * key. An event has the state after it, so a row has the position of the event that set it, and a later event replaces it;
 * claimed, total_paid and staker_count are sums.
 *
 * The id of a pool is <contract>-<number>: unique across contracts, and the same in every database. Rates are times 1e36.
 */

const events = sql`
  create table staking_events (
    block_number bigint not null,
    log_index integer not null,
    block_time bigint not null,
    tx_hash text collate "C" not null,
    pool text collate "C" not null,
    kind text not null check (kind in ('stake', 'unstake', 'withdraw', 'claim', 'fund')),
    wallet text collate "C" not null,
    amount numeric(78,0) not null,
    -- State of the pool after the event.
    reward_rate numeric(78,0) not null,
    reward_per_token numeric(78,0) not null,
    last_update_time bigint not null,
    period_finish bigint not null,
    total_staked numeric(78,0) not null,
    -- Of a funding only.
    total_funded numeric(78,0),
    -- State of the wallet after the event; null for a funding.
    staked numeric(78,0),
    pending_unstake numeric(78,0),
    withdrawable_at bigint,
    rewards numeric(78,0),
    primary key (block_number, log_index)
  );
  create index staking_events_pool on staking_events (pool, block_number desc, log_index desc);
  create index staking_events_position on staking_events (pool, wallet, block_number desc, log_index desc)
    where kind <> 'fund';
  create index staking_events_fund on staking_events (pool, block_number desc, log_index desc) where kind = 'fund';
  comment on table staking_events is 'Action of a wallet at a staking pool, with the state after it. Appended.';
`

const pools = sql`
  -- The terms are null until the creation is known: a later event of the pool may have been synced before it.
  create table staking_pools (
    id text collate "C" primary key,
    contract text collate "C" not null,
    number numeric(78,0) not null,
    staking_token text collate "C",
    reward_token text collate "C",
    cooldown_seconds bigint,
    period_seconds bigint,
    created_block bigint,
    created_log integer,
    created_at bigint,
    tx_hash text collate "C",
    state_block bigint,
    state_log integer,
    total_staked numeric(78,0) not null default 0,
    reward_rate numeric(78,0) not null default 0,
    reward_per_token numeric(78,0) not null default 0,
    last_update_time bigint not null default 0,
    period_finish bigint not null default 0,
    funded_block bigint,
    funded_log integer,
    total_funded numeric(78,0) not null default 0,
    total_paid numeric(78,0) not null default 0,
    staker_count bigint not null default 0
  ) with (fillfactor = 80);
  create index staking_pools_newest on staking_pools (created_block desc, created_log desc)
    where created_block is not null;
  create index staking_pools_token on staking_pools (staking_token, created_block desc, created_log desc)
    where created_block is not null;
  comment on table staking_pools is 'Staking pool. Once per batch and pool.';
`

const positions = sql`
  create table staking_positions (
    pool text collate "C" not null,
    wallet text collate "C" not null,
    state_block bigint not null,
    state_log integer not null,
    staked numeric(78,0) not null,
    pending_unstake numeric(78,0) not null,
    withdrawable_at bigint not null,
    rewards numeric(78,0) not null,
    reward_per_token_paid numeric(78,0) not null,
    claimed numeric(78,0) not null default 0,
    primary key (pool, wallet)
  ) with (fillfactor = 80);
  create index staking_positions_wallet on staking_positions (wallet, state_block desc, state_log desc);
  create index staking_positions_stakers on staking_positions (pool, staked desc, wallet) where staked > 0;
  comment on table staking_positions is 'Stake of a wallet in a pool. Once per batch and pair.';
`

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of [events, pools, positions]) await part.execute(db)
}
