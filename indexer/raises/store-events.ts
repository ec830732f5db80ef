import type { Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import { type BulkTarget, writeRows } from '../../db/bulk.ts'
import type { ValueType } from '../../db/postgres/binary-values.ts'
import type { Database } from '../../db/schema.ts'
import { type ActionRow, storeActions } from '../engine/store-actions.ts'
import type { RaiseChainEvent } from './events.ts'

/** The columns that only some kinds have. */
interface KindColumns {
  amount?: bigint
  total?: bigint
  wallet_total?: bigint
  participant_count?: bigint
  tokens_returned?: bigint
  tokens_given_up?: bigint
  exited_weight?: bigint
  recipient?: string
  support?: number
  for_votes?: bigint
  against_votes?: bigint
  abstain_votes?: bigint
}

function readKindColumns(event: RaiseChainEvent): KindColumns {
  switch (event.kind) {
    case 'raise_create':
      return { amount: event.terms.tokenAmount }
    case 'register':
      return { total: event.registeredCount }
    case 'commit':
      return {
        amount: event.amount,
        total: event.totalCommitted,
        wallet_total: event.walletTotal,
        participant_count: event.participantCount,
      }
    case 'finalize':
    case 'cancel_raise':
      return { total: event.totalCommitted }
    case 'claim_raise':
      return { amount: event.tokenAmount, total: event.tokensClaimed }
    case 'refund':
      return { amount: event.amount, total: event.totalRefunded, tokens_returned: event.tokensReturned }
    case 'reclaim_tokens':
      return { amount: event.tokenAmount }
    case 'dissolve':
      return { amount: event.escrow }
    case 'propose':
      return { amount: event.terms.amount, recipient: event.terms.recipient }
    case 'vote': {
      const { weight, support, forVotes, againstVotes, abstainVotes } = event
      return {
        ...{ amount: weight, support },
        ...{ for_votes: forVotes, against_votes: againstVotes, abstain_votes: abstainVotes },
      }
    }
    case 'exit':
      return {
        ...{ amount: event.amount, total: event.exitedAmount },
        ...{ tokens_given_up: event.tokensGivenUp, exited_weight: event.exitedWeight },
      }
    case 'execute':
      return { amount: event.amount, recipient: event.recipient, total: event.released }
    case 'cancel_proposal':
      return {}
  }
}

interface EventRow {
  event: RaiseChainEvent
  values: KindColumns
}

const kindColumn = (name: keyof KindColumns, type: ValueType) => ({
  name,
  type,
  value: (row: EventRow) => row.values[name] ?? null,
})

const target: BulkTarget<EventRow> = {
  table: 'raise_events',
  columns: [
    { name: 'block_number', type: 'bigint', value: ({ event }) => event.at.blockNumber },
    { name: 'log_index', type: 'integer', value: ({ event }) => event.at.logIndex },
    { name: 'block_time', type: 'bigint', value: ({ event }) => event.at.time },
    { name: 'tx_hash', type: 'text', value: ({ event }) => event.at.txHash },
    { name: 'raise', type: 'text', value: ({ event }) => event.raise },
    { name: 'proposal', type: 'text', value: ({ event }) => event.proposal },
    { name: 'kind', type: 'text', value: ({ event }) => event.kind },
    { name: 'wallet', type: 'text', value: ({ event }) => event.wallet },
    kindColumn('amount', 'numeric'),
    kindColumn('total', 'numeric'),
    kindColumn('wallet_total', 'numeric'),
    kindColumn('participant_count', 'bigint'),
    kindColumn('tokens_returned', 'numeric'),
    kindColumn('tokens_given_up', 'numeric'),
    kindColumn('exited_weight', 'numeric'),
    kindColumn('recipient', 'text'),
    kindColumn('support', 'smallint'),
    kindColumn('for_votes', 'numeric'),
    kindColumn('against_votes', 'numeric'),
    kindColumn('abstain_votes', 'numeric'),
  ],
}

/** The name of an amount in the API: tokens, a vote's weight, or by default native coin. */
const amountNames: Partial<Record<RaiseChainEvent['kind'], string>> = {
  raise_create: 'tokenAmount',
  claim_raise: 'tokenAmount',
  reclaim_tokens: 'tokenAmount',
  vote: 'weight',
}

/** Appends the events. All are new, so a conflict is a bug and fails. */
export async function storeEvents(trx: Transaction<Database>, events: readonly RaiseChainEvent[]): Promise<void> {
  await writeRows(trx, target, events.map(toRow))
  await storeActions(trx, toTransactions(events))
}

const toRow = (event: RaiseChainEvent): EventRow => ({ event, values: readKindColumns(event) })

export const toTransactions = (events: readonly RaiseChainEvent[]): ActionRow[] =>
  events.map((event) => toTransaction(toRow(event)))

function toTransaction({ event: { at, kind: type, wallet, raise: subject, proposal }, values }: EventRow): ActionRow {
  const { amount, recipient } = values
  const data: Record<string, string> = {}
  if (amount !== undefined && amount > 0n) data[amountNames[type] ?? 'quoteAmount'] = amount.toString()
  if (proposal !== null) data.proposal = proposal
  if (recipient !== undefined && recipient !== zeroAddress) data.recipient = recipient
  return { at, type, wallet, subject, data }
}
