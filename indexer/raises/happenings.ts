import { decodeRaisesLog, type RaiseEvent } from '../../chain/raises-events.ts'
import type { At } from '../engine/batch.ts'
import type { DomainLog } from '../engine/domain.ts'
import { decodeOrRefuse, type Refuse } from '../engine/refusals.ts'

/** An event of a raise, and where and when it happened. `proposal` is null of what is not about one. */
export type RaiseHappening = { at: At; raise: string; proposal: string | null } & RaiseEvent
export type OfKind<K extends RaiseEvent['kind']> = Extract<RaiseHappening, { kind: K }>

/** The id of a raise, or of a proposal, in the API: unique over contracts, and the same in every database. */
const toId = (contract: string, number: bigint): string => `${contract}-${number}`

export function readHappenings(logs: readonly DomainLog[], refuse?: Refuse): RaiseHappening[] {
  return logs.flatMap(({ at, log }) => {
    const event = decodeOrRefuse(decodeRaisesLog, log, at, refuse)
    if (!event) return []
    const raise = toId(event.contract, event.raiseNumber)
    const proposal = 'proposalNumber' in event ? toId(event.contract, event.proposalNumber) : null
    return [{ at, raise, proposal, ...event }]
  })
}

/** Those of one kind. */
export const ofKind = <K extends RaiseEvent['kind']>(happenings: readonly RaiseHappening[], kind: K): OfKind<K>[] =>
  happenings.filter((happening): happening is OfKind<K> => happening.kind === kind)
