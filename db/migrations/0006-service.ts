import { type Kysely, sql } from 'kysely'

/*
 * What the service needs beside the data that it serves: live events, sign-in, claims of receipt syncs, and background work.
 */

const outbox = sql`
  -- rooms: the channels of an event. Each place in the list has its own B-tree, so that the events that a reader missed are read
  -- in order; a GIN index would collect all events of the channel and sort them. A place that few events use costs little.
  create table outbox (
    seq bigint generated always as identity primary key,
    rooms text[] collate "C" not null check (cardinality(rooms) between 1 and 4),
    type text not null,
    data text not null,
    created_at timestamptz(3) not null default clock_timestamp()
  );
  create index outbox_room_1 on outbox ((rooms[1]), seq) where rooms[1] is not null;
  create index outbox_room_2 on outbox ((rooms[2]), seq) where rooms[2] is not null;
  create index outbox_room_3 on outbox ((rooms[3]), seq) where rooms[3] is not null;
  create index outbox_room_4 on outbox ((rooms[4]), seq) where rooms[4] is not null;
  comment on table outbox is 'Live event. Appended; trimmed after an hour; not changed by a rebuild.';

  -- channel: identifies this database among those whose services share a Redis. trimmed: events up to here were deleted.
  create table outbox_state (
    id boolean primary key default true check (id),
    channel text not null default gen_random_uuid()::text,
    trimmed bigint not null default 0
  );
  insert into outbox_state default values;
  comment on table outbox_state is 'Last number of the outbox (one row). With every event.';
`

const requests = sql`
  -- A second claim of the same kind is a conflict.
  create table claims (
    tx_hash text collate "C" not null,
    wallet text collate "C" not null,
    kind text not null,
    created_at timestamptz not null default now(),
    primary key (tx_hash, wallet, kind)
  );
  comment on table claims is 'Receipt sync of a transaction by a wallet. Per request.';

  -- The cache has them, too, and may lose them.
  create table revoked_tokens (
    jti text collate "C" primary key,
    expires_at timestamptz not null
  );
  create index revoked_tokens_expiry on revoked_tokens (expires_at);
  comment on table revoked_tokens is
    'Sign-in token that was logged out, until it expires. On logout; trimmed by the active indexer.';
`

const work = sql`
  -- Stored, so that attempts survive a restart and no read of a token has to look for missing metadata.
  create table metadata_reads (
    token text collate "C" primary key,
    due_at timestamptz(3) not null default now(),
    attempts smallint not null default 0,
    updated_at timestamptz(3)
  );
  create index metadata_reads_due on metadata_reads (due_at);
  comment on table metadata_reads is
    'Token whose metadata is to be read. With its launch or an update of its URI; deleted when it was read.';

  -- No replica decodes such an image again with the same decoders.
  create table failed_images (
    id text collate "C" primary key,
    decoders text not null,
    reason text not null,
    failed_at timestamptz not null default now()
  );
  create index failed_images_age on failed_images (failed_at);
  comment on table failed_images is 'Image that crashed its decoder, to prevent retries. When it crashes.';
`

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of [outbox, requests, work]) await part.execute(db)
}
