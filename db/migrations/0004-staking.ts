import { type Kysely, sql } from 'kysely'

/*
 * Fee staking. staking_events is appended to; staking_pools and staking_positions are what the events leave, updated in
 * place once a batch and key. An event carries the state after it, so a row carries the position of the event that set it,
 * and a later event wins; claimed, total_paid and staker_count are sums.
 *
 * A pool's id is `<contract>-<number>`: unique over contracts, and equal in every deployment of the service. Rates are times 1e36.
 */
const statements = [
  // What wallets did: the columns after total_staked are the account's state after it, and null for a funding, but for
  // total_funded, which only a funding tells.
  sql`create table staking_events (
    block_number bigint not null,
    log_index integer not null,
    block_time bigint not null,
    tx_hash text collate "C" not null,
    pool text collate "C" not null,
    kind text not null check (kind in ('stake', 'unstake', 'withdraw', 'claim', 'fund')),
    wallet text collate "C" not null,
    amount numeric(78,0) not null,
    reward_rate numeric(78,0) not null,
    reward_per_token numeric(78,0) not null,
    last_update_time bigint not null,
    period_finish bigint not null,
    total_staked numeric(78,0) not null,
    total_funded numeric(78,0),
    staked numeric(78,0),
    pending_unstake numeric(78,0),
    withdrawable_at bigint,
    rewards numeric(78,0),
    primary key (block_number, log_index)
  )`,
  sql`create index staking_events_pool on staking_events (pool, block_number desc, log_index desc)`,
  sql`create index staking_events_position on staking_events (pool, wallet, block_number desc, log_index desc)
    where kind <> 'fund'`,
  sql`create index staking_events_fund on staking_events (pool, block_number desc, log_index desc) where kind = 'fund'`,

  // The terms are null until the pool's creation is known: something done to it may be.
  sql`create table staking_pools (
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
  ) with (fillfactor = 80)`,
  sql`create index staking_pools_newest on staking_pools (created_block desc, created_log desc)
    where created_block is not null`,
  sql`create index staking_pools_token on staking_pools (staking_token, created_block desc, created_log desc)
    where created_block is not null`,

  sql`create table staking_positions (
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
  ) with (fillfactor = 80)`,
  sql`create index staking_positions_wallet on staking_positions (wallet, state_block desc, state_log desc)`,
  sql`create index staking_positions_stakers on staking_positions (pool, staked desc, wallet) where staked > 0`,

  // A contract that was configured before its events were read counts as a new one: the indexer goes back for it.
  sql`update chain_state set staking = '[]'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
