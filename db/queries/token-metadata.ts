import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../schema.ts'
import { tokenId } from '../token-ids.ts'
import type { LogPosition } from './positions.ts'

/** Metadata of a token; null clears a field, undefined keeps it. */
export type MetadataChange = {
  [Column in 'description' | 'image_url' | 'banner_url' | 'website' | 'twitter' | 'telegram' | 'discord']?:
    | string
    | null
    | undefined
}

/** Metadata found through the token's URI. */
export type FoundMetadata = Omit<MetadataChange, 'banner_url'>

/** The time of the last edit of a token that was never edited; storing found metadata is not an edit. */
const NEVER = new Date(0)

interface FoundAt {
  token: string
  /** What named the metadata. */
  source: NamedBy
  found: FoundMetadata
  /** Stored values that are replaced, unless they have changed since; null: none. Missing values are set in any case. */
  replaceable: ReplaceableMetadata | null
}

/** Values that an update of the URI may replace. */
export type ReplaceableMetadata = Record<keyof FoundMetadata, string | null>

/** The values that an update of the URI may replace; null if the token was edited after `seenAt`, when the update was noticed. */
export async function findReplaceable(
  db: Kysely<Database>,
  token: string,
  seenAt: Date,
): Promise<ReplaceableMetadata | null> {
  const row = await db
    .selectFrom('token_metadata')
    .select(['description', 'website', 'twitter', 'telegram', 'discord', 'image_url', 'updated_at'])
    .where('token_id', '=', tokenId(token))
    .executeTakeFirst()
  if (!row) return { description: null, website: null, twitter: null, telegram: null, discord: null, image_url: null }
  const { updated_at: editedAt, ...values } = row
  return editedAt > seenAt ? null : values
}

/**
 * Stores the metadata found at the token's URI. Its author is the creator. Nothing is written if the token has another source by
 * now. Call it in a transaction.
 */
export async function setFoundMetadata(
  db: Kysely<Database>,
  { token, source, found, replaceable }: FoundAt,
): Promise<void> {
  const columns = Object.keys(found) as (keyof FoundMetadata)[]
  if (columns.length === 0) return
  const id = await findCurrent(db, token, source)
  if (id === undefined) return
  await db
    .insertInto('token_metadata')
    .values({
      ...{ token_id: id, ...found, updated_by: source.creator, updated_at: NEVER },
      ...countFirstImage(found.image_url),
    })
    .onConflict((conflict) =>
      conflict.column('token_id').doUpdateSet(() => {
        const values = columns.map((column) => [column, replaceValue(column, replaceable)] as const)
        const { image_url: image, ...others } = Object.fromEntries(values)
        return { ...others, ...(image && { image_url: image, ...countImage(image) }) }
      }),
    )
    .execute()
}

/** The stored value, unless there is none or it is to be replaced; else the given one. */
const replaceValue = (column: keyof FoundMetadata, replaceable: ReplaceableMetadata | null) => {
  const stored = sql.ref(`token_metadata.${column}`)
  const kept = replaceable === null ? stored : sql`nullif(${stored}, ${replaceable[column]})`
  return sql<string | null>`coalesce(${kept}, ${sql.ref(`excluded.${column}`)})`
}

/** What a new row counts. */
const countFirstImage = (image: string | null | undefined) =>
  typeof image === 'string' ? { image_changes: 1, image_changed_at: new Date() } : {}

/** What a row counts when its image is set to this one, which may be the one that it has. */
function countImage(image: RawBuilder<string | null>) {
  const isNew = sql`${image} is distinct from token_metadata.image_url`
  // The clock is that of this process, because Citus accepts no clock of the database here.
  return {
    image_changes: sql<number>`token_metadata.image_changes + (${isNew})::integer`,
    image_changed_at: sql<Date | null>`case when ${isNew} then ${new Date()}::timestamptz else token_metadata.image_changed_at end`,
  }
}

/**
 * The number of the token, if this is still what names its metadata. Others that store metadata of the token wait for the
 * transaction. By itself, because Citus inserts no row with a subquery.
 */
async function findCurrent(
  db: Kysely<Database>,
  token: string,
  { creator, uri, update }: NamedBy,
): Promise<number | undefined> {
  const launch = await db
    .selectFrom('tokens')
    .select('id')
    .where('address', '=', token)
    .where('creator', '=', creator)
    .where('metadata_uri', '=', uri)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!launch) return undefined
  const newest = (await findMetadataSource(db, token))?.update ?? null
  const isNewest = newest?.blockNumber === update?.blockNumber && newest?.logIndex === update?.logIndex
  return isNewest ? launch.id : undefined
}

/** What names a token's metadata. */
type NamedBy = Omit<MetadataSource, 'shown'>

/** Where a token's metadata is. */
export interface MetadataSource {
  creator: string
  /** The URI of the launch. */
  uri: string
  /** The creator's last update of the URI, with the URI that was read after it; null before that. */
  update: (LogPosition & { uri: string | null }) | null
  /** What the token shows now. */
  shown: { image: string | null; description: string | null }
}

/** undefined for a token that is not launched. */
export async function findMetadataSource(db: Kysely<Database>, token: string): Promise<MetadataSource | undefined> {
  const { rows } = await sql<{
    creator: string
    metadata_uri: string
    block_number: number | null
    log_index: number | null
    contract_uri: string | null
    image_url: string | null
    description: string | null
  }>`
    select t.creator, t.metadata_uri, u.block_number, u.log_index,
      case when (m.contract_uri_block, m.contract_uri_log) = (u.block_number, u.log_index) then m.contract_uri end as contract_uri,
      m.image_url, m.description
    from tokens t
    left join lateral (
      select block_number, log_index from actions where subject = t.address and type = 'update_metadata'
      order by block_number desc, log_index desc limit 1
    ) u on true
    left join token_metadata m on m.token_id = t.id
    where t.address = ${token}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { creator, metadata_uri: uri, block_number: blockNumber, log_index: logIndex } = row
  const update = blockNumber === null || logIndex === null ? null : { blockNumber, logIndex, uri: row.contract_uri }
  return { creator, uri, update, shown: { image: row.image_url, description: row.description } }
}

/** Stores the URI that was read after an update. Nothing is written if the token has another source by now. */
export async function setContractUri(
  db: Kysely<Database>,
  { token, source, at, uri }: { token: string; source: NamedBy; at: LogPosition; uri: string },
): Promise<void> {
  const id = await findCurrent(db, token, source)
  if (id === undefined) return
  const columns = { contract_uri: uri, contract_uri_block: at.blockNumber, contract_uri_log: at.logIndex }
  await db
    .insertInto('token_metadata')
    .values({ token_id: id, ...columns, updated_by: source.creator, updated_at: NEVER })
    .onConflict((conflict) => conflict.column('token_id').doUpdateSet(columns))
    .execute()
}

/** Updates the metadata of tokens, and records the author. */
export async function updateMetadata(
  db: Kysely<Database>,
  { tokens, change, wallet }: { tokens: readonly string[]; change: MetadataChange; wallet: string },
): Promise<void> {
  if (tokens.length === 0) return
  const launched = await db
    .selectFrom('tokens')
    .select('id')
    .where('address', 'in', [...tokens])
    .execute()
  // A reorg may have removed them meanwhile.
  if (launched.length === 0) return
  const changed = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const stamp = { ...changed, updated_by: wallet, updated_at: new Date() }
  const { image_url: image } = change
  const counted = image === undefined ? {} : countImage(sql<string | null>`${image}::text`)
  await db
    .insertInto('token_metadata')
    .values(launched.map(({ id }) => ({ token_id: id, ...stamp, ...countFirstImage(image) })))
    .onConflict((conflict) => conflict.column('token_id').doUpdateSet({ ...stamp, ...counted }))
    .execute()
}

/** A claimed read of a token's metadata. */
export interface MetadataRead {
  token: string
  /** Null if a reorg has removed the launch. */
  creator: string | null
  /** Until when it is claimed; names the claim, because a new request of the token changes it. */
  dueAt: Date
  /** This one included. */
  attempts: number
  /** The time of the last update of the URI; values that were edited later are kept. Null if there was none. */
  updatedAt: Date | null
}

export interface MetadataRequest {
  token: string
  /** Unix seconds of an update of the URI; Infinity for one that a reorg has just removed, null for a launch. */
  updatedAt: number | null
}

const RECENT_SECONDS = 600

/**
 * Requests reads of tokens, at once. Waits that earlier failures have set are dropped. A recent update is dated now: the
 * chain's clock and the database's differ, and an edit before the update would seem to be later, or one after it earlier.
 */
export async function requestMetadata(db: Kysely<Database>, requests: readonly MetadataRequest[]): Promise<void> {
  if (requests.length === 0) return
  const tokens = requests.map(({ token }) => token)
  const times = requests.map(({ updatedAt }) => updatedAt)
  await sql`
    insert into metadata_reads (token, updated_at)
    select token, case
      when max(updated_at) > extract(epoch from now()) - ${RECENT_SECONDS} then now() else to_timestamp(max(updated_at)) end
    from unnest(${tokens}::text[], ${times}::float8[]) as r (token, updated_at) group by token
    on conflict (token) do update set
      due_at = now(), attempts = 0, updated_at = coalesce(excluded.updated_at, metadata_reads.updated_at)`.execute(db)
}

/**
 * Claims a read that is due, for `seconds`; after that others may claim it. The latest come first: those of new launches do not
 * wait for all that a backfill has found, and none waits for repeated attempts. Tokens of the creators `except` are left out.
 */
export async function claimMetadataRead(
  db: Kysely<Database>,
  { except, seconds }: { except: readonly string[]; seconds: number },
): Promise<MetadataRead | undefined> {
  const due = (attempts: RawBuilder<unknown>) => sql`(
    select r.token, t.creator from metadata_reads r left join tokens t on t.address = r.token
    where r.due_at <= now() and r.attempts ${attempts} and (t.creator = any(${except}::text[])) is not true
    order by r.due_at desc limit 1)`
  for (;;) {
    // By itself, because Citus does not lock rows of a join with a reference table.
    const { rows: found } = await sql<{ token: string; creator: string | null }>`
      ${due(sql`= 0`)} union all ${due(sql`> 0`)} limit 1`.execute(db)
    const [next] = found
    if (!next) return undefined
    const { rows } = await sql<Omit<MetadataRead, 'creator'>>`
      update metadata_reads set due_at = now() + ${seconds} * interval '1 second', attempts = attempts + 1
      where token = ${next.token} and due_at <= now()
      returning token, due_at as "dueAt", attempts, updated_at as "updatedAt"`.execute(db)
    // Else another process was faster.
    if (rows[0]) return { ...rows[0], creator: next.creator }
  }
}

/** Ends a claimed read, unless the token was requested again meanwhile. */
export async function finishMetadataRead(db: Kysely<Database>, { token, dueAt }: MetadataRead): Promise<void> {
  await db.deleteFrom('metadata_reads').where('token', '=', token).where('due_at', '=', dueAt).execute()
}

/** Puts a claimed read off, unless the token was requested again meanwhile. */
export async function postponeMetadataRead(
  db: Kysely<Database>,
  { token, dueAt }: MetadataRead,
  seconds: number,
): Promise<void> {
  await sql`update metadata_reads set due_at = now() + ${seconds} * interval '1 second'
    where token = ${token} and due_at = ${dueAt}`.execute(db)
}
