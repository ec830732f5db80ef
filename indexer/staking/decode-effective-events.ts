import type { Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import type { DomainLog } from '../engine/domain.ts'
import { findCreated, keepFirstCreations } from '../engine/keep-first-creations.ts'
import type { RejectLog } from '../engine/rejected-logs.ts'
import { decodeEvents, type StakingChainEvent } from './events.ts'

/** Decodes the logs, without repeated creations of pools. */
export const decodeEffectiveEvents = (
  trx: Transaction<Database>,
  logs: readonly DomainLog[],
  rejectLog?: RejectLog,
): Promise<readonly StakingChainEvent[]> =>
  keepFirstCreations(
    decodeEvents(logs, rejectLog),
    ({ kind, pool }) => (kind === 'create-pool' ? pool : undefined),
    (ids) => findCreated(trx, 'staking_pools', ids),
    rejectLog,
  )
