import { CompiledQuery, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { arrayLiteral } from '../bulk.ts'
import type { Database } from '../schema.ts'

/** Any fixed number will do; it is another one than apply's and the leader's. */
const OUTBOX_LOCK = '7308339912'

/** What one announcement says, before it has a place in the order. */
export interface NewEvent {
  /** One to four names without spaces. */
  rooms: readonly string[]
  type: string
  /** JSON, as it will be read by everybody: see records/. */
  data: string
}

export interface OutboxEvent extends NewEvent {
  seq: number
}

/**
 * Announces events: they are heard after the transaction commits, or never. Call it last: the lock that it takes is held
 * until the commit, so whatever still waits for a row after it may wait for somebody who waits for this lock.
 *
 * What must hold: the order of seq is the order of commits. A serial column alone does not give that: numbers are drawn while
 * transactions run, so one that drew 5 may commit after one that drew 6, and a reader that has seen 6 and goes on from there
 * never sees 5. Here a number is only drawn under a lock that is freed by the commit (or rollback) itself. So when anybody
 * draws a number, everything below it has been committed or has been given up, and a reader that has seen some number
 * has seen all below it that will ever be. Numbers may be missing (those of a rollback), but none comes late.
 */
export async function announce(trx: Transaction<Database>, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  // A statement of its own: the next one's snapshot, and its numbers, must come after the lock was had.
  await sql`select pg_advisory_xact_lock(${OUTBOX_LOCK}::bigint)`.execute(trx)
  const columns = [
    (event: NewEvent) => event.rooms.join(' '),
    (event: NewEvent) => event.type,
    (event: NewEvent) => event.data,
  ]
  await trx.executeQuery(
    CompiledQuery.raw(
      `insert into outbox (rooms, type, data)
      select string_to_array(rooms, ' '), type, data
      from unnest($1::text[], $2::text[], $3::text[]) with ordinality as e (rooms, type, data, n) order by n`,
      columns.map((value) => arrayLiteral({ type: 'text', value }, events)),
    ),
  )
}

/** Events after one, in order. Whoever has the last of them has all that were committed before it. */
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

/** Where the outbox stands. */
export interface OutboxState {
  /** Names the database among others that use the same Redis. */
  channel: string
  /** All events up to here have been trimmed. */
  trimmed: number
  /** The last event there is, or was; 0 before the first. */
  last: number
}

/** undefined for a database that has no outbox. */
export async function findOutboxState(db: Kysely<Database>): Promise<OutboxState | undefined> {
  const { rows } = await sql<OutboxState>`
    select channel, trimmed, greatest(trimmed, (select max(seq) from outbox)) as last from outbox_state`.execute(db)
  return rows[0]
}

export interface ReplayQuery {
  room: string
  since: number
  limit: number
}

/**
 * A room's events after `since`, oldest first, and whether these are all: false when some after `since` may have been trimmed,
 * or when there never was such a seq here, as after the database was put back to an earlier state.
 */
export async function replayRoom(
  db: Kysely<Database>,
  query: ReplayQuery,
): Promise<{ events: OutboxEvent[]; complete: boolean }> {
  // One statement and so one snapshot: what is trimmed meanwhile is either read, or known to be gone.
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

/** The statement that reads a room, apart so that its plan can be tested. */
export function buildReplay({ room, since, limit }: ReplayQuery): RawBuilder<OutboxEvent> {
  const places = [1, 2, 3, 4].map(
    (place) => sql`(select seq, rooms, type, data from outbox
      where rooms[${sql.lit(place)}] = ${room} and seq > ${since}::bigint order by seq limit ${limit})`,
  )
  return sql<OutboxEvent>`select * from (${sql.join(places, sql` union all `)}) places order by seq limit ${limit}`
}

const TRIM_CHUNK = 5_000

/**
 * Deletes events older than that many seconds. Reads only what it deletes, from the oldest on: times rise with seq, because both are
 * taken under the lock of the writers. Answers how many are gone.
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
