import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import { type OfKind, ofKind, type RaiseChainEvent } from './events.ts'

interface RaiseDelta {
  returned: bigint
  reclaimed: bigint
  proposals: number
}

/** Updates the totals that no event carries: adds the events' amounts, or subtracts them with sign -1. */
export async function addToCounters(
  trx: Transaction<Database>,
  events: readonly RaiseChainEvent[],
  sign: 1 | -1,
): Promise<void> {
  const raises = new Map<string, RaiseDelta>()
  for (const event of events) {
    const { raise, kind } = event
    const deltas = raises.get(raise) ?? { returned: 0n, reclaimed: 0n, proposals: 0 }
    if (kind === 'refund') deltas.returned += event.tokensReturned
    else if (kind === 'reclaim_tokens') deltas.reclaimed += event.tokenAmount
    else if (kind === 'propose') deltas.proposals++
    raises.set(raise, deltas)
  }
  const changed = [...raises].filter(
    ([, deltas]) => deltas.returned > 0n || deltas.reclaimed > 0n || deltas.proposals > 0,
  )
  if (changed.length > 0) {
    const [ids, deltas] = [changed.map(([raise]) => raise), changed.map(([, values]) => values)]
    await sql`
      update raises r set tokens_returned = tokens_returned + ${sign}::integer * e.returned,
        tokens_reclaimed = tokens_reclaimed + ${sign}::integer * e.reclaimed,
        proposal_count = proposal_count + ${sign}::integer * e.proposals
      from unnest(${ids}::text[], ${deltas.map(({ returned }) => returned.toString())}::numeric[],
        ${deltas.map(({ reclaimed }) => reclaimed.toString())}::numeric[],
        ${deltas.map(({ proposals }) => proposals)}::bigint[]) as e (raise, returned, reclaimed, proposals)
      where r.id = e.raise`.execute(trx)
  }
  await countVoters(trx, ofKind(events, 'vote'), sign)
}

/** Counts wallets whose first or only votes on a proposal these are: a later vote of a wallet replaces the earlier one. */
async function countVoters(trx: Transaction<Database>, votes: readonly OfKind<'vote'>[], sign: 1 | -1): Promise<void> {
  if (votes.length === 0) return
  // Added votes are stored by now, and deleted ones are not.
  const own = sign === 1 ? sql`v.votes` : sql`0`
  await sql`
    update raise_proposals p set voter_count = voter_count + ${sign}::integer * e.voters
    from (
      select v.proposal, count(*) as voters
      from (
        select proposal, wallet, count(*) as votes
        from unnest(${votes.map(({ proposal }) => proposal)}::text[], ${votes.map(({ wallet }) => wallet)}::text[])
          as v (proposal, wallet)
        group by proposal, wallet
      ) v
      where ${own} = (
        select count(*) from raise_events s where s.kind = 'vote' and s.proposal = v.proposal and s.wallet = v.wallet
      )
      group by v.proposal
    ) e where p.id = e.proposal`.execute(trx)
}
