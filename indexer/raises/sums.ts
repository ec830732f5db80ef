import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import type { RaiseHappening } from './happenings.ts'

interface Sums {
  returned: bigint
  reclaimed: bigint
  proposals: number
}

/** What no event tells as a whole: added, or with sign -1 taken off again. */
export async function addToSums(
  trx: Transaction<Database>,
  happenings: readonly RaiseHappening[],
  sign: 1 | -1,
): Promise<void> {
  const raises = new Map<string, Sums>()
  const voters = new Map<string, number>()
  for (const happening of happenings) {
    const { raise, proposal, kind } = happening
    const sums = raises.get(raise) ?? { returned: 0n, reclaimed: 0n, proposals: 0 }
    if (kind === 'refund') sums.returned += happening.tokensReturned
    else if (kind === 'reclaim_tokens') sums.reclaimed += happening.tokenAmount
    else if (kind === 'propose') sums.proposals++
    else if (kind === 'vote' && proposal !== null) voters.set(proposal, (voters.get(proposal) ?? 0) + 1)
    raises.set(raise, sums)
  }
  const changed = [...raises].filter(([, sums]) => sums.returned > 0n || sums.reclaimed > 0n || sums.proposals > 0)
  if (changed.length > 0) {
    const [ids, sums] = [changed.map(([raise]) => raise), changed.map(([, values]) => values)]
    await sql`
      update raises r set tokens_returned = tokens_returned + ${sign}::integer * e.returned,
        tokens_reclaimed = tokens_reclaimed + ${sign}::integer * e.reclaimed,
        proposal_count = proposal_count + ${sign}::integer * e.proposals
      from unnest(${ids}::text[], ${sums.map(({ returned }) => returned.toString())}::numeric[],
        ${sums.map(({ reclaimed }) => reclaimed.toString())}::numeric[],
        ${sums.map(({ proposals }) => proposals)}::bigint[]) as e (raise, returned, reclaimed, proposals)
      where r.id = e.raise`.execute(trx)
  }
  if (voters.size > 0) {
    await sql`
      update raise_proposals p set voter_count = voter_count + ${sign}::integer * e.voters
      from unnest(${[...voters.keys()]}::text[], ${[...voters.values()]}::bigint[]) as e (proposal, voters)
      where p.id = e.proposal`.execute(trx)
  }
}
