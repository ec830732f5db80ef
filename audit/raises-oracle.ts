import { raisesAbi } from '../chain/abi/raises.ts'
import { type AuditedBlock, at, decodeByAbi, type Expected, type IsFirst, keyOf, lower, textOf } from './expected.ts'
import type { Row } from './findings.ts'

const kinds: Record<string, string> = {
  RaiseCreated: 'raise_create',
  Registered: 'register',
  Committed: 'commit',
  Finalized: 'finalize',
  Cancelled: 'cancel_raise',
  Claimed: 'claim_raise',
  Refunded: 'refund',
  TokensReclaimed: 'reclaim_tokens',
  Dissolved: 'dissolve',
  ProposalCreated: 'propose',
  VoteCast: 'vote',
  Exited: 'exit',
  ProposalExecuted: 'execute',
  ProposalCancelled: 'cancel_proposal',
}

/** The arguments that name the actor. */
const actors = ['wallet', 'caller', 'creator', 'proposer', 'voter']

/** The columns of raise_events, by the names of the events' arguments. */
const columns: Record<string, string> = {
  amount: 'amount',
  tokenAmount: 'amount',
  escrow: 'amount',
  weight: 'amount',
  registeredCount: 'total',
  totalCommitted: 'total',
  tokensClaimed: 'total',
  totalRefunded: 'total',
  released: 'total',
  walletTotal: 'wallet_total',
  participantCount: 'participant_count',
  tokensReturned: 'tokens_returned',
  exitedAmount: 'total',
  exitedWeight: 'exited_weight',
  tokensGivenUp: 'tokens_given_up',
  support: 'support',
  forVotes: 'for_votes',
  againstVotes: 'against_votes',
  abstainVotes: 'abstain_votes',
}

/** Computes the expected rows of raises logs, with viem's decoder. */
export function expectRaisesLogs(
  out: Expected,
  block: AuditedBlock,
  contracts: ReadonlySet<string>,
  isFirst: IsFirst,
): void {
  for (const log of block.logs) {
    const contract = lower(log.address)
    const event = contracts.has(contract) ? decodeByAbi(raisesAbi, log) : undefined
    const kind = event && kinds[event.eventName]
    if (!kind) continue
    const args = { ...((event.args.params as object | undefined) ?? {}), ...event.args } as Record<string, unknown>
    const where = at(block, log)
    const raise = `${contract}-${args.raiseId}`
    const proposal = args.proposalId === undefined ? null : `${contract}-${args.proposalId}`
    const made = kind === 'raise_create' ? raise : kind === 'propose' ? proposal : null
    if (made !== null && !isFirst([`${kind} ${made}`], keyOf(block, log))) continue
    const wallet = lower(args[actors.find((name) => args[name] !== undefined) ?? ''])
    const row: Row = Object.fromEntries([...new Set(Object.values(columns))].map((column) => [column, null]))
    for (const [name, column] of Object.entries(columns)) {
      if (args[name] !== undefined) row[column] = args[name] as bigint
    }
    const recipient = args.recipient === undefined ? null : lower(args.recipient)
    out.raiseEvents.set(keyOf(block, log), { ...where, raise, proposal, kind, wallet, recipient, ...row })
    out.actions.set(keyOf(block, log), { ...where, type: kind, wallet, subject: raise })
    const { block_number, log_index, block_time, tx_hash } = where as Record<string, string | number>
    const created = {
      created_block: block_number!,
      created_log: log_index!,
      created_at: block_time!,
      tx_hash: tx_hash!,
    }
    if (kind === 'raise_create') {
      const texts = { title: textOf(args, 'title'), metadata_uri: textOf(args, 'metadataURI') }
      out.raises.set(raise, { contract, number: args.raiseId as bigint, ...texts, ...created })
    }
    if (kind === 'propose') {
      const texts = { title: textOf(args, 'title'), description_uri: textOf(args, 'descriptionURI') }
      out.raiseProposals.set(proposal ?? '', { contract, number: args.proposalId as bigint, ...texts, ...created })
    }
  }
}
