import { type Kysely, type RawBuilder, sql } from 'kysely'
import { executeSpread } from '../citus/execute-spread.ts'
import { columnToBytes, columnToHex } from '../hex.ts'
import type { Database } from '../schema.ts'
import { joinChainState } from './chain-state.ts'
import { MAX_FOLLOWING } from './follows.ts'
import { isBefore } from './positions.ts'
import { joinAuthor } from './profiles.ts'
import { type QuoteAssetRow, quoteOf } from './quote-assets.ts'
import { sideOf } from './trade-columns.ts'

/** An item of the feed. Chain columns are null for a comment; trade columns are null for all but trades. */
export interface FeedRow {
  type: 'launch' | 'graduation' | 'trade' | 'comment'
  happened_at: Date
  block_number: number | null
  log_index: number | null
  tx_hash: string | null
  confirmed: boolean
  actor: string
  username: string | null
  avatar_url: string | null
  token: string
  name: string
  symbol: string
  image_url: string | null
  decimals: number
  side: 'buy' | 'sell' | null
  token_amount: string | null
  quote_amount: string | null
  value_usd: string | null
  /** Symbol of the native coin. */
  native_symbol: string
  /** null: the native coin. */
  quote: QuoteAssetRow | null
  comment_id: number | null
  body: string | null
}

/** The last positions on the chain and in the comments (milliseconds, id); null at the start. */
export type FeedKeyset = readonly [
  block: number | null,
  log: number | null,
  milliseconds: number | null,
  comment: number | null,
]

export interface FeedQuery {
  /** Only items of the wallets that this one follows; null: all items. */
  follower: string | null
  limit: number
  after: FeedKeyset | null
}

/**
 * The feed, newest first. No table holds it: launches, graduations, trades and comments are each read from their own
 * index, up to the limit, and merged. Each source has its own position, so no item is lost or repeated between pages.
 */
export async function listFeed(db: Kysely<Database>, args: FeedQuery): Promise<FeedRow[]> {
  if (args.follower === null) return (await buildFeed(args).execute(db)).rows
  return executeSpread(db, buildFeed(args), () => buildSpreadFeed(args))
}

/** The statement of listFeed, exported to test its plan. */
export const buildFeed = (query: FeedQuery): RawBuilder<FeedRow> =>
  selectFeed(query, (parts) => (query.follower === null ? ofAllWallets(parts) : ofFollowed(parts, query.follower)))

/** The same in Citus, where each server looks for the trades of all followed wallets at once. */
const buildSpreadFeed = (query: FeedQuery): RawBuilder<FeedRow> =>
  selectFeed(query, (parts) => ofFollowedAtOnce(parts, query.follower ?? ''))

function selectFeed({ limit, after }: FeedQuery, select: (parts: Parts) => RawBuilder<unknown>): RawBuilder<FeedRow> {
  const [block, log, milliseconds, comment] = after ?? [null, null, null, null]
  const position = block === null || log === null ? null : ([block, log] as const)
  const isEarlier =
    milliseconds === null || comment === null
      ? sql`true`
      : sql`(c.created_at, c.id) < (${new Date(milliseconds)}::timestamptz, ${comment}::bigint)`
  const parts: Parts = {
    ofChain: sql`${isBefore(position, 'a.block_number', 'a.log_index')}`,
    ofComments: isEarlier,
    chainOrder: sql`order by a.block_number desc, a.log_index desc limit ${limit}`,
    commentOrder: sql`order by c.created_at desc, c.id desc limit ${limit}`,
  }
  const order = (alias: string) => {
    const column = (name: string) => sql.ref(`${alias}${name}`)
    return sql`${column('happened_at')} desc, ${column('block_number')} desc nulls last,
      ${column('log_index')} desc nulls last, ${column('comment_id')} desc nulls last`
  }
  const source = select(parts)
  return sql<FeedRow>`
    select e.type, e.happened_at, e.block_number, e.log_index, e.tx_hash, e.actor, t.address as token, e.side, e.token_amount,
      e.quote_amount, e.value_usd, e.comment_id, e.body, t.name, t.symbol, t.decimals, m.image_url, p.username, p.avatar_url,
      coalesce(e.block_number <= s.finalized_number, false) as confirmed, s.native_symbol,
      ${quoteOf('t.quote_token')} as quote
    from (${source} order by ${order('')} limit ${limit}) e
    join tokens t on t.id = e.token_id
    left join token_metadata m on m.token_id = e.token_id
    ${joinAuthor('e.actor')}
    ${joinChainState}
    order by ${order('e.')}`
}

interface Parts {
  ofChain: RawBuilder<unknown>
  ofComments: RawBuilder<unknown>
  chainOrder: RawBuilder<unknown>
  commentOrder: RawBuilder<unknown>
}

// All kinds select the same columns, to be merged.
const actionColumns = (type: 'launch' | 'graduation', actor: RawBuilder<unknown>) => sql`
  select ${sql.lit(type)} as type, to_timestamp(a.block_time) as happened_at, a.block_number, a.log_index, a.tx_hash,
    ${actor} as actor, k.id as token_id, null as side, null::numeric as token_amount, null::numeric as quote_amount,
    null::numeric as value_usd, null::bigint as comment_id, null as body from actions a
  cross join lateral (select id, creator from tokens where address = a.subject limit 1) k`
const tradeColumns = sql`
  select 'trade', to_timestamp(a.block_time), a.block_number, a.log_index, a.tx_hash, ${columnToHex('a.trader')},
    a.token_id, ${sideOf('a')}, a.token_amount, a.quote_amount, a.value_usd, null::bigint, null from trades a`
const commentColumns = sql`
  select 'comment', c.created_at, null::bigint, null::integer, null::bytea, c.author, c.token_id, null, null::numeric,
    null::numeric, null::numeric, c.id, c.body from comments c`
/** Hidden tokens have an index. A join with all others would be one with rows of other servers in Citus. */
const isListed = (tokenId: string) => sql`${sql.ref(tokenId)} not in (select token_id from token_figures where hidden)`

/**
 * Launches, graduations and comments of all wallets, and trades worth at least one native coin, the conditions of partial indexes.
 */
const ofAllWallets = ({ ofChain, ofComments, chainOrder, commentOrder }: Parts) => sql`
  (${actionColumns('launch', columnToHex('a.wallet'))} 
    where ${isListed('k.id')} and a.type = 'create' and ${ofChain} ${chainOrder})
  union all
  (${actionColumns('graduation', sql`k.creator`)} 
    where ${isListed('k.id')} and a.type = 'graduate' and ${ofChain} ${chainOrder})
  union all
  (${tradeColumns} where ${isListed('a.token_id')} and a.quote_amount >= 1000000000000000000 and a.value_native is null
    and ${ofChain} ${chainOrder})
  union all
  (${tradeColumns} where ${isListed('a.token_id')} and a.value_native >= 1000000000000000000 and ${ofChain} ${chainOrder})
  union all
  (${commentColumns} where ${isListed('c.token_id')} and c.visible and ${ofComments} ${commentOrder})`

/** The latest launches, trades of any size and comments of each followed wallet. */
const ofFollowed = ({ ofChain, ofComments, chainOrder, commentOrder }: Parts, follower: string) => sql`
  select e.* from (select followee from follows where follower = ${follower} limit ${MAX_FOLLOWING}) w
  cross join lateral (
    (${actionColumns('launch', columnToHex('a.wallet'))} 
      where ${isListed('k.id')} and a.wallet = ${columnToBytes('w.followee')} and a.type = 'create' and ${ofChain} ${chainOrder})
    union all
    (${tradeColumns} where ${isListed('a.token_id')} and a.trader = ${columnToBytes('w.followee')} and ${ofChain} ${chainOrder})
    union all
    (${commentColumns} where ${isListed('c.token_id')} and c.author = w.followee and c.visible and ${ofComments} ${commentOrder})
  ) e`

const ofFollowedAtOnce = ({ ofChain, ofComments, chainOrder, commentOrder }: Parts, follower: string) => {
  const followed = sql`select followee from follows where follower = ${follower} limit ${MAX_FOLLOWING}`
  const bytes = sql`select ${columnToBytes('w.followee')} from (${followed}) w`
  return sql`
    (${actionColumns('launch', columnToHex('a.wallet'))}
      where ${isListed('k.id')} and a.wallet in (${bytes}) and a.type = 'create' and ${ofChain} ${chainOrder})
    union all
    (${tradeColumns} where ${isListed('a.token_id')} and a.trader in (${bytes}) and ${ofChain} ${chainOrder})
    union all
    (${commentColumns} where ${isListed('c.token_id')} and c.author in (${followed}) and c.visible and ${ofComments} ${commentOrder})`
}
