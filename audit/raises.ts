import { sql, type Transaction } from 'kysely'
import { raisesAbi } from '../chain/abi/raises.ts'
import { proposalStateAt, proposalStateOf, raiseStatusAt, raiseStatusOf } from '../chain/raises.ts'
import type { Chain } from '../chain/rpc/client.ts'
import type { Database } from '../db/schema.ts'
import type { Findings, Row } from './findings.ts'
import type { PinnedReader } from './pinned-reader.ts'

const PAGE = 500

interface RaisesAudit {
  chain: Chain
  reader: PinnedReader
  contracts: ReadonlySet<string>
  checkpoint: number
}

type Contract<T> = Record<keyof T & string, bigint | number | string | boolean>
type ContractRaise = Contract<typeof raiseColumns> & { cancelled: boolean }
type ContractProposal = Contract<typeof proposalColumns> & { executed: boolean; cancelled: boolean; raiseId: bigint }
type ContractCommitment = {
  amount: bigint
  registered: boolean
  claimed: boolean
  refunded: boolean
  exited: boolean
  refundDue: bigint
  tokensGivenUp: bigint
}

/** The columns of raises, by the names of the contract's struct. */
const raiseColumns = {
  creator: 'creator',
  token: 'token',
  registrationRequired: 'registration_required',
  quorumBps: 'quorum_bps',
  votingDelay: 'voting_delay',
  votingPeriod: 'voting_period',
  registrationStart: 'registration_start',
  startAt: 'start_at',
  endAt: 'end_at',
  tokenAmount: 'token_amount',
  goalMin: 'goal_min',
  goalMax: 'goal_max',
  walletMin: 'wallet_min',
  walletMax: 'wallet_max',
  finalizedAt: 'finalized_at',
  lastReleaseAt: 'last_release_at',
  dissolvedAt: 'dissolved_at',
  registeredCount: 'registered_count',
  participantCount: 'participant_count',
  totalCommitted: 'total_committed',
  released: 'released',
  exitedWeight: 'exited_weight',
  exitedAmount: 'exited_amount',
  refunded: 'refunded',
  tokensClaimed: 'tokens_claimed',
}

const proposalColumns = {
  proposer: 'proposer',
  recipient: 'recipient',
  amount: 'amount',
  voteStart: 'vote_start',
  voteEnd: 'vote_end',
  quorum: 'quorum',
  totalWeight: 'total_weight',
  executableAt: 'executable_at',
  expiresAt: 'expires_at',
  forVotes: 'for_votes',
  againstVotes: 'against_votes',
  abstainVotes: 'abstain_votes',
}

/** Unset times are 0 in the contract, and null here. */
const orNull = new Set(['finalized_at', 'last_release_at', 'dissolved_at'])

function toRow(columns: Record<string, string>, struct: Record<string, unknown>): Row {
  const row: Row = {}
  for (const [name, column] of Object.entries(columns)) {
    const value = struct[name] as bigint | number | string | boolean
    if (typeof value === 'string') row[column] = value.toLowerCase()
    else row[column] = orNull.has(column) && BigInt(value) === 0n ? null : value
  }
  return row
}

/** Compares every raise, commitment, proposal and vote with the contract's view functions at the checkpoint. */
export async function auditRaises(
  trx: Transaction<Database>,
  findings: Findings,
  { chain, reader, contracts, checkpoint }: RaisesAudit,
): Promise<void> {
  const time = BigInt((await chain.getHeader(checkpoint))?.time ?? 0)
  const { rows: raises } = await sql<Row>`select * from raises order by id`.execute(trx)
  const { rows: proposals } = await sql<Row>`
    select p.*, r.dissolved_at, (select count(distinct v.wallet) from raise_events v where v.proposal = p.id and kind = 'vote') as voters
    from raise_proposals p left join raises r on r.id = p.raise order by p.id`.execute(trx)
  for (const contract of contracts) {
    const count = (rows: readonly Row[]) =>
      rows.filter((row) => row.contract === contract && row.created_block !== null)
    const name = `raises contract ${contract}`
    await findings.attempt(name, async () => {
      findings.compare(`${name} raises`, count(raises).length, await reader.read(contract, raisesAbi, 'raiseCount'))
      const proposalCount = await reader.read<bigint>(contract, raisesAbi, 'proposalCount')
      findings.compare(`${name} proposals`, count(proposals).length, proposalCount)
    })
  }
  for (const row of raises) {
    await findings.attempt(`raise ${row.id}`, async () => {
      await compareRaise(findings, reader, row, proposals, time)
      await compareCommitments(trx, findings, reader, row)
    })
  }
  for (const row of proposals) {
    await findings.attempt(`proposal ${row.id}`, () => compareProposal(findings, reader, row, time))
  }
  await compareVotes(trx, findings, reader)
  await compareCommitters(trx, findings)
  await compareFigures(trx, findings)
}

const big = (row: Row, name: string) => BigInt(String(row[name] ?? 0))
const numberOf = (row: Row) => [String(row.contract), big(row, 'number')] as const

async function compareRaise(
  findings: Findings,
  reader: PinnedReader,
  row: Row,
  proposals: readonly Row[],
  time: bigint,
): Promise<void> {
  const [contract, number] = numberOf(row)
  const raise = await reader.read<ContractRaise & { tokensReclaimable: bigint }>(contract, raisesAbi, 'raise', [number])
  const status = raiseStatusAt(
    {
      registrationRequired: row.registration_required === true,
      ...{ registrationStart: big(row, 'registration_start'), startAt: big(row, 'start_at') },
      ...{ endAt: big(row, 'end_at'), goalMin: big(row, 'goal_min'), goalMax: big(row, 'goal_max') },
      ...{ totalCommitted: big(row, 'total_committed'), finalized: row.finalized_at !== null },
      cancelled: row.cancelled_at !== null,
    },
    time,
  )
  const code = await reader.read<number>(contract, raisesAbi, 'status', [number])
  const reclaimable = big(row, 'tokens_returned') - big(row, 'tokens_reclaimed')
  findings.compareRows(
    `raise ${row.id}`,
    { ...row, status, cancelled: row.cancelled_at !== null, reclaimable },
    {
      ...toRow(raiseColumns, raise),
      ...{ cancelled: raise.cancelled, reclaimable: raise.tokensReclaimable, status: raiseStatusOf(code) ?? null },
      proposal_count: proposals.filter((proposal) => proposal.raise === row.id).length,
    },
  )
}

async function compareProposal(findings: Findings, reader: PinnedReader, row: Row, time: bigint): Promise<void> {
  const [contract, number] = numberOf(row)
  const proposal = await reader.read<ContractProposal>(contract, raisesAbi, 'proposal', [number])
  const [executed, cancelled] = [row.executed_at !== null, row.cancelled_at !== null]
  const clock = {
    ...{ voteStart: big(row, 'vote_start'), voteEnd: big(row, 'vote_end'), quorum: big(row, 'quorum') },
    expiresAt: big(row, 'expires_at'),
    ...{ forVotes: big(row, 'for_votes'), againstVotes: big(row, 'against_votes') },
    ...{ abstainVotes: big(row, 'abstain_votes'), executed, cancelled },
  }
  const state = proposalStateAt(clock, row.dissolved_at === null ? null : big(row, 'dissolved_at'), time)
  const code = await reader.read<number>(contract, raisesAbi, 'proposalState', [number])
  findings.compareRows(
    `proposal ${row.id}`,
    { ...row, executed, cancelled, state },
    {
      ...toRow(proposalColumns, proposal),
      ...{ executed: proposal.executed, cancelled: proposal.cancelled, state: proposalStateOf(code) ?? null },
      ...{ raise: `${contract}-${proposal.raiseId}`, voter_count: row.voters ?? null },
    },
  )
}

async function compareCommitments(
  trx: Transaction<Database>,
  findings: Findings,
  reader: PinnedReader,
  raise: Row,
): Promise<void> {
  const [contract, number] = numberOf(raise)
  let after = ''
  for (;;) {
    const { rows } = await sql<Row & { wallet: string }>`select * from raise_commitments
      where raise = ${raise.id} and wallet > ${after} order by wallet limit ${PAGE}`.execute(trx)
    const commitments = await Promise.all(
      rows.map(({ wallet }) => reader.read<ContractCommitment>(contract, raisesAbi, 'commitment', [number, wallet])),
    )
    for (const [index, row] of rows.entries()) {
      const flags = { claimed: row.tokens_claimed !== null, was_refunded: row.refunded !== null }
      const own = commitments[index] as ContractCommitment
      const { amount, registered, claimed, refunded, exited } = own
      const left = { exited_amount: own.refundDue, tokens_given_up: own.tokensGivenUp }
      findings.compareRows(
        `commitment ${raise.id}/${row.wallet}`,
        { ...row, ...flags },
        { amount, registered, claimed, was_refunded: refunded, ...(exited ? left : { exited_amount: null }) },
      )
    }
    after = rows.at(-1)?.wallet ?? after
    if (rows.length < PAGE) return
  }
}

/** Compares the latest vote of each wallet with the contract; the sums show that none is missing. */
async function compareVotes(trx: Transaction<Database>, findings: Findings, reader: PinnedReader): Promise<void> {
  const { rows } = await sql<{ proposal: string; wallet: string; support: number }>`
    select distinct on (proposal, wallet) proposal, wallet, support from raise_events where kind = 'vote'
    order by proposal, wallet, block_number desc, log_index desc`.execute(trx)
  for (const { proposal, wallet, support } of rows) {
    const [contract = '', number = '0'] = proposal.split('-')
    await findings.attempt(`vote ${proposal}/${wallet}`, async () => {
      const [cast, current] = await reader.read<[boolean, number]>(contract, raisesAbi, 'votes', [
        BigInt(number),
        wallet,
      ])
      findings.compare(`vote ${proposal}/${wallet}`, support, cast ? current : null)
    })
  }
}

/**
 * Each participant has a row, and no other wallet; the values that the contract does not have equal those of the
 * events.
 */
async function compareCommitters(trx: Transaction<Database>, findings: Findings): Promise<void> {
  const read = async (statement: ReturnType<typeof sql<Row>>) =>
    new Map((await statement.execute(trx)).rows.map((row) => [`${row.raise}/${row.wallet}`, row]))
  findings.compareMaps(
    'commitment of events',
    await read(sql<Row>`select raise, wallet, state_block, state_log, tokens_claimed, refunded, tokens_returned,
        exited_amount, tokens_given_up
      from raise_commitments`),
    await read(sql<Row>`
      select raise, wallet, (max(array[block_number, log_index::bigint]))[1] as state_block,
        (max(array[block_number, log_index::bigint]))[2] as state_log,
        (array_agg(amount order by block_number desc, log_index desc)
          filter (where kind = 'claim_raise'))[1] as tokens_claimed,
        (array_agg(amount order by block_number desc, log_index desc) filter (where kind = 'refund'))[1] as refunded,
        (array_agg(tokens_returned order by block_number desc, log_index desc)
          filter (where kind = 'refund'))[1] as tokens_returned,
        (array_agg(amount order by block_number desc, log_index desc) filter (where kind = 'exit'))[1] as exited_amount,
        (array_agg(tokens_given_up order by block_number desc, log_index desc)
          filter (where kind = 'exit'))[1] as tokens_given_up
      from raise_events where kind in ('register', 'commit', 'claim_raise', 'refund', 'exit') group by raise, wallet`),
  )
}

/** Compares the figures of all raises with the sums over the raises. */
async function compareFigures(trx: Transaction<Database>, findings: Findings): Promise<void> {
  const read = async (statement: ReturnType<typeof sql<Row>>) =>
    new Map((await statement.execute(trx)).rows.map((row) => [String(row.id), row]))
  findings.compareMaps(
    'raise figures',
    await read(sql<Row>`select * from raise_figures`),
    await read(sql<Row>`
      select true as id, count(*) as total, coalesce(sum(proposal_count), 0)::bigint as proposals,
        coalesce(sum(total_committed), 0) as committed, coalesce(sum(released), 0) as released,
        coalesce(sum(refunded), 0) as refunded
      from raises where created_block is not null`),
  )
}
