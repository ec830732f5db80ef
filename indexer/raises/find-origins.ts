import { type Hex, numberToHex } from 'viem'
import { type RaiseEventKind, raiseEventTopics } from '../../chain/raises-events.ts'
import type { Db } from '../../db/client.ts'
import type { DomainLog, Origin } from '../engine/domain.ts'
import { type RaiseHappening, readHappenings } from './happenings.ts'

/** What can only be done to a raise that was finalized. */
const afterFinalization: ReadonlySet<RaiseEventKind> = new Set([
  'claim_raise',
  'dissolve',
  'propose',
  'vote',
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
 * The creations of raises and proposals that the database does not know, and what must have happened to a raise before:
 * claims follow its finalization, some refunds its cancellation or dissolution.
 */
export async function findRaiseOrigins(db: Db, logs: readonly DomainLog[]): Promise<Origin[]> {
  const happenings = readHappenings(logs)
  if (happenings.length === 0) return []
  const raises = await findKnownRaises(db, happenings)
  const proposals = await findKnownProposals(db, happenings)
  const origins = new Map<string, Origin>()
  const want = (contract: string, kind: RaiseEventKind, number: bigint) => {
    const topic: Hex = raiseEventTopics[kind]
    origins.set(`${contract}/${kind}/${number}`, { contract, topic, word: numberToHex(number) })
  }
  for (const happening of happenings) {
    const { contract, raiseNumber } = happening
    for (const kind of listMissing(happening, raises.get(happening.raise))) want(contract, kind, raiseNumber)
    if ('proposalNumber' in happening && !proposals.has(happening.proposal ?? '')) {
      want(contract, 'propose', happening.proposalNumber)
    }
  }
  return [...origins.values()]
}

/** The events of the raise that an event of it builds on, and that are not known. */
function listMissing(happening: RaiseHappening, raise: KnownRaise | undefined): RaiseEventKind[] {
  const missing: RaiseEventKind[] = []
  if (raise?.created_block == null) missing.push('raise_create')
  const isDissolved = happening.kind === 'refund' && happening.tokensReturned > 0n
  if ((afterFinalization.has(happening.kind) || isDissolved) && raise?.finalized_at == null) missing.push('finalize')
  if (isDissolved && raise?.dissolved_at == null) missing.push('dissolve')
  if (happening.kind === 'refund' && !isDissolved && raise?.cancelled_at == null) missing.push('cancel_raise')
  return missing
}

async function findKnownRaises(db: Db, happenings: readonly RaiseHappening[]): Promise<Map<string, KnownRaise>> {
  const rows = await db
    .selectFrom('raises')
    .select(['id', 'created_block', 'finalized_at', 'cancelled_at', 'dissolved_at'])
    .where('id', 'in', [...new Set(happenings.map(({ raise }) => raise))])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

async function findKnownProposals(db: Db, happenings: readonly RaiseHappening[]): Promise<Set<string>> {
  const ids = [...new Set(happenings.flatMap(({ proposal }) => proposal ?? []))]
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('raise_proposals')
    .select('id')
    .where('id', 'in', ids)
    .where('created_block', 'is not', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
