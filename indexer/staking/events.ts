import {
  decodeStakingLog,
  type FundedEvent,
  type PositionEvent,
  type StakingEvent,
} from '../../chain/staking-events.ts'
import type { EventContext } from '../engine/batch.ts'
import type { LocatedLog } from '../engine/module.ts'
import { decodeOrReject, type RejectLog } from '../engine/rejected-logs.ts'

/** An event of a pool, with its context. */
export type StakingChainEvent = { at: EventContext; pool: string } & StakingEvent
/** Events with an actor: all but a pool's creation. */
export type StakingAction = Extract<StakingChainEvent, PositionEvent | FundedEvent>
export type PositionAction = Extract<StakingChainEvent, PositionEvent>

/** The id of a pool in the API: unique across contracts, and the same in every database. */
const toPoolId = (contract: string, number: bigint): string => `${contract}-${number}`

export function decodeEvents(logs: readonly LocatedLog[], rejectLog?: RejectLog): StakingChainEvent[] {
  return logs.flatMap(({ at, log }) => {
    const event = decodeOrReject(decodeStakingLog, log, at, rejectLog)
    return event ? [{ at, pool: toPoolId(event.contract, event.number), ...event }] : []
  })
}

export const isAction = (event: StakingChainEvent): event is StakingAction => event.kind !== 'create-pool'

export const isPositionAction = (event: StakingChainEvent): event is PositionAction =>
  isAction(event) && event.kind !== 'fund'
