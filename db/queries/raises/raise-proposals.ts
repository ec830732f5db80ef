import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AppError } from '../../../errors.ts'
import type { Database } from '../../schema.ts'
import { joinChainState } from '../chain-state.ts'
import { isBefore, type LogPosition, type PositionKeyset, positionTable } from '../positions.ts'
import { inState, type ProposalState } from './proposal-states.ts'

/** A proposal. Amounts and votes in base units, times in unix seconds. */
export interface ProposalRow {
  id: string
  contract: string
  number: string
  raise: string
  proposer: string
  title: string
  description: string | null
  description_uri: string
  amount: string
  recipient: string
  vote_start: number
  vote_end: number
  quorum: string
  total_weight: string
  executable_at: number
  expires_at: number
  for_votes: string
  against_votes: string
  abstain_votes: string
  voter_count: number
  executed_at: number | null
  executed_amount: string | null
  cancelled_at: number | null
  /** Columns of its raise, up to exited_amount. */
  dissolved_at: number | null
  total_committed: string
  released: string
  exited_weight: string
  exited_amount: string
  created_block: number
  created_log: number
  created_at: number
  tx_hash: string
  confirmed: boolean
  clock_time: number
  /** Symbol of the native coin. */
  native_symbol: string
}

interface ProposalListArgs {
  raise: string
  state?: ProposalState | undefined
  limit: number
  after: PositionKeyset | null
}

/** Proposals of a raise, newest first. */
export async function listProposals(db: Kysely<Database>, args: ProposalListArgs): Promise<ProposalRow[]> {
  const { rows } = await buildProposalList(args).execute(db)
  return rows
}

/** The statement of listProposals, exported to test its plan. */
export function buildProposalList({ raise, state, limit, after }: ProposalListArgs): RawBuilder<ProposalRow> {
  const made = sql`select * from raise_proposals where raise = ${raise} and created_block is not null`
  const page = sql`${isBefore(after, 'created_block', 'created_log')}
    order by created_block desc, created_log desc limit ${limit}`
  const parts = state === undefined ? [made] : inState(raise, state).map((condition) => sql`${made} and ${condition}`)
  const pages = parts.map((part) => sql`(select * from (${part}) found where ${page})`)
  return selectProposals(sql`(select * from (${sql.join(pages, sql` union all `)}) parts
    order by created_block desc, created_log desc limit ${limit})`)
}

/** Throws RESOURCE_NOT_FOUND. */
export async function getProposal(db: Kysely<Database>, id: string): Promise<ProposalRow> {
  const source = sql`(select * from raise_proposals where id = ${id} and created_block is not null)`
  const { rows } = await selectProposals(source).execute(db)
  if (!rows[0]) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Proposal', id })
  return rows[0]
}

/** Proposals created at these positions, in chain order. */
export async function findProposalsAt(db: Kysely<Database>, positions: readonly LogPosition[]): Promise<ProposalRow[]> {
  const source = sql`(
    select p.* from ${positionTable(positions)}
    join raise_events e on e.block_number = wanted.block_number and e.log_index = wanted.log_index
    join raise_proposals p on p.id = e.proposal and p.created_block is not null
  )`
  const { rows } = await selectProposals(source).execute(db)
  return rows.reverse()
}

const selectProposals = (source: RawBuilder<unknown>) => sql<ProposalRow>`
  select p.*, d.description, r.dissolved_at, r.total_committed, r.released, r.exited_weight, r.exited_amount, coalesce(p.created_block <= s.finalized_number, false) as confirmed,
    s.clock_time, s.native_symbol
  from ${source} p
  left join raises r on r.id = p.raise
  left join raise_proposal_texts d on d.proposal = p.id and d.proposer = p.proposer
    and (d.tx_hash is null or d.tx_hash = p.tx_hash)
  ${joinChainState}
  order by p.created_block desc, p.created_log desc`

export interface VoteRow {
  proposal: string
  support: number
  weight: string
  block_time: number
  tx_hash: string
}

/** A wallet's latest votes on these proposals, by proposal. */
export async function findVotes(
  db: Kysely<Database>,
  { wallet, proposals }: { wallet: string; proposals: readonly string[] },
): Promise<Map<string, VoteRow>> {
  const { rows } = await sql<VoteRow>`
    select distinct on (proposal) proposal, support, amount as weight, block_time, tx_hash from raise_events
    where kind = 'vote' and proposal = any(${proposals}::text[]) and wallet = ${wallet}
    order by proposal, block_number desc, log_index desc`.execute(db)
  return new Map(rows.map((row) => [row.proposal, row]))
}

/**
 * Upserts the proposer's texts of its own proposals that still exist. A text that a process of the version before has left of another
 * creation with the same id is replaced.
 */
export async function upsertProposalTexts(
  db: Kysely<Database>,
  { proposals, proposer, description }: { proposals: readonly string[]; proposer: string; description: string },
): Promise<void> {
  if (proposals.length === 0) return
  await sql`
    insert into raise_proposal_texts (proposal, proposer, description, tx_hash)
    select id, proposer, ${description}, tx_hash from raise_proposals
    where id = any(${proposals}::text[]) and proposer = ${proposer}
    on conflict (proposal, proposer) do update
      set description = excluded.description, updated_at = now(), tx_hash = excluded.tx_hash`.execute(db)
}
