import { sql } from 'kysely'
import t from 'tap'
import { raiseStatusAt, raiseStatuses } from '../../chain/raises.ts'
import { listRaises } from '../../db/queries/raises/raises.ts'
import { createTestDatabase } from '../support/database.ts'

/* The filter of statuses in SQL against the function that the records are made by, at every side of each of their limits. */
const NOW = 1_000
const { db } = await createTestDatabase(t)
await sql`insert into chain_state (chain_id, genesis_hash, wrapped_native, contracts, checkpoint_number, checkpoint_time,
    clock_time, head_number, head_time, finalized_number)
  values (1, '0x', '0x', '{}', 1, ${NOW}, ${NOW}, 1, ${NOW}, 0)`.execute(db)

const around = [NOW - 1, NOW, NOW + 1]
const clocks = around.flatMap((startAt) =>
  around.map((end) => ({ startAt, endAt: end + 1 })).filter(({ endAt }) => endAt > startAt),
)
const registrations = [null, ...around]
const goals = [
  { goalMin: 5, goalMax: 5 },
  { goalMin: 5, goalMax: 6 },
]
const totals = [4, 5, 6]
const ends = [
  { finalizedAt: null, cancelledAt: null },
  { finalizedAt: 1, cancelledAt: null },
  { finalizedAt: null, cancelledAt: 1 },
]

const expected = new Map<string, string>()
for (const { startAt, endAt } of clocks)
  for (const registration of registrations)
    for (const { goalMin, goalMax } of goals)
      for (const total of totals)
        for (const { finalizedAt, cancelledAt } of ends) {
          const id = `r-${expected.size + 1}`
          await sql`insert into raises (id, contract, number, created_block, created_log, registration_required, registration_start,
              start_at, end_at, goal_min, goal_max, total_committed, finalized_at, cancelled_at)
            values (${id}, 'c', 1, 1, ${expected.size}, ${registration !== null}, ${registration ?? 0}, ${startAt}, ${endAt}, ${goalMin},
              ${goalMax}, ${total}, ${finalizedAt}, ${cancelledAt})`.execute(db)
          const raise = {
            ...{ registrationRequired: registration !== null, registrationStart: BigInt(registration ?? 0) },
            ...{ startAt: BigInt(startAt), endAt: BigInt(endAt), goalMin: BigInt(goalMin), goalMax: BigInt(goalMax) },
            ...{ totalCommitted: BigInt(total), finalized: finalizedAt !== null, cancelled: cancelledAt !== null },
          }
          expected.set(id, raiseStatusAt(raise, BigInt(NOW)))
        }

for (const status of raiseStatuses) {
  t.test(`raises are listed by status ${status}`, async (t) => {
    const rows = await listRaises(db, { filter: { status }, limit: 10_000, after: null })
    const wanted = [...expected].filter(([, of]) => of === status).map(([id]) => id)
    t.ok(wanted.length > 0)
    t.strictSame(
      rows.map(({ id }) => id),
      wanted.reverse(),
    )
  })
}
