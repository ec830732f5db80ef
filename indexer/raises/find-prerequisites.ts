import { type Hex, numberToHex } from 'viem'
import { type RaiseEventKind, raiseEventTopics } from '../../chain/raises-events.ts'
import type { Db } from '../../db/client.ts'
import type { Prerequisite } from '../engine/module.ts'
import type { RaiseChainEvent } from './events.ts'

/** Events that require a finalized raise. */
const afterFinalization: ReadonlySet<RaiseEventKind> = new Set([
  'claim_raise',
  'dissolve',
  'propose',
  'vote',
  'exit',
  'execute',
  'cancel_proposal',
])

interface KnownRaise {
  created_block: number | null
  finalized_at: number | null
  cancelled_at: number | null
  dissolved_at: number | null
}

/**
 * Missing creations of raises and proposals, and earlier events of a raise that these build on: claims need its
 * finalization, some refunds its cancellation, its dissolution or exits.
 */
export async function findRaisePrerequisites(db: Db, events: readonly RaiseChainEvent[]): Promise<Prerequisite[]> {
  if (events.length === 0) return []
  const raises = await findKnownRaises(db, events)
  const proposals = await findKnownProposals(db, events)
  const prerequisites = new Map<string, Prerequisite>()
  const want = (contract: string, kind: RaiseEventKind, number: bigint) => {
    const topic: Hex = raiseEventTopics[kind]
    prerequisites.set(`${contract}/${kind}/${number}`, {
      addresses: [contract],
      topics: [topic],
      topic1: numberToHex(number),
    })
  }
  for (const event of events) {
    const { contract, raiseNumber } = event
    for (const kind of listMissing(event, raises.get(event.raise))) want(contract, kind, raiseNumber)
    if ('proposalNumber' in event && !proposals.has(event.proposal ?? '')) {
      want(contract, 'propose', event.proposalNumber)
    }
  }
  return [...prerequisites.values()]
}

/** The kinds of earlier events of the raise that are missing for an event. */
function listMissing(event: RaiseChainEvent, raise: KnownRaise | undefined): RaiseEventKind[] {
  const missing: RaiseEventKind[] = []
  if (raise?.created_block == null) missing.push('raise_create')
  const isOfFinalized = event.kind === 'refund' && event.tokensReturned > 0n
  if ((afterFinalization.has(event.kind) || isOfFinalized) && raise?.finalized_at == null) missing.push('finalize')
  if (isOfFinalized && raise?.dissolved_at == null) missing.push('dissolve', 'exit')
  if (event.kind === 'refund' && !isOfFinalized && raise?.cancelled_at == null) missing.push('cancel_raise')
  return missing
}

async function findKnownRaises(db: Db, events: readonly RaiseChainEvent[]): Promise<Map<string, KnownRaise>> {
  const rows = await db
    .selectFrom('raises')
    .select(['id', 'created_block', 'finalized_at', 'cancelled_at', 'dissolved_at'])
    .where('id', 'in', [...new Set(events.map(({ raise }) => raise))])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

async function findKnownProposals(db: Db, events: readonly RaiseChainEvent[]): Promise<Set<string>> {
  const ids = [...new Set(events.flatMap(({ proposal }) => proposal ?? []))]
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('raise_proposals')
    .select('id')
    .where('id', 'in', ids)
    .where('created_block', 'is not', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
