import { type Kysely, sql } from 'kysely'

/*
 * The other tables with rows of events of a token have its number first in their key, as trades do, and wallets in bytes. Both are
 * small: their rows are converted in place.
 */

const poolStates = sql`
  alter table pool_states rename to pool_states_in_text;
  alter table pool_states_in_text rename constraint pool_states_pkey to pool_states_in_text_pkey;

  create table pool_states (
    block_number bigint not null,
    token_id integer not null,
    log_index integer not null,
    price double precision,
    price_usd double precision,
    pool_quote numeric(78,0) not null,
    pool_token numeric(78,0) not null,
    primary key (token_id, block_number, log_index)
  );
  insert into pool_states (token_id, block_number, log_index, pool_quote, pool_token, price, price_usd)
    select t.id, s.block_number, s.log_index, s.pool_quote, s.pool_token, s.price, s.price_usd
    from pool_states_in_text s join tokens t on t.address = s.token;
  drop table pool_states_in_text;
  create index pool_states_position on pool_states (block_number, log_index);
  comment on table pool_states is 'Change of the reserves of a pool other than by a swap. Appended.';

  create view readable_pool_states as
    select s.block_number, s.log_index, k.address as token, s.pool_quote, s.pool_token, s.price, s.price_usd
    from pool_states s left join tokens k on k.id = s.token_id;
  comment on view readable_pool_states is 'Row of \`pool_states\` with text instead of numbers and bytes. A view, for psql.';
`

const feeShares = sql`
  alter table fee_shares rename to fee_shares_in_text;
  alter table fee_shares_in_text rename constraint fee_shares_pkey to fee_shares_in_text_pkey;

  -- From this position on. A token without rows gives its creator fees to its creator.
  create table fee_shares (
    block_number bigint not null,
    token_id integer not null,
    log_index integer not null,
    bps integer not null,
    position smallint not null,
    owner bytea not null,
    recipient bytea not null,
    primary key (token_id, block_number, log_index, position)
  );
  insert into fee_shares (token_id, block_number, log_index, position, owner, recipient, bps)
    select t.id, s.block_number, s.log_index, s.position, decode(substr(s.owner, 3), 'hex'), decode(substr(s.recipient, 3), 'hex'),
      s.bps
    from fee_shares_in_text s join tokens t on t.address = s.token;
  drop table fee_shares_in_text;
  create index fee_shares_block on fee_shares (block_number);
  create index fee_shares_owner on fee_shares (owner);
  create index fee_shares_recipient on fee_shares (recipient);
  comment on table fee_shares is
    'Share of a recipient in the creator fees of a token, from a split or transfer of the right on. Appended.';

  create view readable_fee_shares as
    select k.address as token, s.block_number, s.log_index, s.position, '0x' || encode(s.owner, 'hex') as owner,
      '0x' || encode(s.recipient, 'hex') as recipient, s.bps
    from fee_shares s left join tokens k on k.id = s.token_id;
  comment on view readable_fee_shares is 'Row of \`fee_shares\` with text instead of numbers and bytes. A view, for psql.';
`

export async function up(db: Kysely<unknown>): Promise<void> {
  await poolStates.execute(db)
  await feeShares.execute(db)
}
