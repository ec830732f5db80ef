import { type Kysely, sql } from 'kysely'

/*
 * After a reorg the id of a raise or proposal may belong to another creation of the same wallet, so the texts name the transaction of
 * theirs. The keys stay: processes of the version before upsert by them until they are replaced. Their rows lack the transaction,
 * and belong to whatever the wallet has created with that id.
 */

// One statement at a time: on Citus, they are sent as prepared statements.
const statements = [
  sql`alter table raise_metadata add column tx_hash text collate "C"`,
  sql`alter table raise_proposal_texts add column tx_hash text collate "C"`,
  sql`update raise_metadata m set tx_hash = r.tx_hash from raises r where r.id = m.raise and r.creator = m.creator`,
  sql`update raise_proposal_texts d set tx_hash = p.tx_hash from raise_proposals p where p.id = d.proposal and p.proposer = d.proposer`,
  ...['raise_metadata', 'raise_proposal_texts'].map(
    (table) =>
      sql`comment on column ${sql.ref(`${table}.tx_hash`)} is 'Of the creation; null: any creation of the wallet with this id.'`,
  ),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
