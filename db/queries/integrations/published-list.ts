import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../schema.ts'

/** An entry of a published list. Hidden tokens stay, because the list's version is derived from its rows. */
export interface ListedRow {
  address: string
  name: string
  symbol: string
  decimals: number
  image_url: string | null
  hidden: boolean
  /** Unix seconds at which it joined the list. */
  since: number
  /** Numbers of times it was hidden and unhidden, and the time of the last change. */
  hides: number
  shows: number
  visibility_changed_at: Date | null
  /** Number of changes of its image, and the time of the last one. */
  image_changes: number
  image_changed_at: Date | null
}

export interface PublishedListArgs {
  /** Graduated tokens only, or all launched tokens. */
  include: 'graduated' | 'all'
  limit: number
  offset: number
}

/**
 * Tokens in the order in which they joined the list, which only grows at its end, by final tokens. Each half of the source
 * is either read from its index in this order or small.
 */
export async function listPublished(db: Kysely<Database>, args: PublishedListArgs): Promise<ListedRow[]> {
  const { rows } = await buildPublishedList(args).execute(db)
  return rows
}

/** The statement of listPublished, exported to test its plan. */
export function buildPublishedList({ include, limit, offset }: PublishedListArgs): RawBuilder<ListedRow> {
  const came = include === 'graduated' ? 'graduated' : 'created'
  const [block, log] = [sql.ref(`${came}_block`), sql.ref(`${came}_log`)]
  const status = include === 'graduated' ? sql`and status = 'graduated'` : sql``
  const isFinal = sql`${block} <= (select finalized_number from chain_state limit 1)`
  const columns = sql`token_id, hidden, graduated_at, ${block} as block, ${log} as log`
  return sql<ListedRow>`
    select t.address, t.name, t.symbol, t.decimals, m.image_url, f.hidden,
      ${include === 'graduated' ? sql`coalesce(f.graduated_at, t.block_time)` : sql`t.block_time`} as since,
      coalesce(v.hides, 0) as hides, coalesce(v.shows, 0) as shows, v.changed_at as visibility_changed_at,
      coalesce(m.image_changes, 0) as image_changes, m.image_changed_at
    from (
      (select ${columns} from token_figures where not hidden ${status} and ${isFinal}
        order by ${block}, ${log} limit ${limit + offset})
      union all
      (select ${columns} from token_figures where hidden ${status} and ${isFinal})
      order by block, log limit ${limit} offset ${offset}
    ) f
    join tokens t on t.id = f.token_id
    left join token_metadata m on m.token_id = f.token_id
    left join (
      select subject, count(*) filter (where action = 'token.hide') as hides,
        count(*) filter (where action = 'token.unhide') as shows, max(created_at) as changed_at
      from (
        select subject, action, created_at, lag(action, 1, 'token.unhide') over (partition by subject order by id) as before
        from audit_log where action in ('token.hide', 'token.unhide')
      ) each
      where action <> before
      group by subject
    ) v on v.subject = t.address
    order by f.block, f.log`
}
