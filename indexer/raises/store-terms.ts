import { sql, type Transaction } from 'kysely'
import { type BulkTarget, writeRows } from '../../db/bulk.ts'
import type { Database } from '../../db/schema.ts'
import { type OfKind, ofKind, type RaiseChainEvent } from './events.ts'

type Creation = OfKind<'raise_create'>
type Proposing = OfKind<'propose'>

/** The columns that every event has: a row for an event whose creation is not stored yet. */
const raiseKeys: BulkTarget<RaiseChainEvent> = {
  table: 'raises',
  key: ['id'],
  update: [],
  columns: [
    { name: 'id', type: 'text', value: ({ raise }) => raise },
    { name: 'contract', type: 'text', value: ({ contract }) => contract },
    { name: 'number', type: 'numeric', value: ({ raiseNumber }) => raiseNumber },
  ],
}

const proposalKeys: BulkTarget<RaiseChainEvent> = {
  table: 'raise_proposals',
  key: ['id'],
  update: [],
  columns: [
    { name: 'id', type: 'text', value: ({ proposal }) => proposal },
    { name: 'contract', type: 'text', value: ({ contract }) => contract },
    {
      name: 'number',
      type: 'numeric',
      value: (event) => ('proposalNumber' in event ? event.proposalNumber : null),
    },
    { name: 'raise', type: 'text', value: ({ raise }) => raise },
  ],
}

const raises: BulkTarget<Creation> = {
  table: 'raises',
  key: ['id'],
  columns: [
    ...raiseKeys.columns,
    { name: 'creator', type: 'text', value: ({ wallet }) => wallet },
    { name: 'token', type: 'text', value: ({ terms }) => terms.token },
    { name: 'title', type: 'text', value: ({ terms }) => terms.title },
    { name: 'metadata_uri', type: 'text', value: ({ terms }) => terms.metadataUri },
    { name: 'registration_required', type: 'boolean', value: ({ terms }) => terms.registrationRequired },
    { name: 'registration_start', type: 'bigint', value: ({ terms }) => terms.registrationStart },
    { name: 'start_at', type: 'bigint', value: ({ terms }) => terms.startAt },
    { name: 'end_at', type: 'bigint', value: ({ terms }) => terms.endAt },
    { name: 'quorum_bps', type: 'integer', value: ({ terms }) => terms.quorumBps },
    { name: 'voting_delay', type: 'bigint', value: ({ terms }) => terms.votingDelay },
    { name: 'voting_period', type: 'bigint', value: ({ terms }) => terms.votingPeriod },
    { name: 'exit_window', type: 'bigint', value: ({ terms }) => terms.exitWindow },
    { name: 'release_period', type: 'bigint', value: ({ terms }) => terms.releasePeriod },
    { name: 'release_bps', type: 'integer', value: ({ terms }) => terms.releaseBps },
    { name: 'token_amount', type: 'numeric', value: ({ terms }) => terms.tokenAmount },
    { name: 'goal_min', type: 'numeric', value: ({ terms }) => terms.goalMin },
    { name: 'goal_max', type: 'numeric', value: ({ terms }) => terms.goalMax },
    { name: 'wallet_min', type: 'numeric', value: ({ terms }) => terms.walletMin },
    { name: 'wallet_max', type: 'numeric', value: ({ terms }) => terms.walletMax },
    { name: 'created_block', type: 'bigint', value: ({ at }) => at.blockNumber },
    { name: 'created_log', type: 'integer', value: ({ at }) => at.logIndex },
    { name: 'created_at', type: 'bigint', value: ({ at }) => at.time },
    { name: 'tx_hash', type: 'text', value: ({ at }) => at.txHash },
  ],
}

const proposals: BulkTarget<Proposing> = {
  table: 'raise_proposals',
  key: ['id'],
  columns: [
    ...proposalKeys.columns,
    { name: 'proposer', type: 'text', value: ({ wallet }) => wallet },
    { name: 'title', type: 'text', value: ({ terms }) => terms.title },
    { name: 'description_uri', type: 'text', value: ({ terms }) => terms.descriptionUri },
    { name: 'amount', type: 'numeric', value: ({ terms }) => terms.amount },
    { name: 'recipient', type: 'text', value: ({ terms }) => terms.recipient },
    { name: 'vote_start', type: 'bigint', value: ({ terms }) => terms.voteStart },
    { name: 'vote_end', type: 'bigint', value: ({ terms }) => terms.voteEnd },
    { name: 'quorum', type: 'numeric', value: ({ terms }) => terms.quorum },
    { name: 'total_weight', type: 'numeric', value: ({ terms }) => terms.totalWeight },
    { name: 'executable_at', type: 'bigint', value: ({ terms }) => terms.executableAt },
    { name: 'expires_at', type: 'bigint', value: ({ terms }) => terms.expiresAt },
    { name: 'created_block', type: 'bigint', value: ({ at }) => at.blockNumber },
    { name: 'created_log', type: 'integer', value: ({ at }) => at.logIndex },
    { name: 'created_at', type: 'bigint', value: ({ at }) => at.time },
    { name: 'tx_hash', type: 'text', value: ({ at }) => at.txHash },
  ],
}

/** Stores a row for every raise and proposal of these events, with the terms of those whose creation is among them. */
export async function storeTerms(trx: Transaction<Database>, events: readonly RaiseChainEvent[]): Promise<void> {
  const ofRaises = new Map(events.map((event) => [event.raise, event]))
  await writeRows(trx, raiseKeys, [...ofRaises.values()])
  await writeRows(trx, raises, ofKind(events, 'raise_create'))
  // Before a proposal's creation, its first event decides which raise it belongs to.
  const ofProposals = new Map(
    events
      .filter(({ proposal }) => proposal !== null)
      .toReversed()
      .map((event) => [event.proposal, event]),
  )
  await writeRows(trx, proposalKeys, [...ofProposals.values()])
  await writeRows(trx, proposals, ofKind(events, 'propose'))
}

/** The columns that only a creation has; the others may come from events stored before it. */
const termsOf = (target: BulkTarget<never>, keys: BulkTarget<never>): string[] =>
  target.columns.map(({ name }) => name).filter((name) => !keys.columns.some((key) => key.name === name))

/** Clears the terms of creations from a height on. */
export async function clearTerms(trx: Transaction<Database>, from: number): Promise<void> {
  for (const [target, keys] of [
    [raises, raiseKeys],
    [proposals, proposalKeys],
  ] as const) {
    const columns = sql.join(termsOf(target, keys).map((name) => sql`${sql.ref(name)} = null`))
    await sql`update ${sql.table(target.table)} set ${columns} where created_block >= ${from}`.execute(trx)
  }
}
