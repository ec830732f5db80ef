import { type RaiseStatus, raiseStatusAt } from '../chain/raises.ts'
import type { RaiseState } from '../db/queries/raises/raises.ts'

/** The status of a raise as of the newest block. */
export const readStatus = (row: RaiseState): RaiseStatus =>
  raiseStatusAt(
    {
      registrationRequired: row.registration_required,
      registrationStart: BigInt(row.registration_start),
      startAt: BigInt(row.start_at),
      endAt: BigInt(row.end_at),
      goalMin: BigInt(row.goal_min),
      goalMax: BigInt(row.goal_max),
      totalCommitted: BigInt(row.total_committed),
      finalized: row.finalized_at !== null,
      cancelled: row.cancelled_at !== null,
    },
    BigInt(row.clock_time),
  )
