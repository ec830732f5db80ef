import { type Kysely, sql } from 'kysely'

/*
 * What people say and do off the chain. Nothing here is touched by a reorg or by a rebuild of the derived tables, so it
 * references tokens by address and never by a foreign key.
 */
const statements = [
  // A wallet's claim to have sent an action: the second claim of the same one is a conflict.
  sql`create table claims (
    tx_hash text collate "C" not null,
    wallet text collate "C" not null,
    kind text not null,
    created_at timestamptz not null default now(),
    primary key (tx_hash, wallet, kind)
  )`,

  sql`create table token_metadata (
    token text collate "C" primary key,
    description text,
    image_url text,
    banner_url text,
    website text,
    twitter text,
    telegram text,
    discord text,
    featured boolean not null default false,
    hidden boolean not null default false,
    updated_by text collate "C" not null,
    updated_at timestamptz not null default now()
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
