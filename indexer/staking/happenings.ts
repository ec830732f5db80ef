import {
  decodeStakingLog,
  type FundedEvent,
  type PositionEvent,
  type StakingEvent,
} from '../../chain/staking-events.ts'
import type { At } from '../engine/batch.ts'
import type { DomainLog } from '../engine/domain.ts'
import { decodeOrRefuse, type Refuse } from '../engine/refusals.ts'

/** An event of a pool, and where and when it happened. */
export type StakingHappening = { at: At; pool: string } & StakingEvent
/** Those that somebody did: all but a pool's creation. */
export type StakingAct = Extract<StakingHappening, PositionEvent | FundedEvent>
export type PositionAct = Extract<StakingHappening, PositionEvent>

/** The id of a pool in the API: unique over contracts, and the same in every database. */
const toPoolId = (contract: string, number: bigint): string => `${contract}-${number}`

export function readHappenings(logs: readonly DomainLog[], refuse?: Refuse): StakingHappening[] {
  return logs.flatMap(({ at, log }) => {
    const event = decodeOrRefuse(decodeStakingLog, log, at, refuse)
    return event ? [{ at, pool: toPoolId(event.contract, event.number), ...event }] : []
  })
}

export const isAct = (happening: StakingHappening): happening is StakingAct => happening.kind !== 'create-pool'

export const isOfPosition = (happening: StakingHappening): happening is PositionAct =>
  isAct(happening) && happening.kind !== 'fund'
