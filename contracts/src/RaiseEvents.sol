// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ProposalState, RaiseParams, RaiseRules, RaiseStatus} from './RaiseTypes.sol';

/// @notice Events and errors of the raises.
abstract contract RaiseEvents {
  /**
   * @notice A raise was opened.
   * @param raiseId number of the raise
   * @param creator wallet that opened it
   * @param token token that is sold
   * @param params its parameters as they hold: a startAt or walletMax of zero is replaced by its meaning
   * @param rules rules of this deployment
   */
  event RaiseCreated(
    uint256 indexed raiseId,
    address indexed creator,
    address indexed token,
    RaiseParams params,
    RaiseRules rules
  );
  /**
   * @notice A wallet was put on the list.
   * @param raiseId number of the raise
   * @param wallet the wallet
   * @param registeredCount wallets on the list
   */
  event Registered(uint256 indexed raiseId, address indexed wallet, uint256 registeredCount);
  /**
   * @notice A wallet committed coins.
   * @param raiseId number of the raise
   * @param wallet the wallet
   * @param amount wei that were accepted
   * @param walletTotal wei of the wallet so far
   * @param totalCommitted wei of all wallets so far
   * @param participantCount wallets that have committed
   */
  event Committed(
    uint256 indexed raiseId,
    address indexed wallet,
    uint256 amount,
    uint256 walletTotal,
    uint256 totalCommitted,
    uint256 participantCount
  );
  /**
   * @notice A raise ended.
   * @param raiseId number of the raise
   * @param caller account that called for it
   * @param status Finalized or Failed
   * @param totalCommitted wei of all wallets
   */
  event Finalized(uint256 indexed raiseId, address indexed caller, RaiseStatus status, uint256 totalCommitted);
  /**
   * @notice The creator called a raise off.
   * @param raiseId number of the raise
   * @param creator wallet that opened it
   * @param totalCommitted wei to be refunded
   */
  event Cancelled(uint256 indexed raiseId, address indexed creator, uint256 totalCommitted);
  /**
   * @notice A wallet got its share of the tokens.
   * @param raiseId number of the raise
   * @param wallet the wallet
   * @param tokenAmount base units of the token
   * @param tokensClaimed base units that all wallets have claimed
   */
  event Claimed(uint256 indexed raiseId, address indexed wallet, uint256 tokenAmount, uint256 tokensClaimed);
  /**
   * @notice A wallet got coins back.
   * @param raiseId number of the raise
   * @param wallet the wallet
   * @param amount wei
   * @param tokensReturned given up for the money of a raise that succeeded, without a fee that the token took on their
   * way
   * @param totalRefunded wei that all wallets got back
   */
  event Refunded(
    uint256 indexed raiseId,
    address indexed wallet,
    uint256 amount,
    uint256 tokensReturned,
    uint256 totalRefunded
  );
  /**
   * @notice The creator got the tokens that refunds had given up.
   * @param raiseId number of the raise
   * @param creator wallet that opened the raise
   * @param tokenAmount base units of the token
   */
  event TokensReclaimed(uint256 indexed raiseId, address indexed creator, uint256 tokenAmount);
  /**
   * @notice A release or a dissolution was proposed. Voting runs from voteStart until before voteEnd; a proposal that
   * passed can be executed from executableAt until before expiresAt.
   * @param proposalId number of the proposal
   * @param raiseId number of the raise
   * @param proposer wallet that proposed it
   * @param amount wei to release; zero: a dissolution
   * @param recipient account to be paid; zero: a dissolution
   * @param title title of the proposal
   * @param descriptionURI address of its description
   * @param voteStart unix seconds
   * @param voteEnd unix seconds
   * @param quorum weight that for and abstain must reach together
   * @param totalWeight commitments of all remaining committers
   * @param executableAt unix seconds
   * @param expiresAt unix seconds
   */
  event ProposalCreated(
    uint256 indexed proposalId,
    uint256 indexed raiseId,
    address indexed proposer,
    uint256 amount,
    address recipient,
    string title,
    string descriptionURI,
    uint256 voteStart,
    uint256 voteEnd,
    uint256 quorum,
    uint256 totalWeight,
    uint256 executableAt,
    uint256 expiresAt
  );
  /**
   * @notice A committer voted. The sums are those after the vote, which replaces an earlier one of the voter.
   * @param proposalId number of the proposal
   * @param raiseId number of the raise
   * @param voter the committer
   * @param support 0 against, 1 for, 2 abstain
   * @param weight commitment of the voter
   * @param forVotes weight for the proposal
   * @param againstVotes weight against the proposal
   * @param abstainVotes weight that abstains
   */
  event VoteCast(
    uint256 indexed proposalId,
    uint256 indexed raiseId,
    address indexed voter,
    uint8 support,
    uint256 weight,
    uint256 forVotes,
    uint256 againstVotes,
    uint256 abstainVotes
  );
  /**
   * @notice A proposal was executed.
   * @param proposalId number of the proposal
   * @param raiseId number of the raise
   * @param caller account that called for it
   * @param amount wei that were paid: what is left of the proposed amount after exits
   * @param recipient account that was paid; zero: a dissolution
   * @param released wei that all proposals of the raise have released
   */
  event ProposalExecuted(
    uint256 indexed proposalId,
    uint256 indexed raiseId,
    address indexed caller,
    uint256 amount,
    address recipient,
    uint256 released
  );
  /**
   * @notice A proposal was taken back.
   * @param proposalId number of the proposal
   * @param raiseId number of the raise
   * @param proposer wallet that proposed it
   */
  event ProposalCancelled(uint256 indexed proposalId, uint256 indexed raiseId, address indexed proposer);
  /**
   * @notice A committer left a raise with its share.
   * @param raiseId number of the raise
   * @param proposalId proposal that passed
   * @param wallet the committer
   * @param amount wei that were set aside for the wallet
   * @param tokensGivenUp base units that the wallet gives up for them
   * @param exitedWeight commitments of all who have left
   * @param exitedAmount wei that were set aside for all who have left
   */
  event Exited(
    uint256 indexed raiseId,
    uint256 indexed proposalId,
    address indexed wallet,
    uint256 amount,
    uint256 tokensGivenUp,
    uint256 exitedWeight,
    uint256 exitedAmount
  );
  /**
   * @notice A raise was dissolved.
   * @param raiseId number of the raise
   * @param caller account that called for it
   * @param escrow wei that refunds share out, by commitment
   */
  event Dissolved(uint256 indexed raiseId, address indexed caller, uint256 escrow);

  /// @notice The raise is dissolved.
  error AlreadyDissolved();
  /// @notice The raise was finalized before.
  error AlreadyFinalized();
  /// @notice The wallet is on the list.
  error AlreadyRegistered();
  /// @notice The wallet has cast the same vote.
  error AlreadyVoted();
  /// @notice The wallet would have committed less than the minimum.
  /// @param walletMin wei
  error BelowWalletMinimum(uint256 walletMin);
  /// @notice The creator cannot commit to its own raise.
  error CreatorCannotCommit();
  /// @notice The amount is zero or exceeds what is left.
  /// @param escrow wei that are left
  error ExceedsEscrow(uint256 escrow);
  /// @notice The amount exceeds what may be released within a period.
  /// @param available wei that may be released
  error ExceedsReleaseLimit(uint256 available);
  /// @notice Committers may still leave before the proposal is executed.
  /// @param executableAt unix seconds from which it can be executed
  error ExitWindowOpen(uint256 executableAt);
  /// @notice The goals, limits or amounts contradict each other.
  error InvalidGoals();
  /// @notice The recipient is zero or this contract.
  error InvalidRecipient();
  /// @notice A vote is 0 against, 1 for or 2 abstain.
  /// @param support the vote
  error InvalidSupport(uint8 support);
  /// @notice The title is empty or too long, or the address of the texts is too long.
  error InvalidText();
  /// @notice The times contradict each other, or are too far away.
  error InvalidTimes();
  /// @notice The quorum, the voting delay, the voting period or the rules are out of bounds.
  error InvalidVoting();
  /// @notice The wallet has committed nothing, too little to propose, or has left.
  error NoWeight();
  /// @notice An address that must have code has none.
  /// @param token the address
  error NotAToken(address token);
  /// @notice The raise has released something within IDLE_PERIOD.
  /// @param idleAt unix seconds from which it can be dissolved
  error NotIdle(uint256 idleAt);
  /// @notice The wallet is not on the list.
  error NotRegistered();
  /// @notice Nothing was sent, or the goal or the limit of the wallet is reached.
  error NothingAccepted();
  /// @notice No tokens are due.
  error NothingToClaim();
  /// @notice No coins are due.
  error NothingToRefund();
  /// @notice Only the creator of the raise may call this function.
  error OnlyCreator();
  /// @notice Only the proposer may call this function.
  error OnlyProposer();
  /// @notice The proposer has an undecided proposal.
  /// @param proposalId number of that proposal
  error ProposalStillOpen(uint256 proposalId);
  /// @notice The proposer has to wait after a proposal that was lost.
  /// @param openAt unix seconds from which it can propose
  error ProposedTooSoon(uint256 openAt);
  /// @notice The raise has neither failed nor been cancelled or dissolved.
  error RefundNotOpen();
  /// @notice The token takes a fee on transfer.
  /// @param token the token
  error TransferFee(address token);
  /// @notice There is no such proposal.
  /// @param proposalId number of the proposal
  error UnknownProposal(uint256 proposalId);
  /// @notice There is no such raise.
  /// @param raiseId number of the raise
  error UnknownRaise(uint256 raiseId);
  /// @notice The wallet voted for the proposal.
  error VotedFor();
  /// @notice The proposal is in a state that does not allow the call.
  /// @param state its state as of now
  error WrongState(ProposalState state);
  /// @notice The raise is in a status that does not allow the call.
  /// @param status its status as of now
  error WrongStatus(RaiseStatus status);
}
