import { type Kysely, type RawBuilder, sql } from 'kysely'
import { prepared } from '../postgres/prepared.ts'
import type { Database } from '../schema.ts'
import { isBefore } from './positions.ts'
import { readTokens, type StoredToken, selectTokens } from './tokens.ts'

export type TokenSort = 'trending' | 'newest' | 'mcap' | 'volume' | 'curve' | 'graduated'

/** The sort key of a row and its tie-breaker as text. */
export type TokenKeyset = readonly [key: string, tie: string]

/** A row with its position in the list. */
export type ListedToken = StoredToken & { keyset_first: string; keyset_second: string }

interface Order {
  /** The predicate of the order's partial index, without which the planner would not use it. */
  where: RawBuilder<unknown>
  first: string
  second: string
  /** Type of the first key; `position` orders by block and log index, both descending. */
  type: 'double precision' | 'numeric' | 'position'
}

const listed = sql`not hidden`
const orders: Record<TokenSort, Order> = {
  trending: { where: listed, first: 'trend', second: 'token_id', type: 'double precision' },
  newest: { where: listed, first: 'created_block', second: 'created_log', type: 'position' },
  mcap: { where: listed, first: 'market_cap', second: 'token_id', type: 'numeric' },
  volume: { where: listed, first: 'volume_h24', second: 'token_id', type: 'numeric' },
  curve: { where: sql`${listed} and status <> 'graduated'`, first: 'progress', second: 'token_id', type: 'numeric' },
  graduated: {
    where: sql`${listed} and status = 'graduated'`,
    first: 'graduated_block',
    second: 'graduated_log',
    type: 'position',
  },
}

/** The default page size plus one. Its statements are prepared. */
const USUAL_LIMIT = 21

export interface TokenListArgs {
  sort: TokenSort
  limit: number
  offset?: number
  after?: TokenKeyset | null
}

/** Visible tokens in an order with an index: a page costs its rows, whatever the size of the table. */
export async function listTokens(db: Kysely<Database>, args: TokenListArgs): Promise<ListedToken[]> {
  const statement = buildTokenList(args)
  return readTokens(db, (isUsual(args) ? prepared(statement) : statement).execute(db))
}

const isUsual = ({ limit, offset = 0 }: TokenListArgs) => limit === USUAL_LIMIT && offset === 0

/** The statement of listTokens, exported to test its plan. */
export function buildTokenList(args: TokenListArgs): RawBuilder<ListedToken> {
  const { sort, limit, offset = 0, after = null } = args
  const order = orders[sort]
  const rows = isUsual(args) ? sql.lit(limit) : sql`${limit}`
  const skipped = isUsual(args) ? sql.lit(offset) : sql`${offset}`
  const source =
    after && order.type !== 'position' ? continueTies(order, after, rows) : start(order, after, rows, skipped)
  const places = sql`f.${sql.ref(order.first)}::text as keyset_first, f.${sql.ref(order.second)}::text as keyset_second`
  return selectTokens(source, orderBy(order, 'f.'), places) as RawBuilder<ListedToken>
}

function orderBy({ first, second, type }: Order, alias = ''): RawBuilder<unknown> {
  const name = (column: string) => sql.ref(`${alias}${column}`)
  return type === 'position'
    ? sql`${name(first)} desc, ${name(second)} desc`
    : sql`${name(first)} desc, ${name(second)}`
}

function start(
  order: Order,
  after: TokenKeyset | null,
  limit: RawBuilder<unknown>,
  offset: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const position = after && ([Number(after[0]), Number(after[1])] as const)
  return sql`
    select token_id from token_figures where ${order.where} and ${isBefore(position, order.first, order.second)}
    order by ${orderBy(order)} limit ${limit} offset ${offset}`
}

/** The largest integer of PostgreSQL. Citus fails if it compares a column with a larger number. */
const MAX_INTEGER = 2_147_483_647

/**
 * Continues within rows of the same key, then with smaller keys. A single condition would scan all rows of the key from
 * the first, and most tokens share the volume 0.
 */
function continueTies(order: Order, [key, id]: TokenKeyset, limit: RawBuilder<unknown>): RawBuilder<unknown> {
  const first = sql.ref(order.first)
  // Cast to a number: a key that no float can hold becomes the nearest one, where the database would reject it.
  const last = order.type === 'numeric' ? sql`${key}::numeric` : sql`${Number(key)}::double precision`
  return sql`
    select token_id from (
      (select token_id, ${first} from token_figures where ${order.where} and ${first} = ${last} and token_id > least(${id}::bigint, ${MAX_INTEGER})::integer
        order by token_id limit ${limit})
      union all
      (select token_id, ${first} from token_figures where ${order.where} and ${first} < ${last}
        order by ${orderBy(order)} limit ${limit})
    ) pages order by ${orderBy(order)} limit ${limit}`
}

/** The visible ones of the tokens with these numbers, in this order, with their numbers. */
export async function listTokensByNumber(
  db: Kysely<Database>,
  ids: readonly number[],
): Promise<(StoredToken & { id: number })[]> {
  if (ids.length === 0) return []
  const given = sql`${[...ids]}::integer[]`
  const order = sql`array_position(${given}, f.token_id)`
  const statement = selectTokens(sql`select unnest(${given})`, order, sql`f.token_id as id`) as RawBuilder<
    StoredToken & { id: number }
  >
  const rows = await readTokens(db, prepared(statement).execute(db))
  return rows.filter(({ hidden }) => !hidden)
}

/** The number of tokens in the list of this order. */
export async function countTokens(db: Kysely<Database>, sort: TokenSort): Promise<number> {
  const { rows } = await prepared(sql<{ total: number; graduated: number; hidden: number; hidden_graduated: number }>`
    select p.tokens_total as total, p.tokens_graduated as graduated, h.hidden, h.hidden_graduated
    from platform_figures p
    cross join (
      select count(*) as hidden, count(*) filter (where status = 'graduated') as hidden_graduated
      from token_figures where hidden
    ) h`).execute(db)
  const { total, graduated, hidden, hidden_graduated } = rows[0] as (typeof rows)[number]
  if (sort === 'graduated') return graduated - hidden_graduated
  if (sort === 'curve') return total - hidden - (graduated - hidden_graduated)
  return total - hidden
}
