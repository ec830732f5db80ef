import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../schema.ts'
import { joinChainState } from '../chain-state.ts'
import type { RaiseState } from './raises.ts'

/** A wallet's commitment to a raise, with the inputs of its current value. */
export interface RaiseCommitmentRow extends RaiseState {
  raise: string
  wallet: string
  title: string
  token: string
  registered: boolean
  amount: string
  tokens_claimed: string | null
  /** The refunded amount; `amount` keeps the commitment. */
  refunded_amount: string | null
  tokens_returned: string | null
  /** What an exit set aside; null for a wallet that has not left. */
  own_exited_amount: string | null
  tokens_given_up: string | null
  state_block: number
  state_log: number
  tx_hash: string
  confirmed: boolean
  /** Symbol of the native coin. */
  native_symbol: string
}

interface CommitmentListArgs {
  raise: string
  limit: number
  /** Amount and wallet of the last row of the previous page. */
  after: readonly [amount: string, wallet: string] | null
}

/** A raise's commitments, largest first. */
export async function listRaiseCommitments(
  db: Kysely<Database>,
  args: CommitmentListArgs,
): Promise<RaiseCommitmentRow[]> {
  const { rows } = await buildRaiseCommitmentList(args).execute(db)
  return rows
}

/** The statement of listRaiseCommitments, exported to test its plan. */
export function buildRaiseCommitmentList({ raise, limit, after }: CommitmentListArgs): RawBuilder<RaiseCommitmentRow> {
  const isAfter = after === null ? sql`true` : sql`(amount, wallet) < (${after[0]}::numeric, ${after[1]})`
  return selectCommitments(
    sql`(
      select * from raise_commitments where raise = ${raise} and amount > 0 and ${isAfter}
      order by amount desc, wallet desc limit ${limit}
    )`,
    sql`c.amount desc, c.wallet desc`,
  )
}

/** A wallet's commitments, latest activity first. */
export async function listCommitmentsOf(
  db: Kysely<Database>,
  args: { wallet: string; limit: number },
): Promise<RaiseCommitmentRow[]> {
  const { rows } = await buildCommitmentsOf(args).execute(db)
  return rows
}

/** The statement of listCommitmentsOf, exported to test its plan. */
export function buildCommitmentsOf({
  wallet,
  limit,
}: {
  wallet: string
  limit: number
}): RawBuilder<RaiseCommitmentRow> {
  return selectCommitments(
    sql`(
      select * from raise_commitments e where wallet = ${wallet} and amount > 0
        and (select created_block from raises where id = e.raise) is not null
      order by state_block desc, state_log desc limit ${limit}
    )`,
    sql`c.state_block desc, c.state_log desc`,
  )
}

/** A wallet's commitments to these raises, by raise, including registrations only. */
export async function findCommitments(
  db: Kysely<Database>,
  { wallet, raises }: { wallet: string; raises: readonly string[] },
): Promise<Map<string, RaiseCommitmentRow>> {
  const source = sql`(select * from raise_commitments where raise = any(${raises}::text[]) and wallet = ${wallet})`
  const { rows } = await selectCommitments(source, sql`c.raise`).execute(db)
  return new Map(rows.map((row) => [row.raise, row]))
}

const selectCommitments = (source: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql<RaiseCommitmentRow>`
  select c.raise, c.wallet, c.registered, c.amount, c.tokens_claimed, c.refunded as refunded_amount, c.tokens_returned,
    c.exited_amount as own_exited_amount, c.tokens_given_up, r.exited_weight, r.exited_amount,
    c.state_block, c.state_log, l.tx_hash, r.title, r.token, r.registration_required, r.registration_start, r.start_at,
    r.end_at, r.token_amount, r.goal_min, r.goal_max, r.total_committed, r.cancelled_at, r.finalized_at, r.dissolved_at,
    r.released, coalesce(c.state_block <= s.finalized_number, false) as confirmed, s.clock_time,
    s.native_symbol
  from ${source} c
  join raises r on r.id = c.raise and r.created_block is not null
  join raise_events l on l.block_number = c.state_block and l.log_index = c.state_log
  ${joinChainState}
  order by ${order}`
