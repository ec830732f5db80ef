import { decodeRaisesLog, type RaiseEvent } from '../../chain/raises-events.ts'
import type { EventContext } from '../engine/batch.ts'
import type { LocatedLog } from '../engine/module.ts'
import { decodeOrReject, type RejectLog } from '../engine/rejected-logs.ts'

/** An event of a raise, with its context. `proposal` is null unless the event is about one. */
export type RaiseChainEvent = { at: EventContext; raise: string; proposal: string | null } & RaiseEvent
export type OfKind<K extends RaiseEvent['kind']> = Extract<RaiseChainEvent, { kind: K }>

/** The id of a raise or proposal in the API: unique across contracts, and the same in every database. */
const toId = (contract: string, number: bigint): string => `${contract}-${number}`

export function decodeEvents(logs: readonly LocatedLog[], rejectLog?: RejectLog): RaiseChainEvent[] {
  return logs.flatMap(({ at, log }) => {
    const event = decodeOrReject(decodeRaisesLog, log, at, rejectLog)
    if (!event) return []
    const raise = toId(event.contract, event.raiseNumber)
    const proposal = 'proposalNumber' in event ? toId(event.contract, event.proposalNumber) : null
    return [{ at, raise, proposal, ...event }]
  })
}

export const ofKind = <K extends RaiseEvent['kind']>(events: readonly RaiseChainEvent[], kind: K): OfKind<K>[] =>
  events.filter((event): event is OfKind<K> => event.kind === kind)
