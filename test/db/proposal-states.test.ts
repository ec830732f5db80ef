import { sql } from 'kysely'
import t from 'tap'
import { proposalStateAt, proposalStates } from '../../chain/raises.ts'
import { listProposals } from '../../db/queries/raises/raise-proposals.ts'
import { createTestDatabase } from '../support/database.ts'

/*
 * The filter of states in SQL against the function that the records are made by, at every side of each of their limits. A clock
 * behind the dissolution is that of a receipt sync ahead of the indexer.
 */
const NOW = 1_000
const { db } = await createTestDatabase(t)
await sql`insert into chain_state (chain_id, genesis_hash, wrapped_native, contracts, checkpoint_number, checkpoint_time,
    clock_time, head_number, head_time, finalized_number)
  values (1, '0x', '0x', '{}', 1, ${NOW}, ${NOW}, 1, ${NOW}, 0)`.execute(db)

const around = [NOW - 1, NOW, NOW + 1]
const raises = [null, ...around].map((dissolvedAt, at) => ({ id: `0x${'5a'.repeat(20)}-${at + 1}`, dissolvedAt }))
const votes = [
  { quorum: 5, for: 0, against: 0, abstain: 0 },
  { quorum: 5, for: 5, against: 4, abstain: 0 },
  { quorum: 5, for: 3, against: 2, abstain: 2 },
  { quorum: 5, for: 4, against: 0, abstain: 0 },
  { quorum: 5, for: 5, against: 5, abstain: 1 },
]
const clocks = around.flatMap((voteStart) =>
  around
    .map((end) => ({ voteStart, voteEnd: end + 1 }))
    .filter(({ voteEnd }) => voteEnd > voteStart)
    .flatMap((clock) => [0, 1].map((open) => ({ ...clock, expiresAt: clock.voteEnd + open }))),
)
const ends = [
  { executed: null, cancelled: null },
  { executed: 1, cancelled: null },
  { executed: null, cancelled: 1 },
]

const expected = new Map<string, string>()
for (const { id: raise, dissolvedAt } of raises) {
  await sql`insert into raises (id, contract, number, dissolved_at, created_block) values (${raise}, 'c', 1, ${dissolvedAt}, 1)`.execute(
    db,
  )
  for (const clock of clocks)
    for (const vote of votes)
      for (const end of ends) {
        const number = expected.size + 1
        await sql`insert into raise_proposals (id, contract, number, raise, proposer, created_block, created_log, vote_start,
            vote_end, expires_at, quorum, for_votes, against_votes, abstain_votes, executed_at, cancelled_at)
          values (${`p-${number}`}, 'c', ${number}, ${raise}, 'w', 1, ${number}, ${clock.voteStart}, ${clock.voteEnd}, ${clock.expiresAt},
            ${vote.quorum}, ${vote.for}, ${vote.against}, ${vote.abstain}, ${end.executed}, ${end.cancelled})`.execute(
          db,
        )
        const state = proposalStateAt(
          {
            ...{ voteStart: BigInt(clock.voteStart), voteEnd: BigInt(clock.voteEnd), quorum: BigInt(vote.quorum) },
            expiresAt: BigInt(clock.expiresAt),
            ...{ forVotes: BigInt(vote.for), againstVotes: BigInt(vote.against), abstainVotes: BigInt(vote.abstain) },
            ...{ executed: end.executed !== null, cancelled: end.cancelled !== null },
          },
          dissolvedAt === null ? null : BigInt(dissolvedAt),
          BigInt(NOW),
        )
        expected.set(`p-${number}`, `${raise} ${state}`)
      }
}

for (const { id: raise } of raises) {
  for (const state of proposalStates) {
    t.test(`proposals of raise ${raise.slice(-1)} are listed by state ${state}`, async (t) => {
      const rows = await listProposals(db, { raise, state, limit: 10_000, after: null })
      const wanted = [...expected].filter(([, of]) => of === `${raise} ${state}`).map(([id]) => id)
      t.strictSame(
        rows.map(({ id }) => id),
        wanted.reverse(),
      )
    })
  }
}
