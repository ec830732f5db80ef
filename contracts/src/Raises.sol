// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Address} from '@openzeppelin/contracts/utils/Address.sol';
import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';
import {RaiseSale} from './RaiseSale.sol';
import {Commitment, Proposal, ProposalState, Raise, RaiseRules, RaiseStatus, Vote} from './RaiseTypes.sol';

/**
 * @title Raises
 * @notice Raises whose money stays here after the sale and leaves by votes alone. A proposal releases an amount to a
 * recipient, or dissolves the raise, which opens what is left to refunds. A vote weighs what its wallet has committed:
 * no weight arrives once a raise is finalized, so none has to be recorded at a block. A proposal passes with more
 * weight for than against it, where for and abstain together reach the quorum.
 * A majority cannot take the share of others: before a release is executed, every committer who did not vote for it may
 * leave with its share of what is unreleased (`exit`), and the release shrinks by the same share. Of the remaining
 * commitments at most RELEASE_BPS are released within any RELEASE_PERIOD.
 * A raise that has released nothing for IDLE_PERIOD can be dissolved by anyone: where nobody proposes, votes or agrees,
 * the committers get back what is left.
 * @dev Invariants: balance = sum(totalCommitted - released - refunded) over all raises (or more, if coins are forced
 * in). Escrow per remaining weight is lowered by executed releases alone.
 */
contract Raises is RaiseSale {
  /// @notice How long a raise has released nothing when anyone may dissolve it, in seconds.
  uint256 public constant IDLE_PERIOD = 180 days;
  /// @notice What a committer must hold of a raise to propose, in basis points. The creator always may.
  uint256 public constant PROPOSER_BPS = 100;
  /// @notice How long a proposer waits after a proposal that was defeated, or cancelled once its vote was open, in
  /// seconds.
  uint256 public constant PROPOSAL_PAUSE = 1 days;
  /// @notice How long a proposal can be executed, in seconds.
  uint256 public constant EXECUTION_PERIOD = 14 days;
  uint8 private constant AGAINST = 0;
  uint8 private constant FOR = 1;
  uint8 private constant ABSTAIN = 2;

  /// @notice Number of proposals of all raises. Ids are 1 to proposalCount.
  uint256 public proposalCount;
  mapping(uint256 proposalId => Proposal) private _proposals;
  /// @notice The last vote of a wallet on a proposal.
  mapping(uint256 proposalId => mapping(address voter => Vote)) public votes;
  mapping(uint256 raiseId => mapping(address proposer => uint256)) private _latestProposal;

  /// @notice Checks and keeps the rules.
  /// @param rules_ hold for all raises of this deployment
  constructor(RaiseRules memory rules_) RaiseSale(rules_) {}

  /**
   * @notice Proposes to pay `amount` out of the escrow to `recipient`. One undecided proposal a proposer.
   * @param raiseId number of the raise
   * @param amount wei
   * @param recipient account to be paid
   * @param title 1 to 120 bytes
   * @param descriptionURI address of the description, up to 512 bytes
   * @return proposalId number of the proposal
   */
  function propose(
    uint256 raiseId,
    uint256 amount,
    address recipient,
    string calldata title,
    string calldata descriptionURI
  ) external returns (uint256 proposalId) {
    if (recipient == address(0) || recipient == address(this)) revert InvalidRecipient();
    if (amount == 0) revert ExceedsEscrow(0);
    return _propose(raiseId, amount, recipient, title, descriptionURI);
  }

  /**
   * @notice Proposes to give what is left back to the committers.
   * @param raiseId number of the raise
   * @param title 1 to 120 bytes
   * @param descriptionURI address of the description, up to 512 bytes
   * @return proposalId number of the proposal
   */
  function proposeDissolution(
    uint256 raiseId,
    string calldata title,
    string calldata descriptionURI
  ) external returns (uint256 proposalId) {
    return _propose(raiseId, 0, address(0), title, descriptionURI);
  }

  /**
   * @notice Casts all of the caller's weight. Until the vote ends, another vote of the caller replaces it.
   * @param proposalId number of the proposal
   * @param support 0 against, 1 for, 2 abstain
   */
  function vote(uint256 proposalId, uint8 support) external {
    Proposal storage target = _inState(proposalId, ProposalState.Active);
    uint128 weight = _weightOf(_commitments[target.raiseId][msg.sender]);
    Vote storage own = votes[proposalId][msg.sender];
    if (weight == 0) revert NoWeight();
    if (support > ABSTAIN) revert InvalidSupport(support);
    if (own.cast) {
      if (own.support == support) revert AlreadyVoted();
      _countVotes(target, own.support, 0, weight);
    }
    own.cast = true;
    own.support = support;
    _countVotes(target, support, weight, 0);
    emit VoteCast(
      proposalId,
      target.raiseId,
      msg.sender,
      support,
      weight,
      target.forVotes,
      target.againstVotes,
      target.abstainVotes
    );
  }

  /**
   * @notice Leaves the raise of a proposal that passed and was not executed, unless the caller voted for it. The
   * caller's share of what is unreleased is set aside, and its weight leaves the raise; votes that it cast before stay.
   * Never touches the token, so that none can hold an exit back: a caller who has claimed tokens gets the money by
   * `refund`, against them; all others get it here.
   * @param proposalId number of the proposal
   * @return amount wei that were set aside
   */
  function exit(uint256 proposalId) external nonReentrant returns (uint256 amount) {
    Proposal storage target = _inState(proposalId, ProposalState.Succeeded);
    uint256 raiseId = target.raiseId;
    Raise storage source = _raises[raiseId];
    Commitment storage own = _commitments[raiseId][msg.sender];
    uint128 weight = _weightOf(own);
    if (weight == 0) revert NoWeight();
    if (votes[proposalId][msg.sender].support == FOR) revert VotedFor();
    _setAside(source, own);
    amount = own.refundDue;
    if (amount == 0) revert NothingToRefund();
    own.exited = true;
    source.exitedWeight += weight;
    source.exitedAmount += uint128(amount);
    emit Exited(
      raiseId,
      proposalId,
      msg.sender,
      amount,
      own.tokensGivenUp,
      source.exitedWeight,
      source.exitedAmount
    );
    if (!own.claimed) _payRefund(raiseId, source, own);
  }

  /**
   * @notice Does what was voted for. Anyone may call it, from the end of the exit window until the proposal expires. A
   * release shrinks to the share of the weight that has not left since it was proposed. Several proposals may pass that
   * together exceed the escrow or the limit of a period; the first ones executed get it.
   * @param proposalId number of the proposal
   */
  function execute(uint256 proposalId) external nonReentrant {
    Proposal storage target = _inState(proposalId, ProposalState.Succeeded);
    if (block.timestamp < target.executableAt) revert ExitWindowOpen(target.executableAt);
    uint256 raiseId = target.raiseId;
    Raise storage source = _raises[raiseId];
    address recipient = target.recipient;
    target.executed = true;
    if (recipient == address(0)) {
      emit ProposalExecuted(proposalId, raiseId, msg.sender, 0, recipient, source.released);
      _dissolve(raiseId, source);
      return;
    }
    uint256 amount = Math.mulDiv(target.amount, weightOf(source), target.totalWeight);
    _countRelease(source, amount);
    emit ProposalExecuted(proposalId, raiseId, msg.sender, amount, recipient, source.released);
    Address.sendValue(payable(recipient), amount);
  }

  /// @notice Takes a proposal back until it is executed or defeated. Only the proposer may call it.
  /// @param proposalId number of the proposal
  function cancelProposal(uint256 proposalId) external {
    ProposalState current = proposalState(proposalId);
    Proposal storage target = _proposals[proposalId];
    if (msg.sender != target.proposer) revert OnlyProposer();
    bool open = current == ProposalState.Pending || current == ProposalState.Active;
    if (!open && current != ProposalState.Succeeded) revert WrongState(current);
    target.cancelled = true;
    if (current == ProposalState.Pending) delete _latestProposal[target.raiseId][msg.sender];
    emit ProposalCancelled(proposalId, target.raiseId, msg.sender);
  }

  /// @notice Dissolves a raise that has released nothing for IDLE_PERIOD. Anyone may call it.
  /// @param raiseId number of the raise
  function dissolve(uint256 raiseId) external {
    Raise storage target = _inStatus(raiseId, RaiseStatus.Finalized);
    uint256 idleAt = target.lastReleaseAt + IDLE_PERIOD;
    if (block.timestamp < idleAt) revert NotIdle(idleAt);
    _dissolve(raiseId, target);
  }

  /**
   * @notice The state as of now. Dissolving a raise cancels all of its proposals that were not yet decided, or not
   * executed.
   * @param proposalId number of the proposal
   * @return the state
   */
  function proposalState(uint256 proposalId) public view returns (ProposalState) {
    Proposal storage target = _proposals[proposalId];
    if (target.proposer == address(0)) revert UnknownProposal(proposalId);
    if (target.executed) return ProposalState.Executed;
    if (target.cancelled) return ProposalState.Cancelled;
    bool quorate = uint256(target.forVotes) + target.abstainVotes >= target.quorum;
    bool passed = quorate && target.forVotes > target.againstVotes;
    uint256 dissolvedAt = _raises[target.raiseId].dissolvedAt;
    if (dissolvedAt != 0 && dissolvedAt < (passed ? target.expiresAt : target.voteEnd)) return ProposalState.Cancelled;
    if (block.timestamp < target.voteStart) return ProposalState.Pending;
    if (block.timestamp < target.voteEnd) return ProposalState.Active;
    if (!passed) return ProposalState.Defeated;
    return block.timestamp < target.expiresAt ? ProposalState.Succeeded : ProposalState.Expired;
  }

  /**
   * @notice A proposal as stored.
   * @param proposalId number of the proposal
   * @return the proposal; all zero if there is none
   */
  function proposal(uint256 proposalId) external view returns (Proposal memory) {
    return _proposals[proposalId];
  }

  function _propose(
    uint256 raiseId,
    uint256 amount,
    address recipient,
    string memory title,
    string memory descriptionURI
  ) private returns (uint256 proposalId) {
    Raise storage source = _inStatus(raiseId, RaiseStatus.Finalized);
    _checkProposal(raiseId, source, amount);
    if (bytes(title).length == 0 || bytes(title).length > 120 || bytes(descriptionURI).length > 512) {
      revert InvalidText();
    }
    proposalId = ++proposalCount;
    _latestProposal[raiseId][msg.sender] = proposalId;
    Proposal storage created = _proposals[proposalId];
    created.raiseId = raiseId;
    created.proposer = msg.sender;
    created.recipient = recipient;
    created.amount = uint128(amount);
    created.totalWeight = uint128(weightOf(source));
    created.quorum = uint128(Math.ceilDiv(weightOf(source) * source.quorumBps, BPS));
    created.voteStart = uint64(block.timestamp + source.votingDelay);
    created.voteEnd = created.voteStart + source.votingPeriod;
    // A dissolution takes nothing from anybody, so nobody has to leave before it.
    created.executableAt = created.voteEnd + (recipient == address(0) ? 0 : uint64(EXIT_WINDOW));
    created.expiresAt = created.executableAt + uint64(EXECUTION_PERIOD);
    _emitCreated(proposalId, created, title, descriptionURI);
  }

  /// Apart from `_propose` for the stack's sake.
  function _emitCreated(
    uint256 proposalId,
    Proposal storage created,
    string memory title,
    string memory descriptionURI
  ) private {
    emit ProposalCreated(
      proposalId,
      created.raiseId,
      msg.sender,
      created.amount,
      created.recipient,
      title,
      descriptionURI,
      created.voteStart,
      created.voteEnd,
      created.quorum,
      created.totalWeight,
      created.executableAt,
      created.expiresAt
    );
  }

  function _checkProposal(uint256 raiseId, Raise storage source, uint256 amount) private view {
    if (source.dissolvedAt != 0) revert AlreadyDissolved();
    uint256 total = weightOf(source);
    if (msg.sender != source.creator) {
      uint256 weight = _weightOf(_commitments[raiseId][msg.sender]);
      if (weight == 0 || weight * BPS < total * PROPOSER_BPS) revert NoWeight();
    }
    _checkLatest(_latestProposal[raiseId][msg.sender]);
    uint256 escrow = escrowOf(source);
    if (escrow == 0 || amount > escrow) revert ExceedsEscrow(escrow);
    uint256 limit = (total * RELEASE_BPS) / BPS;
    if (amount > limit) revert ExceedsReleaseLimit(limit);
  }

  /// A proposer has one undecided proposal, and pauses after one that was lost: whoever opposes it has to see each.
  function _checkLatest(uint256 latest) private view {
    if (latest == 0) return;
    ProposalState state = proposalState(latest);
    if (state == ProposalState.Pending || state == ProposalState.Active) revert ProposalStillOpen(latest);
    uint256 openAt = _proposals[latest].voteEnd + PROPOSAL_PAUSE;
    bool lost = state == ProposalState.Defeated || state == ProposalState.Cancelled;
    if (lost && block.timestamp < openAt) revert ProposedTooSoon(openAt);
  }

  /// The sum of a period starts anew only after a pause of its length, so no period, wherever it starts, exceeds the limit.
  function _countRelease(Raise storage source, uint256 amount) private {
    uint256 escrow = escrowOf(source);
    if (amount == 0 || amount > escrow) revert ExceedsEscrow(escrow);
    if (block.timestamp >= source.lastReleaseAt + RELEASE_PERIOD) source.releasedInPeriod = 0;
    uint256 limit = (weightOf(source) * RELEASE_BPS) / BPS;
    uint256 available = Math.saturatingSub(limit, source.releasedInPeriod);
    if (amount > available) revert ExceedsReleaseLimit(available);
    source.releasedInPeriod += uint128(amount);
    source.released += uint128(amount);
    source.lastReleaseAt = uint64(block.timestamp);
  }

  function _countVotes(Proposal storage target, uint8 support, uint128 added, uint128 removed) private {
    if (support == AGAINST) target.againstVotes = target.againstVotes + added - removed;
    else if (support == FOR) target.forVotes = target.forVotes + added - removed;
    else target.abstainVotes = target.abstainVotes + added - removed;
  }

  function _weightOf(Commitment storage own) private view returns (uint128) {
    return own.exited ? 0 : own.amount;
  }

  function _dissolve(uint256 raiseId, Raise storage target) private {
    uint256 escrow = escrowOf(target);
    if (target.dissolvedAt != 0) revert AlreadyDissolved();
    if (escrow == 0) revert ExceedsEscrow(0);
    target.dissolvedAt = uint64(block.timestamp);
    emit Dissolved(raiseId, msg.sender, escrow);
  }

  function _inState(uint256 proposalId, ProposalState wanted) private view returns (Proposal storage) {
    ProposalState current = proposalState(proposalId);
    if (current != wanted) revert WrongState(current);
    return _proposals[proposalId];
  }
}
