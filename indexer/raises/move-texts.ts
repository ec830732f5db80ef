import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import { ofKind, type RaiseChainEvent } from './events.ts'

/*
 * The contract numbers raises and proposals in the order in which they are mined, so after a reorg the same creation may have another
 * id, and its id another creation. So an undo moves the texts of creations from their ids to keys of the creations, and the texts
 * return when the same transaction creates the same again. A proposal to another raise is another one, also with the same number.
 */

interface TextTarget {
  /** Rows of the table `created` of these ids. Its columns `author` and `terms` tell creations of a transaction apart. */
  creations: (ids: readonly string[]) => RawBuilder<unknown>
  table: 'raise_metadata' | 'raise_proposal_texts'
  id: 'raise' | 'proposal'
  author: 'creator' | 'proposer'
}

// start_at and the times of votes may depend on the block.
const ofRaises: TextTarget = {
  ...{ table: 'raise_metadata', id: 'raise', author: 'creator' },
  creations: (ids) => sql`
    select id, contract, tx_hash, created_log, creator as author,
      jsonb_build_array(token, title, metadata_uri, registration_required, registration_start, end_at, token_amount,
        goal_min, goal_max, wallet_min, wallet_max, quorum_bps, voting_delay, voting_period) as terms
    from raises where id = any(${ids}::text[])`,
}

const ofProposals: TextTarget = {
  ...{ table: 'raise_proposal_texts', id: 'proposal', author: 'proposer' },
  creations: (ids) => sql`
    select p.id, p.contract, p.tx_hash, p.created_log, p.proposer as author,
      jsonb_build_array(p.raise, r.tx_hash, p.title, p.description_uri, p.amount, p.recipient) as terms
    from raise_proposals p left join raises r on r.id = p.raise where p.id = any(${ids}::text[])`,
}

/** With a number for creations of one transaction that are equal. All of them are in one batch. */
const withKeys = ({ creations }: TextTarget, ids: readonly string[]) => sql`(
  select id, tx_hash, author, concat_ws('/', 'orphaned', tx_hash, md5(terms::text),
    row_number() over (partition by contract, tx_hash, author, terms order by created_log)) as creation
  from (${creations(ids)}) created where tx_hash is not null) c`

type Place = 'id' | 'creation'

async function move(trx: Transaction<Database>, target: TextTarget, ids: readonly string[], from: Place, to: Place) {
  if (ids.length === 0) return
  const { table, id, author } = target
  const isOf = (row: string, place: Place) => sql`${sql.ref(`${row}.${id}`)} = ${sql.ref(`c.${place}`)}
    and ${sql.ref(`${row}.${author}`)} = c.author`
  // Without a transaction, the text is of whatever the wallet has created with the id.
  const isMoved = sql`${isOf('source', from)} and (source.tx_hash is null or source.tx_hash = c.tx_hash)`
  // Processes of the version before may have left another text there.
  await sql`delete from ${sql.table(table)} target using ${withKeys(target, ids)}, ${sql.table(table)} source
    where ${isMoved} and ${isOf('target', to)}`.execute(trx)
  await sql`update ${sql.table(table)} source set ${sql.ref(id)} = ${sql.ref(`c.${to}`)}, tx_hash = c.tx_hash
    from ${withKeys(target, ids)} where ${isMoved}`.execute(trx)
}

const createdRaises = (events: readonly RaiseChainEvent[]) => ofKind(events, 'raise_create').map(({ raise }) => raise)

const createdProposals = (events: readonly RaiseChainEvent[]) =>
  ofKind(events, 'propose').flatMap(({ proposal }) => proposal ?? [])

/** Keeps the texts of creations that are about to be undone. */
export async function keepTexts(trx: Transaction<Database>, undone: readonly RaiseChainEvent[]): Promise<void> {
  await move(trx, ofProposals, createdProposals(undone), 'id', 'creation')
  await move(trx, ofRaises, createdRaises(undone), 'id', 'creation')
}

/** Gives texts back to creations that are stored again. */
export async function restoreTexts(trx: Transaction<Database>, applied: readonly RaiseChainEvent[]): Promise<void> {
  await move(trx, ofRaises, createdRaises(applied), 'creation', 'id')
  await move(trx, ofProposals, createdProposals(applied), 'creation', 'id')
}
