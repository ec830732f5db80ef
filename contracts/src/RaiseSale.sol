// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20, SafeERC20} from '@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol';
import {Address} from '@openzeppelin/contracts/utils/Address.sol';
import {ReentrancyGuardTransient} from '@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol';
import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';
import {RaiseEvents} from './RaiseEvents.sol';
import {Commitment, Raise, RaiseParams, RaiseRules, RaiseStatus} from './RaiseTypes.sol';

/**
 * @title Sale of a raise
 * @notice The sale of a raise: registration, commitments in the native coin, the end, claims and refunds. See Raises
 * for what happens to the money. Refunds of a raise that failed or was cancelled never touch its token, so that no
 * token can hold the money back.
 */
abstract contract RaiseSale is RaiseEvents, ReentrancyGuardTransient {
  using SafeERC20 for IERC20;

  uint256 internal constant BPS = 10_000;
  /// @notice Longest sale, in seconds: how long coins may be bound before their committers know the outcome.
  uint256 public constant MAX_DURATION = 90 days;
  /// @notice Longest time from the creation of a raise to its start, in seconds.
  uint256 public constant MAX_LEAD_TIME = 365 days;
  // Bounds for what a creator may choose, so that no vote is over before a committer could see it.
  /// @notice Smallest quorum, in basis points of the commitments.
  uint256 public constant MIN_QUORUM_BPS = 1_000;
  /// @notice Longest vote, in seconds.
  uint256 public constant MAX_VOTING_PERIOD = 30 days;
  /// @notice Longest time from a proposal to its vote, in seconds.
  uint256 public constant MAX_VOTING_DELAY = 7 days;
  // The rules of the deployment.
  uint256 internal immutable MIN_VOTING_DELAY;
  uint256 internal immutable MIN_VOTING_PERIOD;
  uint256 internal immutable EXIT_WINDOW;
  uint256 internal immutable RELEASE_PERIOD;
  uint256 internal immutable RELEASE_BPS;

  /// @notice Number of raises. Ids are 1 to raiseCount.
  uint256 public raiseCount;
  mapping(uint256 raiseId => Raise) internal _raises;
  mapping(uint256 raiseId => mapping(address wallet => Commitment)) internal _commitments;

  /// @notice Checks and keeps the rules.
  /// @param rules_ hold for all raises of this deployment
  constructor(RaiseRules memory rules_) {
    if (rules_.minVotingDelay > MAX_VOTING_DELAY || rules_.minVotingPeriod > MAX_VOTING_PERIOD) revert InvalidVoting();
    if (rules_.releaseBps == 0 || rules_.releaseBps > BPS) revert InvalidVoting();
    MIN_VOTING_DELAY = rules_.minVotingDelay;
    MIN_VOTING_PERIOD = rules_.minVotingPeriod;
    EXIT_WINDOW = rules_.exitWindow;
    RELEASE_PERIOD = rules_.releasePeriod;
    RELEASE_BPS = rules_.releaseBps;
  }

  /**
   * @notice Opens a raise and takes the tokens to be sold, by allowance.
   * @param params what the creator chooses
   * @return raiseId number of the raise
   */
  function createRaise(RaiseParams memory params) external nonReentrant returns (uint256 raiseId) {
    if (params.startAt == 0) params.startAt = uint64(block.timestamp);
    if (params.walletMax == 0) params.walletMax = params.goalMax;
    _checkParams(params);
    raiseId = ++raiseCount;
    Raise storage created = _raises[raiseId];
    created.creator = msg.sender;
    created.token = params.token;
    created.registrationRequired = params.registrationRequired;
    created.quorumBps = params.quorumBps;
    created.votingDelay = params.votingDelay;
    created.votingPeriod = params.votingPeriod;
    created.registrationStart = params.registrationStart;
    created.startAt = params.startAt;
    created.endAt = params.endAt;
    created.tokenAmount = params.tokenAmount;
    created.goalMin = params.goalMin;
    created.goalMax = params.goalMax;
    created.walletMin = params.walletMin;
    created.walletMax = params.walletMax;
    emit RaiseCreated(raiseId, msg.sender, params.token, params, rules());

    if (_pull(params.token, params.tokenAmount) != params.tokenAmount) revert TransferFee(params.token);
  }

  /// @notice Puts the caller on the list, from registrationStart until startAt.
  /// @param raiseId number of the raise
  function register(uint256 raiseId) external {
    Raise storage target = _inStatus(raiseId, RaiseStatus.Registration);
    Commitment storage own = _commitments[raiseId][msg.sender];
    if (own.registered) revert AlreadyRegistered();
    own.registered = true;
    emit Registered(raiseId, msg.sender, ++target.registeredCount);
  }

  /**
   * @notice Commits the value sent, from startAt until endAt. What exceeds the goal's maximum, or the wallet's, is sent
   * back. A wallet that ends up below its minimum is refused, but for the one that fills the goal. The creator cannot
   * commit: its own coins would count towards the goal, and vote on their own release.
   * @param raiseId number of the raise
   * @return accepted wei that were committed
   */
  function commit(uint256 raiseId) external payable nonReentrant returns (uint256 accepted) {
    Raise storage target = _inStatus(raiseId, RaiseStatus.Active);
    Commitment storage own = _commitments[raiseId][msg.sender];
    if (msg.sender == target.creator) revert CreatorCannotCommit();
    if (target.registrationRequired && !own.registered) revert NotRegistered();
    uint256 room = Math.min(target.goalMax - target.totalCommitted, target.walletMax - own.amount);
    accepted = Math.min(msg.value, room);
    if (accepted == 0) revert NothingAccepted();

    if (own.amount == 0) target.participantCount++;
    own.amount += uint128(accepted);
    target.totalCommitted += uint128(accepted);
    if (own.amount < target.walletMin && target.totalCommitted < target.goalMax) {
      revert BelowWalletMinimum(target.walletMin);
    }
    emit Committed(raiseId, msg.sender, accepted, own.amount, target.totalCommitted, target.participantCount);
    if (msg.value > accepted) Address.sendValue(payable(msg.sender), msg.value - accepted);
  }

  /**
   * @notice Ends a raise whose outcome is known. Anyone may call it. The tokens of a failed one go back to their
   * creator.
   * @param raiseId number of the raise
   * @return outcome Finalized or Failed
   */
  function finalize(uint256 raiseId) external nonReentrant returns (RaiseStatus outcome) {
    RaiseStatus current = status(raiseId);
    Raise storage target = _raises[raiseId];
    if (target.finalizedAt != 0) revert AlreadyFinalized();
    if (current != RaiseStatus.Succeeded && current != RaiseStatus.Failed) revert WrongStatus(current);
    target.finalizedAt = uint64(block.timestamp);
    target.lastReleaseAt = uint64(block.timestamp);
    outcome = status(raiseId);
    emit Finalized(raiseId, msg.sender, outcome, target.totalCommitted);
    if (outcome == RaiseStatus.Failed) IERC20(target.token).safeTransfer(target.creator, target.tokenAmount);
  }

  /// @notice Calls a raise off. Only the creator may call it, while the raise is neither over nor full.
  /// @param raiseId number of the raise
  function cancel(uint256 raiseId) external nonReentrant {
    RaiseStatus current = status(raiseId);
    Raise storage target = _raises[raiseId];
    if (msg.sender != target.creator) revert OnlyCreator();
    if (current > RaiseStatus.Active) revert WrongStatus(current);
    target.cancelled = true;
    emit Cancelled(raiseId, msg.sender, target.totalCommitted);
    IERC20(target.token).safeTransfer(target.creator, target.tokenAmount);
  }

  /**
   * @notice Pays out the caller's share of the tokens, less what a refund has given up.
   * @param raiseId number of the raise
   * @return tokenAmount base units of the token
   */
  function claim(uint256 raiseId) external nonReentrant returns (uint256 tokenAmount) {
    Raise storage target = _inStatus(raiseId, RaiseStatus.Finalized);
    Commitment storage own = _commitments[raiseId][msg.sender];
    if (!own.claimed) tokenAmount = _shareOf(target, own) - own.tokensGivenUp;
    if (tokenAmount == 0) revert NothingToClaim();
    own.claimed = true;
    target.tokensClaimed += uint128(tokenAmount);
    emit Claimed(raiseId, msg.sender, tokenAmount, target.tokensClaimed);
    IERC20(target.token).safeTransfer(msg.sender, tokenAmount);
  }

  /**
   * @notice Pays back the whole commitment to a raise that failed or was cancelled, without waiting for `finalize`. Of
   * a dissolved raise it pays the share in what is left, and after an exit what was set aside, against the same share
   * of the tokens: a wallet that has claimed them returns them by allowance. Otherwise every committer would gain by
   * dissolving any raise after claiming.
   * @param raiseId number of the raise
   * @return amount wei that were paid
   */
  function refund(uint256 raiseId) external nonReentrant returns (uint256 amount) {
    RaiseStatus current = status(raiseId);
    Raise storage target = _raises[raiseId];
    Commitment storage own = _commitments[raiseId][msg.sender];
    if (!own.exited && !own.refunded) {
      if (target.dissolvedAt != 0) _setAside(target, own);
      else if (current == RaiseStatus.Failed || current == RaiseStatus.Cancelled) own.refundDue = own.amount;
      else revert RefundNotOpen();
    }
    return _payRefund(raiseId, target, own);
  }

  /**
   * @notice Sends the creator the tokens that refunds have given up. Anyone may call it.
   * @param raiseId number of the raise
   * @return tokenAmount base units of the token
   */
  function reclaimTokens(uint256 raiseId) external nonReentrant returns (uint256 tokenAmount) {
    Raise storage target = _raises[raiseId];
    tokenAmount = target.tokensReclaimable;
    if (tokenAmount == 0) revert NothingToClaim();
    target.tokensReclaimable = 0;
    emit TokensReclaimed(raiseId, target.creator, tokenAmount);
    IERC20(target.token).safeTransfer(target.creator, tokenAmount);
  }

  /**
   * @notice The status as of now.
   * @param raiseId number of the raise
   * @return the status
   */
  function status(uint256 raiseId) public view returns (RaiseStatus) {
    Raise storage target = _raises[raiseId];
    if (target.creator == address(0)) revert UnknownRaise(raiseId);
    if (target.cancelled) return RaiseStatus.Cancelled;
    if (target.totalCommitted == target.goalMax || block.timestamp >= target.endAt) {
      if (target.totalCommitted < target.goalMin) return RaiseStatus.Failed;
      return target.finalizedAt == 0 ? RaiseStatus.Succeeded : RaiseStatus.Finalized;
    }
    if (block.timestamp >= target.startAt) return RaiseStatus.Active;
    if (target.registrationRequired && block.timestamp >= target.registrationStart) return RaiseStatus.Registration;
    return RaiseStatus.Upcoming;
  }

  /// @notice The rules of this deployment, which hold for all of its raises.
  /// @return the rules
  function rules() public view returns (RaiseRules memory) {
    return
      RaiseRules(
        uint32(MIN_VOTING_DELAY),
        uint32(MIN_VOTING_PERIOD),
        uint32(EXIT_WINDOW),
        uint32(RELEASE_PERIOD),
        uint16(RELEASE_BPS)
      );
  }

  /**
   * @notice A raise as stored.
   * @param raiseId number of the raise
   * @return the raise; all zero if there is none
   */
  function raise(uint256 raiseId) external view returns (Raise memory) {
    return _raises[raiseId];
  }

  /**
   * @notice What a wallet has committed to a raise, and got of it.
   * @param raiseId number of the raise
   * @param wallet the wallet
   * @return the commitment; all zero if there is none
   */
  function commitment(uint256 raiseId, address wallet) external view returns (Commitment memory) {
    return _commitments[raiseId][wallet];
  }

  /// What proposals and exits have left of the commitments. Refunds do not lower it: each takes its share of the whole.
  function escrowOf(Raise storage target) internal view returns (uint256) {
    return target.totalCommitted - target.released - target.exitedAmount;
  }

  /// The commitments of those who have not left: they share the escrow, and vote.
  function weightOf(Raise storage target) internal view returns (uint256) {
    return target.totalCommitted - target.exitedWeight;
  }

  /**
   * Determines the wallet's share of the escrow, rounded down, and the tokens that it gives up for it, rounded up: of
   * a raise that released nothing, all of them. Exits keep the escrow per weight, but for rounding in favour of others.
   */
  function _setAside(Raise storage target, Commitment storage own) internal {
    uint256 weight = weightOf(target);
    if (own.amount == 0) return;
    own.refundDue = uint128(Math.mulDiv(own.amount, escrowOf(target), weight));
    own.tokensGivenUp = uint128(
      Math.mulDiv(_shareOf(target, own), escrowOf(target), weight, Math.Rounding.Ceil)
    );
  }

  function _payRefund(uint256 raiseId, Raise storage target, Commitment storage own) internal returns (uint256 amount) {
    amount = own.refundDue;
    if (own.refunded || amount == 0) revert NothingToRefund();
    own.refunded = true;
    target.refunded += uint128(amount);
    // The creator gets what arrives: a token may take a fee by now, and what is missing would be taken from other raises.
    uint256 returned = own.tokensGivenUp;
    if (own.claimed && returned > 0) returned = Math.min(_pull(target.token, returned), returned);
    target.tokensReclaimable += uint128(returned);
    emit Refunded(raiseId, msg.sender, amount, returned, target.refunded);
    Address.sendValue(payable(msg.sender), amount);
  }

  function _inStatus(uint256 raiseId, RaiseStatus wanted) internal view returns (Raise storage) {
    RaiseStatus current = status(raiseId);
    if (current != wanted) revert WrongStatus(current);
    return _raises[raiseId];
  }

  /**
   * @notice Takes tokens from the caller, by allowance.
   * @param token the token
   * @param amount base units
   * @return received what arrives, which is less where the token takes a fee
   */
  function _pull(address token, uint256 amount) private returns (uint256 received) {
    uint256 before = IERC20(token).balanceOf(address(this));
    IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
    return IERC20(token).balanceOf(address(this)) - before;
  }

  function _shareOf(Raise storage target, Commitment storage own) private view returns (uint256) {
    return (uint256(target.tokenAmount) * own.amount) / target.totalCommitted;
  }

  function _checkParams(RaiseParams memory params) private view {
    if (params.token.code.length == 0) revert NotAToken(params.token);
    bool goals = params.goalMin > 0 && params.goalMin <= params.goalMax && params.tokenAmount > 0;
    if (!goals || params.walletMin > params.walletMax || params.walletMax > params.goalMax) revert InvalidGoals();
    if (params.startAt < block.timestamp || params.startAt > block.timestamp + MAX_LEAD_TIME) revert InvalidTimes();
    if (params.endAt <= params.startAt || params.endAt > params.startAt + MAX_DURATION) revert InvalidTimes();
    bool registration = params.registrationStart < params.startAt && params.startAt > block.timestamp;
    if (params.registrationRequired ? !registration : params.registrationStart != 0) revert InvalidTimes();
    if (params.quorumBps < MIN_QUORUM_BPS || params.quorumBps > BPS) revert InvalidVoting();
    if (params.votingPeriod < MIN_VOTING_PERIOD || params.votingPeriod > MAX_VOTING_PERIOD) revert InvalidVoting();
    if (params.votingDelay < MIN_VOTING_DELAY || params.votingDelay > MAX_VOTING_DELAY) revert InvalidVoting();
    if (bytes(params.title).length == 0 || bytes(params.title).length > 120) revert InvalidText();
    if (bytes(params.metadataURI).length > 512) revert InvalidText();
  }
}
