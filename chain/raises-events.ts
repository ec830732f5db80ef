import { type Abi, decodeEventLog, type Hex, toEventSelector } from 'viem'
import { cleanLine } from '../lib/text/clean-text.ts'
import { raisesAbi } from './abi/raises.ts'
import { clampTime, dropLongUri, MAX_TITLE, requireAmounts, requireBps, requireCount, truncateText } from './bounds.ts'
import { dataAddress, dataAmount, dataHex, type Log } from './logs/log.ts'

/** Common fields: contract, raise number in that contract, and the acting wallet. */
interface RaiseEventBase {
  contract: string
  raiseNumber: bigint
  wallet: string
}

/** The creator's parameters. Amounts in base units, times and durations in seconds. */
export interface RaiseTerms {
  token: string
  registrationRequired: boolean
  quorumBps: number
  votingDelay: number
  votingPeriod: number
  /** 0 without registration. */
  registrationStart: bigint
  startAt: bigint
  endAt: bigint
  tokenAmount: bigint
  goalMin: bigint
  goalMax: bigint
  walletMin: bigint
  walletMax: bigint
  title: string
  metadataUri: string
  /** Rules of the contract. */
  exitWindow: number
  releasePeriod: number
  releaseBps: number
}

export interface RaiseCreatedEvent extends RaiseEventBase {
  kind: 'raise_create'
  terms: RaiseTerms
}

export interface RegisteredEvent extends RaiseEventBase {
  kind: 'register'
  registeredCount: bigint
}

export interface CommittedEvent extends RaiseEventBase {
  kind: 'commit'
  amount: bigint
  walletTotal: bigint
  totalCommitted: bigint
  participantCount: bigint
}

export interface FinalizedEvent extends RaiseEventBase {
  kind: 'finalize'
  /** False if the raise failed. */
  succeeded: boolean
  totalCommitted: bigint
}

export interface CancelledEvent extends RaiseEventBase {
  kind: 'cancel_raise'
  totalCommitted: bigint
}

export interface ClaimedEvent extends RaiseEventBase {
  kind: 'claim_raise'
  tokenAmount: bigint
  /** Total of all wallets. */
  tokensClaimed: bigint
}

export interface RefundedEvent extends RaiseEventBase {
  kind: 'refund'
  amount: bigint
  tokensReturned: bigint
  /** Total of all wallets. */
  totalRefunded: bigint
}

export interface ReclaimedEvent extends RaiseEventBase {
  kind: 'reclaim_tokens'
  tokenAmount: bigint
}

export interface DissolvedEvent extends RaiseEventBase {
  kind: 'dissolve'
  escrow: bigint
}

interface ProposalEventBase extends RaiseEventBase {
  proposalNumber: bigint
}

export interface ProposalTerms {
  amount: bigint
  /** The zero address marks a proposal to dissolve the raise. */
  recipient: string
  title: string
  descriptionUri: string
  voteStart: bigint
  voteEnd: bigint
  quorum: bigint
  /** The weight of all wallets that had not left. */
  totalWeight: bigint
  executableAt: bigint
  expiresAt: bigint
}

export interface ProposedEvent extends ProposalEventBase {
  kind: 'propose'
  terms: ProposalTerms
}

export interface VotedEvent extends ProposalEventBase {
  kind: 'vote'
  /** 0 against, 1 for, 2 abstain. */
  support: number
  weight: bigint
  forVotes: bigint
  againstVotes: bigint
  abstainVotes: bigint
}

export interface ExitedEvent extends ProposalEventBase {
  kind: 'exit'
  /** Set aside for the wallet. */
  amount: bigint
  tokensGivenUp: bigint
  /** Totals of all wallets that left. */
  exitedWeight: bigint
  exitedAmount: bigint
}

export interface ExecutedEvent extends ProposalEventBase {
  kind: 'execute'
  amount: bigint
  recipient: string
  /** Total of all proposals of the raise. */
  released: bigint
}

export interface ProposalCancelledEvent extends ProposalEventBase {
  kind: 'cancel_proposal'
}

export type RaiseEvent =
  | RaiseCreatedEvent
  | RegisteredEvent
  | CommittedEvent
  | FinalizedEvent
  | CancelledEvent
  | ClaimedEvent
  | RefundedEvent
  | ReclaimedEvent
  | DissolvedEvent
  | ProposedEvent
  | VotedEvent
  | ExitedEvent
  | ExecutedEvent
  | ProposalCancelledEvent
export type RaiseEventKind = RaiseEvent['kind']

/** RaiseStatus.Finalized, RaiseStatus.Cancelled and the `support` value for abstain; the latter two are the largest values. */
const FINALIZED = 6
const CANCELLED = 7
const ABSTAIN = 2

export const raiseEventTopics = {
  raise_create: selector('RaiseCreated'),
  register: selector('Registered'),
  commit: selector('Committed'),
  finalize: selector('Finalized'),
  cancel_raise: selector('Cancelled'),
  claim_raise: selector('Claimed'),
  refund: selector('Refunded'),
  reclaim_tokens: selector('TokensReclaimed'),
  dissolve: selector('Dissolved'),
  propose: selector('ProposalCreated'),
  vote: selector('VoteCast'),
  exit: selector('Exited'),
  execute: selector('ProposalExecuted'),
  cancel_proposal: selector('ProposalCancelled'),
} as const satisfies Record<RaiseEventKind, Hex>

export const raisesTopics: readonly Hex[] = Object.values(raiseEventTopics)

const kinds = new Map<string, RaiseEventKind>(
  Object.entries(raiseEventTopics).map(([kind, topic]) => [topic, kind as RaiseEventKind]),
)

function selector(name: string): Hex {
  const event = raisesAbi.find((item) => item.type === 'event' && item.name === name)
  if (!event) throw new Error(`The raises contract's ABI has no event ${name}`)
  return toEventSelector(event as Extract<Abi[number], { type: 'event' }>)
}

/** The decoded event of a raises contract log; undefined for an unknown topic0. Events without text are read by word offset. */
export function decodeRaisesLog(log: Log): RaiseEvent | undefined {
  const kind = kinds.get(log.topic0)
  return kind && decoders[kind](log)
}

const decoders: Record<RaiseEventKind, (log: Log) => RaiseEvent> = {
  raise_create: (log) => ({ kind: 'raise_create', ...ofRaise(log), terms: decodeRaiseTerms(log) }),
  register: (log) => ({ kind: 'register', ...ofRaise(log), registeredCount: requireCount(dataAmount(log, 0)) }),
  commit: (log) => ({
    kind: 'commit',
    ...ofRaise(log),
    amount: dataAmount(log, 0),
    walletTotal: dataAmount(log, 1),
    totalCommitted: dataAmount(log, 2),
    participantCount: requireCount(dataAmount(log, 3)),
  }),
  finalize: (log) => ({
    kind: 'finalize',
    ...ofRaise(log),
    succeeded: readChoice(log, CANCELLED) === FINALIZED,
    totalCommitted: dataAmount(log, 1),
  }),
  cancel_raise: (log) => ({ kind: 'cancel_raise', ...ofRaise(log), totalCommitted: dataAmount(log, 0) }),
  claim_raise: (log) => ({
    kind: 'claim_raise',
    ...ofRaise(log),
    tokenAmount: dataAmount(log, 0),
    tokensClaimed: dataAmount(log, 1),
  }),
  refund: (log) => ({
    kind: 'refund',
    ...ofRaise(log),
    amount: dataAmount(log, 0),
    tokensReturned: dataAmount(log, 1),
    totalRefunded: dataAmount(log, 2),
  }),
  reclaim_tokens: (log) => ({ kind: 'reclaim_tokens', ...ofRaise(log), tokenAmount: dataAmount(log, 0) }),
  dissolve: (log) => ({ kind: 'dissolve', ...ofRaise(log), escrow: dataAmount(log, 0) }),
  propose: (log) => ({ kind: 'propose', ...ofProposal(log), terms: decodeProposalTerms(log) }),
  vote: (log) => ({
    kind: 'vote',
    ...ofProposal(log),
    support: readChoice(log, ABSTAIN),
    weight: dataAmount(log, 1),
    forVotes: dataAmount(log, 2),
    againstVotes: dataAmount(log, 3),
    abstainVotes: dataAmount(log, 4),
  }),
  exit: (log) => ({
    kind: 'exit',
    contract: log.address,
    raiseNumber: topicNumber(log, 1),
    proposalNumber: topicNumber(log, 2),
    wallet: log.topicAddress(3),
    amount: dataAmount(log, 0),
    tokensGivenUp: dataAmount(log, 1),
    exitedWeight: dataAmount(log, 2),
    exitedAmount: dataAmount(log, 3),
  }),
  execute: (log) => ({
    kind: 'execute',
    ...ofProposal(log),
    amount: dataAmount(log, 0),
    recipient: dataAddress(log, 1),
    released: dataAmount(log, 2),
  }),
  cancel_proposal: (log) => ({ kind: 'cancel_proposal', ...ofProposal(log) }),
}

/** The first data word as an enum value. Throws RangeError above `last`. */
function readChoice(log: Log, last: number): number {
  const choice = dataAmount(log, 0)
  if (choice > last) throw new RangeError(`${choice} is none of ${last + 1}`)
  return Number(choice)
}

const topicNumber = (log: Log, index: number) => BigInt(log.topic(index) ?? '0x')

const ofRaise = (log: Log): RaiseEventBase => ({
  contract: log.address,
  raiseNumber: topicNumber(log, 1),
  wallet: log.topicAddress(2),
})

const ofProposal = (log: Log): ProposalEventBase => ({
  contract: log.address,
  proposalNumber: topicNumber(log, 1),
  raiseNumber: topicNumber(log, 2),
  wallet: log.topicAddress(3),
})

function decodeRaiseTerms(log: Log): RaiseTerms {
  const { args } = decodeEventLog({
    abi: raisesAbi,
    eventName: 'RaiseCreated',
    topics: log.topics as [Hex, ...Hex[]],
    data: dataHex(log),
  })
  const { metadataURI, ...terms } = args.params
  const { exitWindow, releasePeriod, releaseBps } = args.rules
  requireAmounts(terms.tokenAmount, terms.goalMin, terms.goalMax, terms.walletMin, terms.walletMax)
  for (const share of [terms.quorumBps, releaseBps]) requireBps(share)
  // viem does not check that a number fits its Solidity type.
  for (const length of [terms.votingDelay, terms.votingPeriod, exitWindow, releasePeriod]) requireCount(BigInt(length))
  return {
    ...terms,
    token: terms.token.toLowerCase(),
    registrationStart: clampTime(terms.registrationStart),
    startAt: clampTime(terms.startAt),
    endAt: clampTime(terms.endAt),
    title: truncateText(cleanLine(terms.title), MAX_TITLE),
    metadataUri: dropLongUri(cleanLine(metadataURI)),
    ...{ exitWindow, releasePeriod, releaseBps },
  }
}

function decodeProposalTerms(log: Log): ProposalTerms {
  const { args } = decodeEventLog({
    abi: raisesAbi,
    eventName: 'ProposalCreated',
    topics: log.topics as [Hex, ...Hex[]],
    data: dataHex(log),
  })
  const { amount, recipient, title, descriptionURI, voteStart, voteEnd, quorum } = args
  const { totalWeight, executableAt, expiresAt } = args
  requireAmounts(amount, quorum, totalWeight)
  return {
    ...{ totalWeight, executableAt: clampTime(executableAt), expiresAt: clampTime(expiresAt) },
    ...{ amount, quorum, voteStart: clampTime(voteStart), voteEnd: clampTime(voteEnd) },
    recipient: recipient.toLowerCase(),
    title: truncateText(cleanLine(title), MAX_TITLE),
    descriptionUri: dropLongUri(cleanLine(descriptionURI)),
  }
}
