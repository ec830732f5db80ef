import { type RawBuilder, sql } from 'kysely'
import t, { type Test } from 'tap'
import { bytes } from '../../db/hex.ts'
import type { ProposalState } from '../../db/queries/raises/proposal-states.ts'
import { buildCommitmentsOf, buildRaiseCommitmentList } from '../../db/queries/raises/raise-commitments.ts'
import { buildProposalList, type ProposalRow } from '../../db/queries/raises/raise-proposals.ts'
import { buildRaiseFigures, buildRaiseList, getRaiseFigures, type RaiseFilter } from '../../db/queries/raises/raises.ts'
import { buildTransactionList, type TransactionFilter } from '../../db/queries/transactions.ts'
import { buildVoteNotifications } from '../../indexer/raises/notify-of-votes.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { tokenAddress, walletAddress } from '../support/market-simulation.ts'
import { countRead, explain, scansOf, uses } from '../support/plans.ts'
import { optimizeWasm } from '../support/v8-flags.ts'

optimizeWasm()

/*
 * On tables large enough that the planner has a choice, each list of raises is read from its index, in its order, up to
 * its limit: nothing is sorted that grows with the tables.
 */
const RAISES = 20_000
/** The raise that has a great many proposals. */
const BUSY = 501
const { db } = await createTestDatabase(t)
const wallet = walletAddress(1)
const idOf = (number: number) => `0x${'5a'.repeat(20)}-${number}`
await fillMarket(db)
await multiply()

/** Of 20 raises in turn: 8 finalized, 6 failed and finalized, 3 cancelled, and of the last three some in each other status. */
async function multiply(): Promise<void> {
  const id = sql`'0x' || repeat('5a', 20) || '-' || i`
  const kind = sql`i % 20`
  const clock = sql`(select clock_time from chain_state)`
  const future = sql`${kind} in (17, 18, 19) and i > ${RAISES - 4_000}`
  await sql`insert into raises (id, contract, number, creator, token, title, metadata_uri, registration_required,
      registration_start, start_at, end_at, quorum_bps, voting_delay, voting_period, token_amount, goal_min, goal_max,
      wallet_min, wallet_max, created_block, created_log, created_at, tx_hash, total_committed, cancelled_at, finalized_at)
    select ${id}, '0x' || repeat('5a', 20), i, case when i % 50 = 0 then ${walletAddress(1)} else ${walletAddress(2)} end,
      case when i % 50 = 0 then ${tokenAddress(1)} else ${tokenAddress(2)} end, 't', '', ${kind} = 18, 1,
      ${clock} + case when ${future} and ${kind} <> 17 then 100 else -100 end,
      ${clock} + case when ${future} then 200 else -50 end, 4000, 0, 1, 1, 2, 10, 0, 10, 10000 + i, 0, 1, '0x00',
      case when ${kind} < 8 then 5 when ${kind} = 17 and i % 40 < 20 then 3 else 1 end,
      case when ${kind} between 14 and 16 then 1 end, case when ${kind} < 14 then 1 end
    from generate_series(1, ${RAISES}::integer) i`.execute(db)
  const who = sql`case when i % 40 = 0 then ${walletAddress(1)} else '0x' || md5(i::text) || '00000000' end`
  await sql`insert into raise_commitments (raise, wallet, state_block, state_log, registered, amount)
    select '0x' || repeat('5a', 20) || '-' || (i % 500 + 1), ${who}, 20000 + i, 0, false, i
    from generate_series(1, ${RAISES}::integer) i on conflict do nothing`.execute(db)
  await sql`insert into raise_events (block_number, log_index, block_time, tx_hash, raise, kind, wallet)
    select state_block, state_log, 1, '0x00', raise, 'commit', wallet from raise_commitments`.execute(db)
  await sql`insert into raise_proposals (id, contract, number, raise, proposer, created_block, created_log, created_at)
    select ${id}, '0x' || repeat('5a', 20), i, '0x' || repeat('5a', 20) || '-' || (i % 100 + 1), ${walletAddress(1)}, 10000 + i, 0, 1
    from generate_series(1, ${RAISES}::integer) i`.execute(db)
  // Of one raise as many again, and all but a few of them came to nothing.
  const [is, end] = [(rest: number) => sql`i % 700 = ${rest}::integer`, sql`i > ${RAISES - 60}`]
  await sql`insert into raise_proposals (id, contract, number, raise, proposer, created_block, created_log, created_at, quorum,
      vote_start, vote_end, expires_at, for_votes, executed_at, cancelled_at)
    select '0x' || repeat('5a', 20) || '-' || (${RAISES} + i), '0x' || repeat('5a', 20), ${RAISES} + i, ${idOf(BUSY)},
      ${walletAddress(1)}, 10000 + i, 1, 1, 5, ${clock} + case when ${end} and i % 2 = 0 then 100 else -100 end,
      ${clock} + case when ${end} then 200 else -50 end, ${clock} + case when ${is(4)} then -10 else 300 end,
      case when ${is(1)} or ${is(2)} or ${is(4)} then 9 else 0 end,
      case when ${is(2)} then 1 end, case when ${is(3)} then 1 end
    from generate_series(1, ${RAISES}::integer) i`.execute(db)
  await sql`insert into actions (block_number, log_index, block_time, tx_hash, type, wallet, subject)
    select state_block, 1, 1, '\\x00', 'commit', decode(substr(wallet, 3), 'hex'), raise from raise_commitments`.execute(
    db,
  )
  await sql`insert into actions (block_number, log_index, block_time, tx_hash, type, wallet, subject, data)
    select 10000 + i, 2, 1, '\\x00', 'vote', ${bytes(walletAddress(1))}, ${idOf(7)},
      jsonb_build_object('proposal', '0x' || repeat('5a', 20) || '-' || (i % 25 + 1))
    from generate_series(1, ${RAISES}::integer) i`.execute(db)
  await sql`insert into notifications (recipient, type, subject, payload)
    select ${walletAddress(1)}, 'raise_proposal_passed', ${idOf(7)}, jsonb_build_object('proposal', ${id})
    from generate_series(1, ${RAISES}::integer) i`.execute(db)
  await sql`update raise_proposals set executable_at = vote_end + 10, total_weight = 20
    where raise = ${idOf(BUSY)}`.execute(db)
  await sql`analyze`.execute(db)
}

const large = ['notifications', 'raises', 'raise_commitments', 'raise_proposals', 'raise_events', 'actions', 'trades']

async function expectIndex(t: Test, what: string, statement: RawBuilder<unknown>, index: string, most = 60) {
  const nodes = await explain(db, statement)
  t.ok(uses(nodes, index), `${what}: by ${index}`, { names: nodes.map((node) => node['Index Name']) })
  t.same(scansOf(nodes, large), [], `${what}: nothing is scanned`)
  for (const table of large) t.ok(countRead(nodes, table) <= most, `${what}: of ${table} no more than ${most} rows`)
}

t.test('each list of raises is read from its index, up to its limit', async (t) => {
  const list = (filter: RaiseFilter, after: readonly [number, number] | null = null) =>
    buildRaiseList({ filter, limit: 21, after })
  await expectIndex(t, 'all', list({}), 'raises_newest')
  await expectIndex(t, 'a page far down', list({}, [15_000, 0]), 'raises_newest')
  await expectIndex(t, 'of a creator', list({ creator: wallet }), 'raises_creator')
  await expectIndex(t, 'of a token', list({ token: tokenAddress(1) }), 'raises_token')
  for (const [status, index] of [
    ['upcoming', 'raises_open'],
    ['registration', 'raises_open'],
    ['active', 'raises_open'],
    ['succeeded', 'raises_succeeded'],
    ['failed', 'raises_failed'],
    ['finalized', 'raises_finalized'],
    ['cancelled', 'raises_cancelled'],
  ] as const) {
    const { rows } = await list({ status }).execute(db)
    t.equal(rows.length, 21, `there are enough that are ${status}`)
    await expectIndex(t, status, list({ status }), index, 700)
  }
})

t.test('commitments and proposals are read from their indexes, up to the limit', async (t) => {
  const commitments = buildRaiseCommitmentList({ raise: idOf(7), limit: 21, after: null })
  await expectIndex(t, 'commitments', commitments, 'raise_commitments_largest')
  const next = buildRaiseCommitmentList({ raise: idOf(7), limit: 21, after: ['10000', wallet] })
  await expectIndex(t, 'more commitments', next, 'raise_commitments_largest')
  await expectIndex(t, 'of a wallet', buildCommitmentsOf({ wallet, limit: 21 }), 'raise_commitments_wallet')
  const proposals = buildProposalList({ raise: idOf(7), limit: 21, after: null })
  await expectIndex(t, 'proposals', proposals, 'raise_proposals_raise')
})

t.test('a state filter reads its index among thousands of proposals in other states', async (t) => {
  const list = (state: ProposalState, after: readonly [number, number] | null = null) =>
    buildProposalList({ raise: idOf(BUSY), state, limit: 21, after })
  for (const [state, index] of [
    ['pending', 'raise_proposals_voting'],
    ['active', 'raise_proposals_voting'],
    ['succeeded', 'raise_proposals_passed'],
    ['expired', 'raise_proposals_passed'],
    ['defeated', 'raise_proposals_failing'],
    ['executed', 'raise_proposals_executed'],
    ['cancelled', 'raise_proposals_cancelled'],
  ] as const) {
    const { rows } = await list(state).execute(db)
    t.equal(rows.length, 21, `there are enough that are ${state}`)
    // Of what is voted on all is looked at; before the last that was defeated come those.
    await expectIndex(t, state, list(state), index, 90)
    const last = rows.at(-1) as ProposalRow
    await expectIndex(t, `more ${state}`, list(state, [last.created_block, last.created_log]), index, 90)
  }
})

t.test('votes that passed are found among all proposals by their index', async (t) => {
  const { clock_time: clock } = await db.selectFrom('chain_state').select('clock_time').executeTakeFirstOrThrow()
  const statement = buildVoteNotifications({ number: 1, time: clock, clock })
  await expectIndex(t, 'votes that passed', statement, 'raise_proposals_leaving')
  await expectIndex(t, 'their notifications', statement, 'notifications_vote')
})

t.test('actions on a raise are read from the index of subjects, without trades', async (t) => {
  const filter = { raise: idOf(7) }
  const { rows } = await buildTransactionList({ filter, limit: 21, after: null }).execute(db)
  t.equal(rows.length, 21)
  await expectIndex(t, 'transactions', buildTransactionList({ filter, limit: 21, after: null }), 'actions_pkey', 42)
  t.equal(countRead(await explain(db, buildTransactionList({ filter, limit: 21, after: null })), 'trades'), 0)
})

t.test('actions on a proposal are read from their own index', async (t) => {
  // PostgreSQL ignores the statistics of a partial index and expects a 200th of the rows. Nearer to the first vote that
  // is so few that to sort them may look cheaper, and the random sample of analyze decides.
  const list = (filter: TransactionFilter) => buildTransactionList({ filter, limit: 21, after: [30_001, 0] })
  t.equal((await list({ proposal: idOf(7) }).execute(db)).rows.length, 21)
  await expectIndex(t, 'of a proposal', list({ proposal: idOf(7) }), 'actions_proposal', 42)
  await expectIndex(t, 'its votes', list({ proposal: idOf(7), type: 'vote' }), 'actions_proposal', 42)
})

t.test('statistics of raises count only the open ones', async (t) => {
  const { rows: open } = await buildRaiseList({ filter: { status: 'active' }, limit: 1_000, after: null }).execute(db)
  t.ok(open.length > 21)
  t.match(await getRaiseFigures(db), { total: RAISES, open: open.length })
  await expectIndex(t, 'figures', buildRaiseFigures(), 'raises_running', open.length)
})
