// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Address} from '@openzeppelin/contracts/utils/Address.sol';
import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';
import {RaiseSale} from './RaiseSale.sol';
import {Proposal, ProposalState, Raise, RaiseStatus} from './RaiseTypes.sol';

/**
 * Raises whose money stays here after the sale and leaves by votes alone. A proposal releases an amount to a recipient,
 * or dissolves the raise, which opens what is left to refunds. A vote weighs what its wallet has committed: no weight
 * moves once a raise is finalized, so none has to be recorded at a block. A proposal passes with more weight for than
 * against it, where for and abstain together reach the quorum.
 * A raise that has released nothing for IDLE_PERIOD can be dissolved by anyone: where nobody proposes, votes or agrees,
 * the committers get back what is left.
 * Invariant: balance = sum(totalCommitted - released - refunded) over all raises (or more, if coins are forced in).
 */
contract Raises is RaiseSale {
  uint256 public constant IDLE_PERIOD = 180 days;
  /// What a committer must hold of a raise to propose. The creator always may.
  uint256 public constant PROPOSER_BPS = 100;
  uint8 private constant AGAINST = 0;
  uint8 private constant FOR = 1;
  uint8 private constant ABSTAIN = 2;

  /// Ids are 1 to proposalCount, over all raises.
  uint256 public proposalCount;
  mapping(uint256 proposalId => Proposal) private _proposals;
  mapping(uint256 proposalId => mapping(address voter => bool)) public hasVoted;
  mapping(uint256 raiseId => mapping(address proposer => uint256)) private _latestProposal;

  /// Of a proposal to dissolve, amount and recipient are zero. Voting runs from voteStart until before voteEnd.
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
    uint256 quorum
  );
  /// support: 0 against, 1 for, 2 abstain. The sums are those after the vote.
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
  /// released: by all proposals of the raise.
  event ProposalExecuted(
    uint256 indexed proposalId,
    uint256 indexed raiseId,
    address indexed caller,
    uint256 amount,
    address recipient,
    uint256 released
  );
  event ProposalCancelled(uint256 indexed proposalId, uint256 indexed raiseId, address indexed proposer);
  /// escrow: what refunds share out, by commitment.
  event Dissolved(uint256 indexed raiseId, address indexed caller, uint256 escrow);

  error AlreadyDissolved();
  error AlreadyVoted();
  error ExceedsEscrow(uint256 escrow);
  error InvalidRecipient();
  error InvalidSupport(uint8 support);
  error NoWeight();
  error NotIdle(uint256 idleAt);
  error OnlyProposer();
  error ProposalStillOpen(uint256 proposalId);
  error UnknownProposal(uint256 proposalId);
  error WrongState(ProposalState state);

  /// Proposes to pay `amount` out of the escrow to `recipient`. One undecided proposal a proposer.
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

  /// Proposes to give what is left back to the committers.
  function proposeDissolution(
    uint256 raiseId,
    string calldata title,
    string calldata descriptionURI
  ) external returns (uint256 proposalId) {
    return _propose(raiseId, 0, address(0), title, descriptionURI);
  }

  /// Casts all of the caller's weight, once.
  function vote(uint256 proposalId, uint8 support) external {
    Proposal storage target = _inState(proposalId, ProposalState.Active);
    uint128 weight = _commitments[target.raiseId][msg.sender].amount;
    if (weight == 0) revert NoWeight();
    if (hasVoted[proposalId][msg.sender]) revert AlreadyVoted();
    hasVoted[proposalId][msg.sender] = true;
    if (support == AGAINST) target.againstVotes += weight;
    else if (support == FOR) target.forVotes += weight;
    else if (support == ABSTAIN) target.abstainVotes += weight;
    else revert InvalidSupport(support);
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
   * Does what was voted for. Anyone may call it, at any time after the vote. Several proposals may pass that together
   * exceed the escrow; the first ones executed get it.
   */
  function execute(uint256 proposalId) external nonReentrant {
    Proposal storage target = _inState(proposalId, ProposalState.Succeeded);
    Raise storage source = _raises[target.raiseId];
    uint256 escrow = escrowOf(source);
    if (target.amount > escrow) revert ExceedsEscrow(escrow);
    target.executed = true;
    source.released += target.amount;
    bool dissolves = target.recipient == address(0);
    if (!dissolves) source.lastReleaseAt = uint64(block.timestamp);
    emit ProposalExecuted(proposalId, target.raiseId, msg.sender, target.amount, target.recipient, source.released);
    if (dissolves) _dissolve(target.raiseId, source);
    else Address.sendValue(payable(target.recipient), target.amount);
  }

  /// The proposer may take a proposal back until it is executed or defeated.
  function cancelProposal(uint256 proposalId) external {
    ProposalState current = proposalState(proposalId);
    Proposal storage target = _proposals[proposalId];
    if (msg.sender != target.proposer) revert OnlyProposer();
    bool open = current == ProposalState.Pending || current == ProposalState.Active;
    if (!open && current != ProposalState.Succeeded) revert WrongState(current);
    target.cancelled = true;
    emit ProposalCancelled(proposalId, target.raiseId, msg.sender);
  }

  /// Dissolves a raise that has released nothing for IDLE_PERIOD. Anyone may call it.
  function dissolve(uint256 raiseId) external {
    Raise storage target = _inStatus(raiseId, RaiseStatus.Finalized);
    uint256 idleAt = target.lastReleaseAt + IDLE_PERIOD;
    if (block.timestamp < idleAt) revert NotIdle(idleAt);
    _dissolve(raiseId, target);
  }

  /// The state as of now. Dissolving a raise cancels all of its proposals that were not yet decided, or not executed.
  function proposalState(uint256 proposalId) public view returns (ProposalState) {
    Proposal storage target = _proposals[proposalId];
    if (target.proposer == address(0)) revert UnknownProposal(proposalId);
    if (target.executed) return ProposalState.Executed;
    if (target.cancelled) return ProposalState.Cancelled;
    bool quorate = uint256(target.forVotes) + target.abstainVotes >= target.quorum;
    bool passed = quorate && target.forVotes > target.againstVotes;
    uint256 dissolvedAt = _raises[target.raiseId].dissolvedAt;
    if (dissolvedAt != 0 && (passed || dissolvedAt < target.voteEnd)) return ProposalState.Cancelled;
    if (block.timestamp < target.voteStart) return ProposalState.Pending;
    if (block.timestamp < target.voteEnd) return ProposalState.Active;
    return passed ? ProposalState.Succeeded : ProposalState.Defeated;
  }

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
    created.quorum = uint128(Math.ceilDiv(uint256(source.totalCommitted) * source.quorumBps, BPS));
    created.voteStart = uint64(block.timestamp + source.votingDelay);
    created.voteEnd = created.voteStart + source.votingPeriod;
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
      created.quorum
    );
  }

  function _checkProposal(uint256 raiseId, Raise storage source, uint256 amount) private view {
    if (source.dissolvedAt != 0) revert AlreadyDissolved();
    if (msg.sender != source.creator) {
      uint256 weight = _commitments[raiseId][msg.sender].amount;
      if (weight == 0 || weight * BPS < source.totalCommitted * PROPOSER_BPS) revert NoWeight();
    }
    uint256 latest = _latestProposal[raiseId][msg.sender];
    if (latest != 0) {
      ProposalState state = proposalState(latest);
      if (state == ProposalState.Pending || state == ProposalState.Active) revert ProposalStillOpen(latest);
    }
    uint256 escrow = escrowOf(source);
    if (escrow == 0 || amount > escrow) revert ExceedsEscrow(escrow);
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
