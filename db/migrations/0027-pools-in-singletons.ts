import { type Kysely, sql } from 'kysely'

/* Pools of Uniswap V4 are in one contract. */

// One statement at a time: on Citus, they are sent as prepared statements.
const statements = [
  sql`
  alter table tokens add column pool_manager text collate "C", add column pool_native boolean not null default false`,
  sql`
  comment on column tokens.pool_manager is
    'Contract that holds its pool, which then has an id of 32 bytes, and the tokens in it. Null: the pool is a contract.'`,
  sql`
  comment on column tokens.pool_native is 'Whether the pool holds the native coin itself; elsewhere it is wrapped.'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
