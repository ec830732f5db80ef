import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { AppError, define, defineReasons } from '../../errors.ts'
import { bytes } from '../hex.ts'
import type { Database } from '../schema.ts'
import { getLaunch, type LaunchRow } from './launches.ts'
import { type AuthorColumns, enterAsWriter, joinAuthor } from './profiles.ts'

/** Alerts of a wallet, at most, with those that have triggered. */
export const MAX_ALERTS = 100

export const alertReasons = defineReasons({
  ALERT_LIMIT: define(409, (d: { maximum: number }) => `A wallet has at most ${d.maximum} alerts`, {
    maximum: MAX_ALERTS,
  }),
  OWN_TRADES_ALERT: define(409, 'A wallet cannot have an alert about its own trades'),
})

/** What the threshold of an alert is compared with: a price in native coin or US dollars, or its change in percent in a window. */
export type Measure = 'price' | 'price_usd' | 'm5' | 'h1' | 'h6' | 'h24' | 'graduation'

export interface TokenCondition {
  measure: Measure
  direction: 'above' | 'below'
  /** In the unit of the measure. */
  threshold: number
  /** The metric as the wallet wrote it: a market capitalisation is compared as a price. Null for a graduation. */
  metric: string | null
  value: number | null
}

export interface NewTokenAlert {
  wallet: string
  token: string
  conditionOf: (launch: LaunchRow) => TokenCondition
}

export interface AlertRow extends AuthorColumns {
  id: number
  measure: Measure | null
  direction: 'above' | 'below' | null
  metric: string | null
  value: number | null
  created_at: Date
  triggered_at: Date | null
  token: string | null
  token_name: string | null
  token_symbol: string | null
  token_image: string | null
  token_decimals: number | null
  trader: string | null
}

/** The checkpoint: events of later blocks trigger a new alert. By itself, because Citus inserts no row with a subquery. */
async function readCheckpoint(trx: Transaction<Database>): Promise<number> {
  const state = await trx.selectFrom('chain_state').select('checkpoint_number').executeTakeFirst()
  return state?.checkpoint_number ?? -1
}

/**
 * Adds an alert about a token, or finds the same one that waits: each would notify. Returns its id. Throws TOKEN_NOT_FOUND,
 * ALERT_LIMIT, WALLET_BANNED.
 */
export async function addTokenAlert(
  trx: Transaction<Database>,
  { wallet, token, conditionOf }: NewTokenAlert,
): Promise<number> {
  await enterAsWriter(trx, wallet, 'update')
  const launch = await getLaunch(trx, token)
  const { measure, direction, threshold, metric, value } = conditionOf(launch)
  // The row of the wallet is locked: no other request adds one meanwhile.
  const { rows: waiting } = await sql<{ id: number }>`
    select id from token_alerts where wallet = ${bytes(wallet)} and token_id = ${launch.id} and triggered_block is null
      and measure = ${measure} and direction = ${direction} and metric is not distinct from ${metric}
      and value is not distinct from ${value}
    order by id limit 1`.execute(trx)
  if (waiting[0]) return waiting[0].id
  const { rows } = await sql<{ id: number }>`
    insert into token_alerts (token_id, wallet, measure, direction, threshold, metric, value, since_block)
    values (${launch.id}, ${bytes(wallet)}, ${measure}, ${direction}, ${threshold}, ${metric}, ${value},
      ${await readCheckpoint(trx)})
    returning id`.execute(trx)
  await requireRoom(trx, wallet)
  return rows[0]!.id
}

/**
 * Adds an alert about the trades of a wallet, or finds the one that there is. Returns its id. Throws OWN_TRADES_ALERT,
 * ALERT_LIMIT, WALLET_BANNED.
 */
export async function addTradeAlert(
  trx: Transaction<Database>,
  { wallet, trader }: { wallet: string; trader: string },
): Promise<number> {
  if (wallet === trader) throw new AppError(alertReasons.OWN_TRADES_ALERT)
  await enterAsWriter(trx, wallet, 'update')
  await sql`insert into trade_alerts (trader, wallet, since_block)
    values (${bytes(trader)}, ${bytes(wallet)}, ${await readCheckpoint(trx)}) on conflict do nothing`.execute(trx)
  await requireRoom(trx, wallet)
  const { rows } = await sql<{ id: number }>`
    select id from trade_alerts where wallet = ${bytes(wallet)} and trader = ${bytes(trader)}`.execute(trx)
  return rows[0]!.id
}

/** Alerts whose launch is not on the chain now count too, because they come back with it. */
async function requireRoom(trx: Transaction<Database>, wallet: string): Promise<void> {
  const own = bytes(wallet)
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from token_alerts where wallet = ${own})
      + (select count(*) from trade_alerts where wallet = ${own}) as count`.execute(trx)
  if (rows[0]!.count > MAX_ALERTS) throw new AppError(alertReasons.ALERT_LIMIT, { maximum: MAX_ALERTS })
}

/** Deletes an alert of a wallet. Throws RESOURCE_NOT_FOUND, also for alerts of other wallets, which are private. */
export async function deleteAlert(
  trx: Transaction<Database>,
  { wallet, id }: { wallet: string; id: number },
): Promise<void> {
  await enterAsWriter(trx, wallet, 'update')
  const chosen = sql`wallet = ${bytes(wallet)} and id = ${id}::bigint returning id`
  const { rows } = await sql`
    with of_token as (delete from token_alerts where ${chosen}), of_trades as (delete from trade_alerts where ${chosen})
    select id from of_token union all select id from of_trades`.execute(trx)
  if (rows.length === 0) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Alert', id: String(id) })
}

export interface AlertListQuery {
  wallet: string
  /** The number of a launch: only alerts about it. */
  tokenId: number | null
  limit: number
  /** The id of the last row of the previous page. */
  after: number | null
}

/** A wallet's alerts, newest first. */
export async function listAlerts(db: Kysely<Database>, args: AlertListQuery): Promise<AlertRow[]> {
  const { rows } = await buildAlertList(args).execute(db)
  return rows
}

/** The alert with this id, which must be one of the wallet. */
export async function getAlert(
  db: Kysely<Database>,
  { wallet, id }: { wallet: string; id: number },
): Promise<AlertRow> {
  const { rows } = await buildAlertList({ wallet, tokenId: null, limit: 1, after: id + 1 }).execute(db)
  return rows[0]!
}

/** The statement of listAlerts, exported to test its plan. A wallet has few alerts, so all are read. */
export function buildAlertList({ wallet, tokenId, limit, after }: AlertListQuery): RawBuilder<AlertRow> {
  const own = sql`a.wallet = ${bytes(wallet)} ${after === null ? sql`` : sql`and a.id < ${after}::bigint`}`
  const trades = sql`union all
    select a.id, null, null, null, null, a.created_at, null, null, a.trader from trade_alerts a where ${own}`
  return sql<AlertRow>`
    select a.id, a.measure, a.direction, a.metric, a.value, a.created_at, a.triggered_at, t.address as token,
      t.name as token_name, t.symbol as token_symbol, m.image_url as token_image,
      t.decimals as token_decimals, w.trader, p.username, p.avatar_url
    from (
      select a.id, a.measure, a.direction, a.metric, a.value, a.created_at, a.triggered_at, a.token_id, null::bytea as trader
      from token_alerts a where ${own} ${tokenId === null ? sql`` : sql`and a.token_id = ${tokenId}`}
      ${tokenId === null ? trades : sql``}
    ) a
    left join tokens t on t.id = a.token_id
    left join token_metadata m on m.token_id = a.token_id
    cross join lateral (select '0x' || encode(a.trader, 'hex') as trader) w
    ${joinAuthor('w.trader')}
    where a.trader is not null or t.id is not null
    order by a.id desc limit ${limit}`
}
