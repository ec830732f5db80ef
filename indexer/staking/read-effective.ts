import type { Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import type { DomainLog } from '../engine/domain.ts'
import { findCreated, keepFirst } from '../engine/first.ts'
import type { Refuse } from '../engine/refusals.ts'
import { readHappenings, type StakingHappening } from './happenings.ts'

/** What the logs say, without creations of pools that were created before. */
export const readEffective = (
  trx: Transaction<Database>,
  logs: readonly DomainLog[],
  refuse?: Refuse,
): Promise<readonly StakingHappening[]> =>
  keepFirst(
    readHappenings(logs, refuse),
    ({ kind, pool }) => (kind === 'create-pool' ? pool : undefined),
    (ids) => findCreated(trx, 'staking_pools', ids),
    refuse,
  )
