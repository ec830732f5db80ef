// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from '@openzeppelin/contracts/access/Ownable2Step.sol';
import {IERC20, SafeERC20} from '@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol';
import {Address} from '@openzeppelin/contracts/utils/Address.sol';
import {ReentrancyGuardTransient} from '@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol';
import {SafeCast} from '@openzeppelin/contracts/utils/math/SafeCast.sol';
import {FeeStakingTypes} from './FeeStakingTypes.sol';

/**
 * @title Staking pools
 * @notice Pools that stream rewards, the native coin or a token, to those who stake a token. A funding is paid out
 * evenly by the second; while nobody stakes, the stream stands still and its end moves away, so that no reward is lost.
 * @dev Two figures make everyone's reward: what one staked unit has earned since the pool began (rewardPerToken), and
 * that same figure when the account was last settled (rewardPerTokenPaid). Both, and rewardRate, are scaled by
 * PRECISION. All divisions round down, in the pool's favour: what is paid never exceeds what was funded. Invariant:
 * balance of a staking token >= sum(staked + pendingUnstake) over its pools; balance of a reward token, or of the
 * native coin, >= sum(totalFunded - totalPaid). A token that is both covers the sum of the two. Tokens that take a fee
 * on transfer are refused; tokens that rebase break these sums and must not get a pool.
 */
contract FeeStaking is FeeStakingTypes, Ownable2Step, ReentrancyGuardTransient {
  using SafeERC20 for IERC20;
  using SafeCast for uint256;

  address private constant NATIVE = address(0);
  /// @notice Scale of rates and rewards per token. With it, and fundings that add up to 128 bits at most, no product
  /// below overflows.
  uint256 public constant PRECISION = 1e36;
  /// @notice Longest cooldown of a pool, in seconds.
  uint256 public constant MAX_COOLDOWN = 90 days;
  /// @notice Longest period of a pool, in seconds.
  uint256 public constant MAX_PERIOD = 365 days;

  /// @notice Number of pools. Ids are 1 to poolCount.
  uint256 public poolCount;
  mapping(uint256 poolId => Pool) private _pools;
  mapping(uint256 poolId => mapping(address account => Position)) private _positions;

  /// @notice Starts without pools.
  /// @param owner_ opens the pools
  constructor(address owner_) Ownable(owner_) {}

  /**
   * @notice Opens a pool. Its terms never change.
   * @param stakingToken token that is staked; it must not rebase
   * @param rewardToken token that is paid; zero: the native coin
   * @param cooldownSeconds time from a request to unstake to the withdrawal
   * @param periodSeconds time over which a funding of an idle pool is paid out
   * @return poolId number of the pool
   */
  function createPool(
    address stakingToken,
    address rewardToken,
    uint256 cooldownSeconds,
    uint256 periodSeconds
  ) external onlyOwner returns (uint256 poolId) {
    if (stakingToken.code.length == 0) revert NotAToken(stakingToken);
    if (rewardToken != NATIVE && rewardToken.code.length == 0) revert NotAToken(rewardToken);
    if (cooldownSeconds > MAX_COOLDOWN || periodSeconds == 0 || periodSeconds > MAX_PERIOD) revert InvalidPeriod();
    poolId = ++poolCount;
    Pool storage target = _pools[poolId];
    target.stakingToken = IERC20(stakingToken);
    target.rewardToken = rewardToken;
    target.cooldownSeconds = uint32(cooldownSeconds);
    target.periodSeconds = uint32(periodSeconds);
    target.lastUpdateTime = uint64(block.timestamp);
    emit PoolCreated(poolId, stakingToken, rewardToken, cooldownSeconds, periodSeconds);
  }

  /**
   * @notice Stakes the caller's tokens, by allowance.
   * @param poolId number of the pool
   * @param amount base units of the staking token, above 0
   */
  function stake(uint256 poolId, uint256 amount) external nonReentrant {
    if (amount == 0) revert ZeroAmount();
    (Pool storage target, Position storage own) = _settle(poolId);
    target.totalStaked = (target.totalStaked + amount).toUint128();
    own.staked += uint128(amount);
    _pull(target.stakingToken, amount);
    _emitAccount(Staked.selector, poolId, amount, target, own);
  }

  /**
   * @notice Takes tokens out of the stake: they earn no more, and can be withdrawn after the cooldown. A further
   * request adds to what is pending and starts the cooldown of all of it anew; to avoid that, withdraw first.
   * @param poolId number of the pool
   * @param amount base units of the staking token, up to the stake
   */
  function requestUnstake(uint256 poolId, uint256 amount) external nonReentrant {
    if (amount == 0) revert ZeroAmount();
    (Pool storage target, Position storage own) = _settle(poolId);
    if (amount > own.staked) revert ExceedsStaked(own.staked);
    target.totalStaked -= uint128(amount);
    own.staked -= uint128(amount);
    own.pendingUnstake = (own.pendingUnstake + amount).toUint128();
    own.withdrawableAt = uint64(block.timestamp + target.cooldownSeconds);
    _emitAccount(UnstakeRequested.selector, poolId, amount, target, own);
  }

  /**
   * @notice Returns all that is pending, from the second withdrawableAt on.
   * @param poolId number of the pool
   * @return amount base units that were returned
   */
  function withdraw(uint256 poolId) external nonReentrant returns (uint256 amount) {
    (Pool storage target, Position storage own) = _settle(poolId);
    amount = own.pendingUnstake;
    if (amount == 0) revert NothingToWithdraw();
    if (block.timestamp < own.withdrawableAt) revert CoolingDown(own.withdrawableAt);
    own.pendingUnstake = 0;
    own.withdrawableAt = 0;
    _emitAccount(Withdrawn.selector, poolId, amount, target, own);
    target.stakingToken.safeTransfer(msg.sender, amount);
  }

  /**
   * @notice Pays what the caller has earned until now. The stake stays.
   * @param poolId number of the pool
   * @return amount base units of the reward token, or wei
   */
  function claim(uint256 poolId) external nonReentrant returns (uint256 amount) {
    (Pool storage target, Position storage own) = _settle(poolId);
    amount = own.rewards;
    if (amount == 0) revert NothingToClaim();
    own.rewards = 0;
    own.claimed += uint128(amount);
    target.totalPaid += uint128(amount);
    _emitAccount(RewardPaid.selector, poolId, amount, target, own);
    if (target.rewardToken == NATIVE) Address.sendValue(payable(msg.sender), amount);
    else IERC20(target.rewardToken).safeTransfer(msg.sender, amount);
  }

  /**
   * @notice Adds to the stream; for the native coin, `amount` is the value sent. Anyone may fund, so a funding must not
   * be able to delay what is already on its way: the new stream lasts the average of the time that was left and of a
   * whole period, weighted by the amounts. One wei then moves nothing, and a funding of an idle pool lasts one period.
   * @param poolId number of the pool
   * @param amount base units of the reward token, by allowance, or the wei sent
   */
  function fund(uint256 poolId, uint256 amount) external payable nonReentrant {
    if (amount == 0) revert ZeroAmount();
    Pool storage target = _settlePool(poolId);
    if (msg.value != (target.rewardToken == NATIVE ? amount : 0)) revert WrongValue();
    target.totalFunded = (target.totalFunded + amount).toUint128();

    uint256 timeLeft = target.periodFinish > block.timestamp ? target.periodFinish - block.timestamp : 0;
    uint256 scaledLeft = timeLeft * target.rewardRate;
    uint256 left = scaledLeft / PRECISION;
    uint256 duration = (left * timeLeft + amount * target.periodSeconds) / (left + amount);
    target.rewardRate = (scaledLeft + amount * PRECISION) / duration;
    target.periodFinish = uint64(block.timestamp + duration);
    if (target.rewardToken != NATIVE) _pull(IERC20(target.rewardToken), amount);
    emit Funded(
      poolId,
      msg.sender,
      amount,
      target.rewardRate,
      target.periodFinish,
      target.rewardPerToken,
      target.lastUpdateTime,
      target.totalStaked,
      target.totalFunded
    );
  }

  /**
   * @notice What the account could claim now.
   * @param poolId number of the pool
   * @param account the staker
   * @return base units of the reward token, or wei
   */
  function earned(uint256 poolId, address account) external view returns (uint256) {
    return _earned(_positions[poolId][account], _rewardPerToken(_pools[poolId]));
  }

  /**
   * @notice A pool as stored: rewardPerToken and periodFinish are those of lastUpdateTime.
   * @param poolId number of the pool
   * @return the pool; all zero if there is none
   */
  function pool(uint256 poolId) external view returns (Pool memory) {
    return _pools[poolId];
  }

  /**
   * @notice A position as stored: rewards are those of the account's last settlement.
   * @param poolId number of the pool
   * @param account the staker
   * @return the position; all zero if there is none
   */
  function position(uint256 poolId, address account) external view returns (Position memory) {
    return _positions[poolId][account];
  }

  function _settle(uint256 poolId) private returns (Pool storage target, Position storage own) {
    target = _settlePool(poolId);
    own = _positions[poolId][msg.sender];
    own.rewards = uint128(_earned(own, target.rewardPerToken));
    own.rewardPerTokenPaid = target.rewardPerToken;
  }

  function _settlePool(uint256 poolId) private returns (Pool storage target) {
    target = _pools[poolId];
    if (address(target.stakingToken) == address(0)) revert UnknownPool(poolId);
    if (target.totalStaked > 0) target.rewardPerToken = _rewardPerToken(target);
    else if (target.periodFinish > target.lastUpdateTime) {
      target.periodFinish += uint64(block.timestamp - target.lastUpdateTime);
    }
    target.lastUpdateTime = uint64(block.timestamp);
  }

  /// Emits one of the four events of an account, which differ in their name alone.
  function _emitAccount(
    bytes32 selector,
    uint256 poolId,
    uint256 amount,
    Pool storage target,
    Position storage own
  ) private {
    bytes memory data = abi.encode(
      amount,
      own.staked,
      target.totalStaked,
      own.pendingUnstake,
      own.withdrawableAt,
      own.rewards,
      target.rewardRate,
      target.rewardPerToken,
      target.lastUpdateTime,
      target.periodFinish
    );
    // solhint-disable-next-line no-inline-assembly
    assembly ('memory-safe') {
      log3(add(data, 32), mload(data), selector, poolId, caller())
    }
  }

  function _rewardPerToken(Pool storage target) private view returns (uint256) {
    uint256 end = target.periodFinish < block.timestamp ? target.periodFinish : block.timestamp;
    if (target.totalStaked == 0 || end <= target.lastUpdateTime) return target.rewardPerToken;
    return target.rewardPerToken + ((end - target.lastUpdateTime) * target.rewardRate) / target.totalStaked;
  }

  function _earned(Position storage own, uint256 rewardPerToken) private view returns (uint256) {
    return own.rewards + (own.staked * (rewardPerToken - own.rewardPerTokenPaid)) / PRECISION;
  }

  function _pull(IERC20 token, uint256 amount) private {
    uint256 before = token.balanceOf(address(this));
    token.safeTransferFrom(msg.sender, address(this), amount);
    if (token.balanceOf(address(this)) - before != amount) revert TransferFee(address(token));
  }
}
