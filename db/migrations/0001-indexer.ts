import { type Kysely, sql } from 'kysely'

/*
 * The state of the indexer, and the tables that all of its modules write: blocks with their raw logs, and actions.
 *
 * Conventions of the tables that are derived from the chain:
 * - A position on the chain is (block_number, log_index). It is unique because one branch is stored at a time, and it only
 *   rises, so appended rows go to the right edge of their indexes.
 * - Times of the chain are unix seconds. Amounts are base units.
 * - Addresses and hashes are lower-case hex. They are bytea in the partitioned tables. Elsewhere they are text, which is
 *   collated "C": compared byte by byte, whatever the locale of the database.
 * - A table with one row has the primary key `id boolean default true check (id)`.
 */

const state = sql`
  create table chain_state (
    id boolean primary key default true check (id),

    chain_id bigint not null,
    genesis_hash text collate "C" not null,
    native_symbol text not null default 'ETH',
    wrapped_native text collate "C" not null,
    -- The indexed contracts of each module.
    contracts jsonb not null,
    -- Version of the rules that the derived tables were made by. The indexer rebuilds them if its own are newer.
    rules integer not null default 0,
    -- Width of a partition in blocks, which never changes. The default is for a chain whose block time is unknown.
    block_partition bigint not null default 1048576,

    -- The last applied block.
    checkpoint_number bigint not null,
    checkpoint_hash text collate "C",
    checkpoint_time bigint not null,
    -- Time of the newest block that was seen. Sliding windows end there, so figures depend on the chain alone.
    clock_time bigint not null,
    head_number bigint not null,
    head_time bigint not null,
    finalized_number bigint not null,
    quote_usd numeric(38,8),

    -- Why the indexer has stopped, if it has.
    halted text,
    reorgs bigint not null default 0,
    -- A receipt sync reads from the node before it takes the apply lock, and compares the count under the lock: an undo
    -- in between may have removed an event that its transaction depends on.
    undo_count bigint not null default 0,
    -- Start, height and dropped indexes of a bulk load in progress: see db/bulk-load.ts.
    bulk_load jsonb,
    -- Progress of the recovery of logs that earlier versions lost: see indexer/engine/recover-logs.ts.
    recovery jsonb,
    -- Blocks that were read in ranges, and are not yet proven by their receipts.
    unproven int8multirange not null default '{}',
    proofs text not null default 'on' check (proofs in ('on', 'off', 'unsupported')),

    updated_at timestamptz not null default now()
  );
  comment on table chain_state is 'Checkpoint and contracts of the indexed chain (one row). Once per batch.';
`

const lease = sql`
  -- Times are by the clock of the database. token rises with every new holder, and each transaction of an indexer locks the
  -- row with its own token for key share. Because token is unique, a change of it waits for these transactions; a
  -- heartbeat leaves it alone and does not wait.
  create table indexer_lease (
    id boolean primary key default true check (id),
    token bigint not null unique default 0,
    holder text collate "C",
    backend_pid integer,
    heartbeat_at timestamptz,
    expires_at timestamptz not null default '-infinity'
  );
  insert into indexer_lease default values;
  comment on table indexer_lease is 'The active indexer (one row). Every 2 s.';
`

const blocks = sql`
  create table blocks (
    number bigint not null,
    time bigint not null,
    log_count integer not null default 0,
    hash bytea not null,
    parent_hash bytea,
    quote_usd numeric(38,8),
    logs bytea,
    primary key (number)
  ) partition by range (number);
  -- The logs are compressed already.
  alter table blocks alter column logs set storage external;
  create index blocks_time on blocks (time);
  comment on table blocks is
    'Block that has logs of indexed contracts, or is not final. Appended; logs packed and compressed.';

  create view readable_blocks as
    select number, '0x' || encode(hash, 'hex') as hash, '0x' || encode(parent_hash, 'hex') as parent_hash, time, quote_usd,
      log_count, coalesce(length(logs), 0) as log_bytes
    from blocks;
  comment on view readable_blocks is 'Row of \`blocks\` with text instead of numbers and bytes. A view, for psql.';
`

const actions = sql`
  create table actions (
    block_number bigint not null,
    block_time bigint not null,
    log_index integer not null,
    type text not null,
    subject text collate "C" not null,
    wallet bytea not null,
    tx_hash bytea not null,
    data jsonb not null default '{}',
    primary key (subject, block_number, log_index)
  ) partition by range (block_number);
  create index actions_position on actions (block_number, log_index);
  create index actions_wallet on actions (wallet, block_number desc, log_index desc);
  create index actions_type on actions (type, block_number desc, log_index desc);
  create index actions_tx_hash on actions using hash (tx_hash);
  create index actions_proposal on actions ((data->>'proposal'), block_number desc, log_index desc)
    where data->>'proposal' is not null;
  comment on table actions is
    'On-chain action of a wallet other than a trade, such as a launch or a stake. Appended.';

  create view readable_actions as
    select block_number, log_index, block_time, '0x' || encode(tx_hash, 'hex') as tx_hash, type,
      '0x' || encode(wallet, 'hex') as wallet, subject, data
    from actions;
  comment on view readable_actions is 'Row of \`actions\` with text instead of numbers and bytes. A view, for psql.';
`

/*
 * Creates the missing partitions for these heights and times, and the next ones when a sixteenth of the last is left. The
 * caller holds the apply lock. A partition is created first and then attached, which blocks neither readers nor writers of
 * the others. Those of candles take 30 days.
 */
const partitions = sql`
  create function make_partitions(heights bigint[], times bigint[]) returns void language plpgsql as $$
    declare
      blocks_width bigint := coalesce((select block_partition from chain_state), 1048576);
      part record;
      child text;
    begin
      for part in
        select distinct on (w.parent, v.start) w.parent, w.options, v.start, v.start + w.width as stop
        from (values
          ('blocks', blocks_width, heights, ''), ('trades', blocks_width, heights, ''), ('actions', blocks_width, heights, ''),
          ('candles', 2592000::bigint, times, 'with (fillfactor = 90)')
        ) as w (parent, width, given, options)
        cross join lateral (
          select x - mod(mod(x, w.width) + w.width, w.width) as start
          from (select unnest(w.given) as x union all select max(x) + w.width / 16 from unnest(w.given) x) needed
          where x is not null
        ) v
      loop
        child := part.parent || '_from_' || replace(part.start::text, '-', 'minus_');
        continue when to_regclass(child) is not null;
        execute format('create table %I (like %I including defaults including constraints including storage) %s',
          child, part.parent, part.options);
        execute format('alter table %I attach partition %I for values from (%s) to (%s)',
          part.parent, child, part.start, part.stop);
      end loop;
    end $$;
`

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of [state, lease, blocks, actions, partitions]) await part.execute(db)
}
