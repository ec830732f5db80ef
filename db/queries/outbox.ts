import { CompiledQuery, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { toArray } from '../bulk.ts'
import type { Database } from '../schema.ts'

/** Key of the advisory lock; not that of apply or of the leader. */
const OUTBOX_LOCK = '7308339912'

/** The PostgreSQL notification channel: every commit with events sends the last sequence number. */
export const OUTBOX_CHANNEL = 'slipway_outbox'

/** A live event before it has a sequence number. */
export interface NewEvent {
  /** One to four names without spaces. */
  rooms: readonly string[]
  type: string
  /** JSON, as subscribers receive it: see records/. */
  data: string
}

export interface OutboxEvent extends NewEvent {
  seq: number
}

/**
 * Writes live events to the outbox; they are delivered after the commit. Returns the last sequence number. Call it
 * last: it takes a lock that is held until the commit, and waiting for another row after it can deadlock.
 *
 * Invariant: seq follows the order of commits. A serial column alone does not ensure that, because a transaction may
 * draw 5 and commit after another has drawn 6: a reader past 6 would miss 5. Here numbers are drawn under a lock that
 * the commit or rollback frees, so a reader that has seen a number has seen all below it. Numbers may be missing after
 * a rollback, but none arrives late.
 */
export async function enqueueEvents(trx: Transaction<Database>, events: readonly NewEvent[]): Promise<number> {
  if (events.length === 0) return 0
  // A separate statement: the snapshot and the numbers of the next one must be taken under the lock.
  await sql`select pg_advisory_xact_lock(${OUTBOX_LOCK}::bigint)`.execute(trx)
  const columns = [
    (event: NewEvent) => event.rooms.join(' '),
    (event: NewEvent) => event.type,
    (event: NewEvent) => event.data,
  ]
  const { rows } = await trx.executeQuery<{ last: number }>(
    CompiledQuery.raw(
      `with inserted as (
        insert into outbox (rooms, type, data)
        select string_to_array(rooms, ' '), type, data
        from unnest($1::text[], $2::text[], $3::text[]) with ordinality as e (rooms, type, data, n) order by n
        returning seq
      ), newest as (select max(seq) as last from inserted)
      select last, pg_notify('${OUTBOX_CHANNEL}', last::text) from newest`,
      columns.map((value) => toArray({ type: 'text', value }, events)),
    ),
  )
  return rows[0]?.last ?? 0
}

/**
 * Deletes the events of these channels that contain the comments, so that no replay returns their texts: those of the comments, and of
 * notifications about them. Returns the ids of the comments that had one of their own. Call it before enqueueEvents. Numbers may be
 * missing, as after a rollback.
 */
export async function deleteCommentEvents(
  trx: Transaction<Database>,
  { ids, channels }: { ids: readonly string[]; channels: readonly string[] },
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ type: string; id: string }>`
    delete from outbox where rooms[1] = any(${channels}::text[]) and case
        when type = 'comment' then data::json->>'id'
        when type = 'notification' and data::json->>'type' in ('comment', 'reply', 'comment_like') then data::json->>'subject'
      end = any(${ids}::text[])
    returning type, data::json->>'id' as id`.execute(trx)
  return new Set(rows.filter(({ type }) => type === 'comment').map(({ id }) => id))
}

/** When the oldest event was written; undefined without events. */
export async function findOldestEventTime(trx: Transaction<Database>): Promise<Date | undefined> {
  const oldest = await trx.selectFrom('outbox').select('created_at').orderBy('seq').limit(1).executeTakeFirst()
  return oldest?.created_at
}

/** Type of the outbox rows that say which data a commit changed. No client can subscribe to their channel. */
export const DATA_CHANGED = 'data.changed'

/** Type of the outbox rows that say that events before them were never sent. No client can subscribe to their channel. */
export const EVENTS_MISSING = 'events.missing'

/** Makes every replay from before this incomplete, and lets all processes tell their subscribers to read the state again. */
export async function enqueueMissingEvents(trx: Transaction<Database>): Promise<void> {
  const seq = await enqueueEvents(trx, [{ rooms: ['data'], type: EVENTS_MISSING, data: 'null' }])
  await sql`update outbox_state set trimmed = greatest(trimmed, ${seq}::bigint)`.execute(trx)
}

/** Numbers of tokens whose figures a transaction changes, or all of them. */
export type ChangedTokens = readonly number[] | 'all'

/**
 * The row that says which cache tags of lib/cache/data-versions.ts a transaction changes, and which figures of tokens. Earlier
 * versions read an array of tags, and keep an element that is none without effect.
 */
export const toChangeEvent = (cacheTags: readonly string[], tokens: ChangedTokens = []): NewEvent => ({
  rooms: ['data'],
  type: DATA_CHANGED,
  data: JSON.stringify(tokens.length > 0 ? [...cacheTags, { tokens }] : cacheTags),
})

/** The inverse of toChangeEvent, of the row's data. */
export function readChange(data: string): { cacheTags: string[]; tokens: ChangedTokens } {
  const cacheTags: string[] = []
  let tokens: ChangedTokens = []
  for (const part of JSON.parse(data) as (string | { tokens: ChangedTokens })[]) {
    if (typeof part === 'string') cacheTags.push(part)
    else tokens = part.tokens
  }
  return { cacheTags, tokens }
}

/** A commit, by the number of its last event. */
export interface LaterChange {
  seq: number
  cacheTags: string[]
  tokens: ChangedTokens
}

/**
 * The changes of data after a sequence number, and the last commit. Numbers follow the order of commits, so a snapshot has all commits
 * up to the last one and no later one.
 */
export async function listLaterChanges(
  db: Kysely<Database>,
  after: number,
): Promise<{ last: number; changes: LaterChange[] }> {
  const { rows } = await sql<{ last: number; seq: number | null; data: string }>`
    select greatest(s.trimmed, (select max(seq) from outbox), ${after}::bigint) as last, e.seq, e.data
    from outbox_state s
    left join (select seq, data from outbox where seq > ${after}::bigint and type = ${DATA_CHANGED}) e on true
    order by e.seq`.execute(db)
  const changes = rows.flatMap(({ seq, data }) => (seq === null ? [] : [{ seq, ...readChange(data) }]))
  return { last: rows[0]?.last ?? after, changes }
}

/** Events after a sequence number, in order. All below the last one returned are committed. */
export async function listEvents(
  db: Kysely<Database>,
  { after, limit }: { after: number; limit: number },
): Promise<OutboxEvent[]> {
  return await db
    .selectFrom('outbox')
    .select(['seq', 'rooms', 'type', 'data'])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** The range of the outbox. */
export interface OutboxState {
  /** The Redis channel of this database; several databases may share one Redis. */
  channel: string
  /** All events up to here have been trimmed. */
  trimmed: number
  /** The last event, trimmed or not; 0 before the first. */
  last: number
}

/** undefined for a database that has no outbox. */
export async function findOutboxState(db: Kysely<Database>): Promise<OutboxState | undefined> {
  const { rows } = await sql<OutboxState>`
    select channel, trimmed, greatest(trimmed, (select max(seq) from outbox)) as last from outbox_state`.execute(db)
  return rows[0]
}

/**
 * The timeline of the primary, which rises when a replica is promoted; null on a replica, and where it is unknown. A promoted replica
 * may lack the last commits of the former primary.
 */
export async function findTimeline(db: Kysely<Database>): Promise<number | null> {
  const { rows } = await sql<{ timeline: number | null }>`
    select case when not pg_is_in_recovery()
      then ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`.execute(db)
  return rows[0]?.timeline ?? null
}

/**
 * Ends the history of a former primary of which this process knows events up to `known`: some may be missing here, and their numbers may
 * be used again. Later events get higher numbers, and a replay after `known` or earlier is incomplete. Returns the number after
 * which all events are of this history.
 */
export async function endHistory(db: Kysely<Database>, known: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${OUTBOX_LOCK}::bigint)`.execute(trx)
    const { rows } = await sql<{ trimmed: number }>`
      update outbox_state set trimmed = greatest(trimmed, ${known}::bigint + 1) returning trimmed`.execute(trx)
    const trimmed = rows[0]?.trimmed ?? known
    await sql`select setval(s, greatest(nextval(s), ${trimmed}::bigint))
      from (select pg_get_serial_sequence('outbox', 'seq')::regclass as s) sequence`.execute(trx)
    return trimmed
  })
}

/** Gives a copied database a channel of its own. One that was migrated here has it. */
export async function nameChannel(db: Kysely<Database>): Promise<void> {
  await sql`update outbox_state set channel = gen_random_uuid()::text where channel = ''`.execute(db)
}

export interface ReplayQuery {
  channel: string
  since: number
  limit: number
}

/**
 * A channel's events after `since`, oldest first. complete: false if some may have been trimmed, or if `since` is
 * unknown here, as after a restore of the database.
 */
export async function replayChannel(
  db: Kysely<Database>,
  query: ReplayQuery,
): Promise<{ events: OutboxEvent[]; complete: boolean }> {
  // One statement, so one snapshot: events trimmed meanwhile are either returned or known to be trimmed.
  const { rows } = await sql<OutboxEvent & { seq: number | null; complete: boolean }>`
    select e.seq, e.rooms, e.type, e.data,
      ${query.since}::bigint between s.trimmed and greatest(s.trimmed, (select max(seq) from outbox)) as complete
    from outbox_state s left join (${buildReplay(query)}) e on true
    order by e.seq`.execute(db)
  const events = rows.filter(({ seq }) => seq !== null)
  return {
    events: events.map(({ seq, rooms, type, data }) => ({ seq, rooms, type, data })),
    complete: rows[0]?.complete ?? false,
  }
}

/** The statement of replayChannel, exported to test its plan. */
export function buildReplay({ channel, since, limit }: ReplayQuery): RawBuilder<OutboxEvent> {
  const places = [1, 2, 3, 4].map(
    (place) => sql`(select seq, rooms, type, data from outbox
      where rooms[${sql.lit(place)}] = ${channel} and seq > ${since}::bigint order by seq limit ${limit})`,
  )
  return sql<OutboxEvent>`select * from (${sql.join(places, sql` union all `)}) places order by seq limit ${limit}`
}

const TRIM_CHUNK = 5_000

/**
 * Deletes events older than a number of seconds. Reads only what it deletes, oldest first: created_at rises with seq,
 * because both are taken under the lock. Returns the number of deleted events.
 */
export async function trimOutbox(db: Kysely<Database>, retentionSeconds: number): Promise<number> {
  for (let deleted = 0; ; ) {
    const { rows } = await sql<{ deleted: number }>`
      with gone as (
        delete from outbox where seq = any(array(
          select seq from (select seq, created_at from outbox order by seq limit ${TRIM_CHUNK}) oldest
          where created_at < clock_timestamp() - make_interval(secs => ${retentionSeconds})
        )) returning seq
      ), mark as (
        update outbox_state set trimmed = greatest(trimmed, (select max(seq) from gone))
        where exists (select from gone)
      )
      select count(*) as deleted from gone`.execute(db)
    const chunk = rows[0]?.deleted ?? 0
    deleted += chunk
    if (chunk < TRIM_CHUNK) return deleted
  }
}
