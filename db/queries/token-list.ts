import { type Kysely, type RawBuilder, sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import { isBefore } from './positions.ts'
import { selectTokens, type TokenRow } from './tokens.ts'

export type TokenSort = 'trending' | 'newest' | 'mcap' | 'volume' | 'curve' | 'graduated'

/** The sort key of a row as text, and what tells rows of the same key apart. */
export type TokenKeyset = readonly [key: string, token: string]

/** A row of the list, with its place in it. */
export type ListedToken = TokenRow & { keyset_first: string; keyset_second: string }

interface Order {
  /** As the partial index of this order says it, or the planner would not see that they match. */
  where: RawBuilder<unknown>
  first: string
  second: string
  /** Type of the first key; `position` orders by a block and a log index, both falling. */
  type: 'double precision' | 'numeric' | 'position'
}

const listed = sql`launched and not hidden`
const orders: Record<TokenSort, Order> = {
  trending: { where: listed, first: 'trend', second: 'token', type: 'double precision' },
  newest: { where: listed, first: 'created_block', second: 'created_log', type: 'position' },
  mcap: { where: listed, first: 'market_cap', second: 'token', type: 'numeric' },
  volume: { where: listed, first: 'volume_h24', second: 'token', type: 'numeric' },
  curve: { where: sql`${listed} and status <> 'graduated'`, first: 'progress', second: 'token', type: 'numeric' },
  graduated: {
    where: sql`${listed} and status = 'graduated'`,
    first: 'graduated_block',
    second: 'graduated_log',
    type: 'position',
  },
}

/** Rows of the page that clients read who name no limit, and the one after it. Its statements are prepared. */
const USUAL_LIMIT = 21

export interface TokenListArgs {
  sort: TokenSort
  limit: number
  offset?: number
  after?: TokenKeyset | null
}

/** Tokens that are not hidden, in an order that an index keeps: reading a page costs its rows, not the table's. */
export async function listTokens(db: Kysely<Database>, args: TokenListArgs): Promise<ListedToken[]> {
  const statement = buildTokenList(args)
  const { rows } = await (isUsual(args) ? prepared(statement) : statement).execute(db)
  return rows
}

const isUsual = ({ limit, offset = 0 }: TokenListArgs) => limit === USUAL_LIMIT && offset === 0

/** The statement of listTokens, apart so that its plan can be tested. */
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
  return sql`(
    select * from token_figures where ${order.where} and ${isBefore(position, order.first, order.second)}
    order by ${orderBy(order)} limit ${limit} offset ${offset}
  )`
}

/**
 * Goes on within the rows of the same key, then with the smaller keys. As one condition this would walk all rows of the
 * key from their first on, and most tokens share the volume 0.
 */
function continueTies(order: Order, [key, token]: TokenKeyset, limit: RawBuilder<unknown>): RawBuilder<unknown> {
  const first = sql.ref(order.first)
  // As a number, so that a key that no float can hold is read as the nearest one instead of refused by the database.
  const last = order.type === 'numeric' ? sql`${key}::numeric` : sql`${Number(key)}::double precision`
  return sql`(
    (select * from token_figures where ${order.where} and ${first} = ${last} and token > ${token}
      order by token limit ${limit})
    union all
    (select * from token_figures where ${order.where} and ${first} < ${last}
      order by ${orderBy(order)} limit ${limit})
    order by ${orderBy(order)} limit ${limit}
  )`
}

/** How many tokens the list of this order holds, over all its pages. */
export async function countTokens(db: Kysely<Database>, sort: TokenSort): Promise<number> {
  const { rows } = await prepared(sql<{ total: number; graduated: number; hidden: number; hidden_graduated: number }>`
    select p.tokens_total as total, p.tokens_graduated as graduated, h.hidden, h.hidden_graduated
    from platform_figures p
    cross join (
      select count(*) as hidden, count(*) filter (where status = 'graduated') as hidden_graduated
      from token_figures where launched and hidden
    ) h`).execute(db)
  const { total, graduated, hidden, hidden_graduated } = rows[0] as (typeof rows)[number]
  if (sort === 'graduated') return graduated - hidden_graduated
  if (sort === 'curve') return total - hidden - (graduated - hidden_graduated)
  return total - hidden
}
