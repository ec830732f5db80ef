import { type RawBuilder, sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import type { RaiseEventKind } from '../../chain/raises-events.ts'
import type { Database } from '../../db/schema.ts'
import { addToCounters } from './add-to-counters.ts'
import type { RaiseChainEvent } from './events.ts'

/** Events of a wallet's own commitment. */
const ofCommitters: ReadonlySet<RaiseEventKind> = new Set(['register', 'commit', 'claim_raise', 'refund', 'exit'])

/**
 * Recomputes the rows that these events touch from raise_events, after the events were added (sign 1) or deleted (-1).
 * Each key costs a few index probes, however long its history.
 */
export async function refreshFigures(
  trx: Transaction<Database>,
  events: readonly RaiseChainEvent[],
  sign: 1 | -1,
): Promise<void> {
  await addToCounters(trx, events, sign)
  await refreshRaises(trx, [...new Set(events.map(({ raise }) => raise))])
  await refreshProposals(trx, [...new Set(events.flatMap(({ proposal }) => proposal ?? []))])
  const touched = new Map(
    events
      .filter(({ kind }) => ofCommitters.has(kind))
      .map(({ raise, wallet }) => [`${raise}/${wallet}`, { raise, wallet }]),
  )
  await refreshCommitments(trx, [...touched.values()])
}

/** Joins the latest event of a kind that matches `where`, laterally, under the kind's name. */
const joinLatest = (kind: RaiseEventKind, where: RawBuilder<unknown>) => sql`
  left join lateral (
    select * from raise_events where ${where} and kind = ${sql.lit(kind)}
    order by block_number desc, log_index desc limit 1
  ) ${sql.ref(kind)} on true`

async function refreshRaises(trx: Transaction<Database>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const latest = (kind: RaiseEventKind) => joinLatest(kind, sql`raise = k.id`)
  await sql`
    update raises r set
      registered_count = e.registered_count, participant_count = e.participant_count,
      total_committed = e.total_committed, cancelled_at = e.cancelled_at, finalized_at = e.finalized_at,
      dissolved_at = e.dissolved_at, last_release_at = e.last_release_at, released = e.released,
      refunded = e.refunded, tokens_claimed = e.tokens_claimed, exited_weight = e.exited_weight,
      exited_amount = e.exited_amount
    from (
      select k.id, coalesce(register.total, 0)::bigint as registered_count,
        coalesce("commit".participant_count, 0) as participant_count,
        coalesce(greatest("commit".total, finalize.total, cancel_raise.total), 0) as total_committed,
        cancel_raise.block_time as cancelled_at, finalize.block_time as finalized_at,
        dissolve.block_time as dissolved_at, coalesce(release.block_time, finalize.block_time) as last_release_at,
        coalesce("execute".total, 0) as released, coalesce(refund.total, 0) as refunded,
        coalesce(claim_raise.total, 0) as tokens_claimed, coalesce("exit".exited_weight, 0) as exited_weight,
        coalesce("exit".total, 0) as exited_amount
      from unnest(${ids}::text[]) as k (id)
      ${latest('register')} ${latest('commit')} ${latest('finalize')} ${latest('cancel_raise')}
      ${latest('dissolve')} ${latest('execute')} ${latest('refund')} ${latest('claim_raise')}
      ${latest('exit')}
      left join lateral (
        select * from raise_events where raise = k.id and kind = 'execute' and recipient <> ${zeroAddress}
        order by block_number desc, log_index desc limit 1
      ) release on true
    ) e where e.id = r.id`.execute(trx)
}

async function refreshProposals(trx: Transaction<Database>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const latest = (kind: RaiseEventKind) => joinLatest(kind, sql`proposal = k.id`)
  await sql`
    update raise_proposals p set
      for_votes = e.for_votes, against_votes = e.against_votes, abstain_votes = e.abstain_votes,
      executed_at = e.executed_at, executed_amount = e.executed_amount, cancelled_at = e.cancelled_at
    from (
      select k.id, coalesce(vote.for_votes, 0) as for_votes, coalesce(vote.against_votes, 0) as against_votes,
        coalesce(vote.abstain_votes, 0) as abstain_votes, "execute".block_time as executed_at,
        "execute".amount as executed_amount,
        cancel_proposal.block_time as cancelled_at
      from unnest(${ids}::text[]) as k (id)
      ${latest('vote')} ${latest('execute')} ${latest('cancel_proposal')}
    ) e where e.id = p.id`.execute(trx)
}

async function refreshCommitments(
  trx: Transaction<Database>,
  touched: readonly { raise: string; wallet: string }[],
): Promise<void> {
  if (touched.length === 0) return
  const latest = (kind: RaiseEventKind) => joinLatest(kind, sql`raise = k.raise and wallet = k.wallet`)
  const position = (kind: RaiseEventKind) =>
    sql`case when ${sql.ref(`${kind}.block_number`)} is not null
      then array[${sql.ref(`${kind}.block_number`)}, ${sql.ref(`${kind}.log_index`)}::bigint] end`
  const keys = sql`unnest(${touched.map(({ raise }) => raise)}::text[], ${touched.map(({ wallet }) => wallet)}::text[])
    as k (raise, wallet)`
  await sql`delete from raise_commitments c using ${keys} where c.raise = k.raise and c.wallet = k.wallet`.execute(trx)
  await sql`
    insert into raise_commitments (raise, wallet, state_block, state_log, registered, amount, tokens_claimed, refunded,
      tokens_returned, exited_amount, tokens_given_up)
    select raise, wallet, state[1], state[2]::integer, registered, amount, tokens_claimed, refunded, tokens_returned,
      exited_amount, tokens_given_up
    from (
      select k.raise, k.wallet, register.block_number is not null as registered,
        coalesce("commit".wallet_total, 0) as amount, claim_raise.amount as tokens_claimed,
        refund.amount as refunded, refund.tokens_returned, "exit".amount as exited_amount, "exit".tokens_given_up,
        greatest(${position('register')}, ${position('commit')}, ${position('claim_raise')},
          ${position('refund')}, ${position('exit')}) as state
      from ${keys} ${latest('register')} ${latest('commit')} ${latest('claim_raise')} ${latest('refund')}
        ${latest('exit')}
    ) e where state is not null`.execute(trx)
}
