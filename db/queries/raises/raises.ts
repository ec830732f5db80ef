import { type Kysely, type RawBuilder, sql, type Updateable } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { Database } from '../../schema.ts'
import { joinChainState } from '../chain-state.ts'
import { isBefore, type LogPosition, type PositionKeyset, positionTable } from '../positions.ts'

/** The inputs of a raise's status and of a commitment's value. Amounts in base units, times in unix seconds. */
export interface RaiseState {
  registration_required: boolean
  registration_start: number
  start_at: number
  end_at: number
  token_amount: string
  goal_min: string
  goal_max: string
  total_committed: string
  cancelled_at: number | null
  finalized_at: number | null
  dissolved_at: number | null
  released: string
  exited_weight: string
  exited_amount: string
  /** Time of the newest block, in unix seconds. */
  clock_time: number
}

export interface RaiseRow extends RaiseState {
  id: string
  contract: string
  number: string
  creator: string
  token: string
  /** null for a token that was not launched here. */
  token_name: string | null
  token_symbol: string | null
  title: string
  metadata_uri: string
  description: string | null
  image_url: string | null
  website: string | null
  twitter: string | null
  telegram: string | null
  discord: string | null
  described_at: Date | null
  featured: boolean
  quorum_bps: number
  voting_delay: number
  voting_period: number
  exit_window: number
  release_period: number
  release_bps: number
  wallet_min: string
  wallet_max: string
  registered_count: number
  participant_count: number
  proposal_count: number
  last_release_at: number | null
  /** Since the last pause of a release period between two releases; null if one has passed since the last of them. */
  released_in_period: string | null
  refunded: string
  tokens_claimed: string
  tokens_returned: string
  tokens_reclaimed: string
  created_block: number
  created_log: number
  created_at: number
  tx_hash: string
  confirmed: boolean
  native_usd: string | null
  /** Symbol of the native coin. */
  native_symbol: string
}

export interface RaiseFilter {
  status?: keyof typeof conditions | undefined
  creator?: string | undefined
  token?: string | undefined
}

interface RaiseListArgs {
  filter: RaiseFilter
  limit: number
  after: PositionKeyset | null
}

/** The recipient of a proposal to dissolve a raise. */
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const now = sql`(select clock_time from chain_state limit 1)`
const isOpen = sql`cancelled_at is null and finalized_at is null and total_committed < goal_max and end_at > ${now}`

/**
 * raiseStatusAt of chain/raises.ts in SQL. Each condition begins with that of its index, and ends with the part that
 * depends on the clock.
 */
const conditions = {
  upcoming: sql`${isOpen} and start_at > ${now} and not (registration_required and registration_start <= ${now})`,
  registration: sql`${isOpen} and start_at > ${now} and registration_required and registration_start <= ${now}`,
  active: sql`${isOpen} and start_at <= ${now}`,
  succeeded: sql`cancelled_at is null and finalized_at is null and total_committed >= goal_min
    and (total_committed >= goal_max or end_at <= ${now})`,
  failed: sql`cancelled_at is null and total_committed < goal_min
    and (end_at <= ${now} or total_committed >= goal_max or finalized_at is not null)`,
  finalized: sql`cancelled_at is null and finalized_at is not null and total_committed >= goal_min`,
  cancelled: sql`cancelled_at is not null`,
}

/** Raises, newest first. */
export async function listRaises(db: Kysely<Database>, args: RaiseListArgs): Promise<RaiseRow[]> {
  const { rows } = await buildRaiseList(args).execute(db)
  return rows
}

/** The statement of listRaises, exported to test its plan. */
export function buildRaiseList({
  filter: { status, creator, token },
  limit,
  after,
}: RaiseListArgs): RawBuilder<RaiseRow> {
  return selectRaises(sql`(
    select * from raises
    where created_block is not null ${status === undefined ? sql`` : sql`and ${conditions[status]}`}
      ${creator === undefined ? sql`` : sql`and creator = ${creator}`}
      ${token === undefined ? sql`` : sql`and token = ${token}`}
      and ${isBefore(after, 'created_block', 'created_log')}
    order by created_block desc, created_log desc limit ${limit}
  )`)
}

/** Throws RESOURCE_NOT_FOUND. */
export async function getRaise(db: Kysely<Database>, id: string): Promise<RaiseRow> {
  const source = sql`(select * from raises where id = ${id} and created_block is not null)`
  const { rows } = await selectRaises(source).execute(db)
  if (!rows[0]) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Raise', id })
  return rows[0]
}

/** The existing ones of these raises, newest first. */
export async function findRaises(db: Kysely<Database>, ids: readonly string[]): Promise<RaiseRow[]> {
  const source = sql`(select * from raises where id = any(${ids}::text[]) and created_block is not null)`
  const { rows } = await selectRaises(source).execute(db)
  return rows
}

/** Throws RESOURCE_NOT_FOUND. */
export async function getRaiseCreator(db: Kysely<Database>, id: string): Promise<string> {
  const row = await db.selectFrom('raises').select('creator').where('id', '=', id).executeTakeFirst()
  if (!row?.creator) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Raise', id })
  return row.creator
}

/** Raises created at these positions, in chain order. */
export async function findRaisesAt(db: Kysely<Database>, positions: readonly LogPosition[]): Promise<RaiseRow[]> {
  const source = sql`(
    select raises.* from ${positionTable(positions)}
    join raise_events e on e.block_number = wanted.block_number and e.log_index = wanted.log_index
    join raises on raises.id = e.raise and raises.created_block is not null
  )`
  const { rows } = await selectRaises(source).execute(db)
  return rows.reverse()
}

const selectRaises = (source: RawBuilder<unknown>) => sql<RaiseRow>`
  select r.*, t.name as token_name, t.symbol as token_symbol, m.description, m.image_url, m.website, m.twitter,
    m.telegram, m.discord, m.described_at, coalesce(m.featured, false) as featured,
    coalesce(r.created_block <= s.finalized_number, false) as confirmed, s.quote_usd as native_usd, s.clock_time,
    s.native_symbol, p.released_in_period
  from ${source} r
  left join tokens t on t.address = r.token
  left join raise_metadata m on m.raise = r.id and m.creator = r.creator and (m.tx_hash is null or m.tx_hash = r.tx_hash)
  ${joinChainState}
  left join lateral (
    select sum(amount) as released_in_period
    from (
      select amount, bool_or(later - block_time >= r.release_period) over (order by block_number desc, log_index desc) as is_over
      from (
        select *, lag(block_time) over (order by block_number desc, log_index desc) as later
        from raise_events where raise = r.id and kind = 'execute' and recipient <> ${ZERO_ADDRESS}
      ) e
    ) e where is_over is not true
  ) p on r.released > 0 and r.last_release_at + r.release_period > s.clock_time
  order by r.created_block desc, r.created_log desc`

/** Texts of a raise; undefined keeps a field. */
export type RaiseText = {
  [Column in 'description' | 'image_url' | 'website' | 'twitter' | 'telegram' | 'discord']?: string | null | undefined
}

/**
 * Upserts columns for those of the raises that are the creator's; wallet: stored with new rows. A row that a process of the version
 * before has left of another creation with the same id is replaced as a whole. Returns whether there is such a raise.
 */
export async function upsertRaiseMetadata(
  db: Kysely<Database>,
  { raises, creator, wallet }: { raises: readonly string[]; creator: string; wallet: string },
  changed: Updateable<Database['raise_metadata']>,
): Promise<boolean> {
  await sql`delete from raise_metadata m using raises r
    where m.raise = any(${raises}::text[]) and m.creator = ${creator} and r.id = m.raise and r.creator = m.creator
      and m.tx_hash <> r.tx_hash`.execute(db)
  const row = { updated_by: wallet, ...changed }
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  const values = sql.join(Object.values(row).map((value) => sql`${value}`))
  const updates = sql.join(Object.keys(changed).map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))
  const { numAffectedRows } = await sql`
    insert into raise_metadata (raise, creator, tx_hash, ${columns})
    select id, creator, tx_hash, ${values} from raises where id = any(${raises}::text[]) and creator = ${creator}
    on conflict (raise, creator) do update set tx_hash = excluded.tx_hash, ${updates}`.execute(db)
  return numAffectedRows !== 0n
}

/**
 * Upserts the texts of the creator's raises, written by the creator or by an operator. Returns whether any raise
 * matched.
 */
export async function upsertRaiseTexts(
  db: Kysely<Database>,
  { raises, creator, text, wallet }: { raises: readonly string[]; creator: string; text: RaiseText; wallet: string },
): Promise<boolean> {
  const changed = Object.fromEntries(Object.entries(text).filter(([, value]) => value !== undefined))
  if (raises.length === 0 || Object.keys(changed).length === 0) return false
  const now = new Date()
  const stamp = { updated_by: wallet, updated_at: now, described_at: now }
  return upsertRaiseMetadata(db, { raises, creator, wallet }, { ...changed, ...stamp })
}

export interface RaiseFigures {
  total: number
  open: number
  proposals: number
  committed: string
  released: string
  refunded: string
}

/** Figures of all raises together. */
export async function getRaiseFigures(db: Kysely<Database>): Promise<RaiseFigures> {
  const { rows } = await buildRaiseFigures().execute(db)
  return rows[0] as RaiseFigures
}

/**
 * The statement of getRaiseFigures, exported to test its plan: a row kept at write time, and a count of the open ones.
 * The range repeats the clock's condition in a form that the index supports.
 */
export const buildRaiseFigures = (): RawBuilder<RaiseFigures> => sql<RaiseFigures>`
  select f.total, f.proposals, f.committed, f.released, f.refunded,
    (select count(*) from raises
      where created_block is not null and ${conditions.active} and int8range(start_at, greatest(start_at, end_at)) @> ${now}) as open
  from raise_figures f`

/** An event of a raise. */
export interface RaiseEventRow {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  raise: string
  proposal: string | null
  kind: string
  wallet: string
  amount: string | null
  support: number | null
  confirmed: boolean
  /** Symbol of the native coin. */
  native_symbol: string
}

/** The events at these positions, in order. */
export async function findRaiseEventsAt(
  db: Kysely<Database>,
  positions: readonly LogPosition[],
): Promise<RaiseEventRow[]> {
  const { rows } = await sql<RaiseEventRow>`
    select e.block_number, e.log_index, e.block_time, e.tx_hash, e.raise, e.proposal, e.kind, e.wallet, e.amount,
      e.support, coalesce(e.block_number <= s.finalized_number, false) as confirmed, s.native_symbol
    from ${positionTable(positions)}
    join raise_events e on e.block_number = wanted.block_number and e.log_index = wanted.log_index
    ${joinChainState}
    order by e.block_number, e.log_index`.execute(db)
  return rows
}
