import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { NotificationType } from '../../db/queries/notifications.ts'
import type { Database } from '../../db/schema.ts'
import { isNews, MAX_AUDIENCE } from '../engine/news.ts'
import { ofKind, type RaiseHappening } from './happenings.ts'

/** What is told of an event, beyond whose doing it was and where it stands. */
interface News {
  happening: RaiseHappening
  type: NotificationType
  payload: Record<string, string>
}

/**
 * Tells followers of a creator that it opened a raise, and those who committed to one of its outcome, of proposals and of
 * what is done with their money. The largest commitments are told first. clock: unix seconds.
 */
export async function notifyOfRaises(
  trx: Transaction<Database>,
  happenings: readonly RaiseHappening[],
  clock: number,
): Promise<void> {
  const recent = happenings.filter(({ at }) => isNews(at, clock))
  const openings = ofKind(recent, 'raise_create').map((happening) => {
    const { title, token } = happening.terms
    return { happening, type: 'raise_opened' as const, payload: { title, token } }
  })
  const followers = sql`select follower as wallet from follows where followee = e.actor
    order by created_at desc, follower desc limit ${MAX_AUDIENCE}`
  await tell(trx, openings, followers)
  const committers = sql`select wallet from raise_commitments where raise = e.raise and amount > 0
    order by amount desc, wallet desc limit ${MAX_AUDIENCE}`
  await tell(
    trx,
    recent.flatMap((happening) => describe(happening) ?? []),
    committers,
  )
}

/** Undefined: nothing that committers are told of. */
function describe(happening: RaiseHappening): News | undefined {
  const proposal = happening.proposal ?? ''
  switch (happening.kind) {
    case 'finalize': {
      const type = happening.succeeded ? 'raise_finalized' : 'raise_failed'
      return { happening, type, payload: { totalCommitted: happening.totalCommitted.toString() } }
    }
    case 'cancel_raise':
      return { happening, type: 'raise_cancelled', payload: { totalCommitted: happening.totalCommitted.toString() } }
    case 'dissolve':
      return { happening, type: 'raise_dissolved', payload: { escrow: happening.escrow.toString() } }
    case 'propose': {
      const { title, amount, recipient } = happening.terms
      return {
        happening,
        type: 'raise_proposal_opened',
        payload: { proposal, title, amount: amount.toString(), recipient },
      }
    }
    case 'execute': {
      const { amount, recipient } = happening
      return { happening, type: 'raise_proposal_executed', payload: { proposal, amount: amount.toString(), recipient } }
    }
    default:
      return undefined
  }
}

/** audience: the wallets that hear of an event `e`. Nobody hears of what it did itself. */
async function tell(trx: Transaction<Database>, news: readonly News[], audience: RawBuilder<unknown>): Promise<void> {
  if (news.length === 0) return
  const payloads = news.map(({ happening: { at }, payload }) => {
    const timestamp = new Date(at.time * 1000).toISOString()
    return JSON.stringify({ ...payload, txHash: at.txHash, blockNumber: at.block, logIndex: at.log, timestamp })
  })
  const column = <T>(read: (happening: RaiseHappening) => T) => news.map(({ happening }) => read(happening))
  await sql`
    insert into notifications (recipient, type, actor, subject, payload, block_number, log_index)
    select r.wallet, e.type, e.actor, e.raise, e.payload, e.block_number, e.log_index
    from unnest(${news.map(({ type }) => type)}::text[], ${column(({ wallet }) => wallet)}::text[],
      ${column(({ raise }) => raise)}::text[], ${payloads}::jsonb[], ${column(({ at }) => at.block)}::bigint[],
      ${column(({ at }) => at.log)}::integer[])
      with ordinality as e (type, actor, raise, payload, block_number, log_index, n)
    cross join lateral (${audience}) r
    where r.wallet <> e.actor
    order by n
    on conflict do nothing`.execute(trx)
}
