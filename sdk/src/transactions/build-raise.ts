import type { AmountLike } from '../values.ts'
import type { ContractFunction } from './abi-codec.ts'
import {
  RAISES_CANCEL,
  RAISES_CANCEL_PROPOSAL,
  RAISES_CLAIM,
  RAISES_COMMIT,
  RAISES_CREATE_RAISE,
  RAISES_DISSOLVE,
  RAISES_EXECUTE,
  RAISES_EXIT,
  RAISES_FINALIZE,
  RAISES_PROPOSE,
  RAISES_PROPOSE_DISSOLUTION,
  RAISES_RECLAIM_TOKENS,
  RAISES_REFUND,
  RAISES_REGISTER,
  RAISES_VOTE,
} from './contracts.ts'
import { buildCall, type Deployments, findContract, splitId, type UnsignedTransaction } from './unsigned-transaction.ts'

/** Terms of a raise. Times are Unix seconds. Amounts are base units: native coin, unless they say tokens. */
export interface RaiseOptions {
  /** The token for sale. */
  token: string
  /** Tokens for sale. The raises contract needs an allowance for them: see buildApproval. */
  tokenAmount: AmountLike
  goalMin: AmountLike
  goalMax: AmountLike
  /** Least total of a wallet's commitments; 0 by default. */
  walletMin?: AmountLike
  /** Greatest total of a wallet's commitments; goalMax by default. */
  walletMax?: AmountLike
  /** The block of the transaction by default. */
  startAt?: number
  endAt: number
  /** Requires wallets to register, from then until startAt. */
  registrationStart?: number
  /** Share of the remaining commitments that must take part in a vote, in basis points; 4,000 by default, at least 1,000. */
  quorumBps?: number
  /** From a proposal to its vote, in seconds; 1 day by default, which is the minimum outside the demonstration. */
  votingDelay?: number
  /** Duration of a vote in seconds; 3 days by default; the minimum is 1 day outside the demonstration. */
  votingPeriod?: number
  /** 1 to 120 bytes. */
  title: string
  metadataUri?: string
}

const DAY = 86_400

/** Builds the creation of a raise by the wallet that sends it. */
export function buildRaise(config: Deployments, options: RaiseOptions): UnsignedTransaction {
  const { token, tokenAmount, goalMin, goalMax, walletMin = 0n, walletMax = 0n, title, metadataUri = '' } = options
  const { quorumBps = 4_000, votingDelay = DAY, votingPeriod = 3 * DAY } = options
  const { registrationStart, startAt = 0, endAt } = options
  const isRegistered = registrationStart !== undefined
  return buildCall(findContract(config, 'raises'), RAISES_CREATE_RAISE, [
    [
      ...[token, isRegistered, BigInt(quorumBps), BigInt(votingDelay), BigInt(votingPeriod)],
      ...[BigInt(registrationStart ?? 0), BigInt(startAt), BigInt(endAt)],
      ...[tokenAmount, goalMin, goalMax, walletMin, walletMax, title, metadataUri],
    ],
  ])
}

const call = (id: string, called: ContractFunction): UnsignedTransaction => {
  const { contract, number } = splitId(id)
  return buildCall(contract, called, [number])
}

/** Registers the sender for a raise that requires it. */
export const buildRegistration = (raiseId: string): UnsignedTransaction => call(raiseId, RAISES_REGISTER)

/** Commits native coin to a raise. The contract returns what exceeds a maximum. */
export function buildCommitment(raiseId: string, amount: AmountLike): UnsignedTransaction {
  const { contract, number } = splitId(raiseId)
  return buildCall(contract, RAISES_COMMIT, [number], amount)
}

/** Ends a raise whose outcome is known. Any wallet may send it. */
export const buildFinalization = (raiseId: string): UnsignedTransaction => call(raiseId, RAISES_FINALIZE)

/** Calls a raise off. Only the creator may send it. */
export const buildRaiseCancellation = (raiseId: string): UnsignedTransaction => call(raiseId, RAISES_CANCEL)

/** Claims the sender's tokens of a finalized raise. */
export const buildTokenClaim = (raiseId: string): UnsignedTransaction => call(raiseId, RAISES_CLAIM)

/**
 * Refunds the sender's commitment to a failed, cancelled or dissolved raise, or after its exit. After a token claim, a dissolved
 * raise and an exit take tokens back and need an allowance for them: see buildApproval.
 */
export const buildRefund = (raiseId: string): UnsignedTransaction => call(raiseId, RAISES_REFUND)

/** Sends the creator the tokens that refunds returned. Any wallet may send it. */
export const buildTokenReclaim = (raiseId: string): UnsignedTransaction => call(raiseId, RAISES_RECLAIM_TOKENS)

/** Dissolves a raise that has released nothing for 180 days. Any wallet may send it. */
export const buildDissolution = (raiseId: string): UnsignedTransaction => call(raiseId, RAISES_DISSOLVE)

export interface ProposalOptions {
  /** Native coin to release. */
  amount: AmountLike
  recipient: string
  /** 1 to 120 bytes. */
  title: string
  descriptionUri?: string
}

/** Proposes to release funds of a raise. */
export function buildProposal(raiseId: string, options: ProposalOptions): UnsignedTransaction {
  const { contract, number } = splitId(raiseId)
  const { amount, recipient, title, descriptionUri = '' } = options
  return buildCall(contract, RAISES_PROPOSE, [number, amount, recipient, title, descriptionUri])
}

/** Proposes to dissolve a raise, which opens the rest of its funds to refunds. */
export function buildDissolutionProposal(
  raiseId: string,
  { title, descriptionUri = '' }: Pick<ProposalOptions, 'title' | 'descriptionUri'>,
): UnsignedTransaction {
  const { contract, number } = splitId(raiseId)
  return buildCall(contract, RAISES_PROPOSE_DISSOLUTION, [number, title, descriptionUri])
}

/** Numbers of the choices in the contract. */
const SUPPORT = { against: 0n, for: 1n, abstain: 2n } as const

/** Votes on a proposal with all of the sender's weight. Until the vote ends, another vote replaces it. */
export function buildVote(proposalId: string, choice: keyof typeof SUPPORT): UnsignedTransaction {
  const { contract, number } = splitId(proposalId)
  return buildCall(contract, RAISES_VOTE, [number, SUPPORT[choice]])
}

/**
 * Leaves the raise of a proposal that succeeded and is not executed yet, with the share of what is unreleased. Only for a sender
 * who did not vote for it. A sender who has claimed tokens gets the coins by buildRefund, against the tokens.
 */
export const buildExit = (proposalId: string): UnsignedTransaction => call(proposalId, RAISES_EXIT)

/** Executes a proposal that succeeded, after its exit window. Any wallet may send it. */
export const buildExecution = (proposalId: string): UnsignedTransaction => call(proposalId, RAISES_EXECUTE)

/** Takes a proposal back. Only the proposer may send it. */
export const buildProposalCancellation = (proposalId: string): UnsignedTransaction =>
  call(proposalId, RAISES_CANCEL_PROPOSAL)
