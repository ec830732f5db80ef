import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import type { Parent } from './tables.ts'

/** A file of an archive. */
export interface Part {
  name: string
  rows: number
  bytes: number
  sha256: string
  /** The key of its last row. */
  last: number[]
}

/** A partition, with its row of `archives` if it has one. */
export interface Entry {
  name: string
  parent: Parent
  first: number
  stop: number
  state: 'live' | 'writing' | 'archived'
  isThinned: boolean
  location: string | null
  parts: Part[]
  manifestSha256: string | null
  rows: number | null
}

interface EntryRow extends Omit<Entry, 'isThinned' | 'manifestSha256'> {
  is_thinned: boolean
  manifest_sha256: string | null
}

/** The partitions of both tables, oldest first. */
export async function listEntries(db: Db): Promise<Entry[]> {
  const { rows } = await sql<EntryRow>`
    select c.relname as name, p.relname as parent, b.first, b.stop, coalesce(a.state, 'live') as state,
      coalesce(a.is_thinned, false) as is_thinned, a.location, coalesce(a.parts, '[]') as parts, a.manifest_sha256,
      a.row_count as rows
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    cross join lateral (
      select m[1]::bigint as first, m[2]::bigint as stop
      from regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''?(-?\\d+)''?\\) TO \\(''?(-?\\d+)''?\\)') m
    ) b
    left join archives a on a.partition = c.relname
    where p.relname in ('trades', 'candles') and p.relnamespace = current_schema()::regnamespace and p.relkind = 'p'
    order by p.relname desc, b.first`.execute(db)
  return rows.map(({ is_thinned, manifest_sha256, ...row }) => ({
    ...row,
    isThinned: is_thinned,
    manifestSha256: manifest_sha256,
  }))
}

/** Records a change of an entry. */
export async function saveEntry(
  db: Db,
  { name, parent, first, stop }: Pick<Entry, 'name' | 'parent' | 'first' | 'stop'>,
  change: Readonly<Record<string, unknown>>,
): Promise<void> {
  await sql`insert into archives (partition, parent, first, stop, state) values (${name}, ${parent}, ${first}, ${stop}, 'live')
    on conflict do nothing`.execute(db)
  const set: RawBuilder<unknown>[] = Object.entries(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  await sql`update archives set ${sql.join(set)}, changed_at = now() where partition = ${name}`.execute(db)
}
