import { type Kysely, sql } from 'kysely'

/*
 * What is left to read of the documents that tokens name, so that no read has to ask for it, and attempts survive a restart. Of an
 * older database these are the tokens that lack an image or a description.
 */
const statements = [
  sql`create table metadata_reads (
    token text collate "C" primary key,
    due_at timestamptz(3) not null default now(),
    attempts smallint not null default 0,
    updated_at timestamptz(3)
  )`,
  sql`create index metadata_reads_due on metadata_reads (due_at)`,
  sql`comment on table metadata_reads is
    'Token whose metadata is to be read. With its launch or an update of its URI; deleted when it was read.'`,
  sql`insert into metadata_reads (token)
    select t.address from tokens t left join token_metadata m on m.token = t.address and m.creation = t.creation
    where t.metadata_uri <> '' and (m.image_url is null or m.description is null)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
