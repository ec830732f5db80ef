// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';

/// @notice Structs, events and errors of the staking pools.
abstract contract FeeStakingTypes {
  struct Pool {
    IERC20 stakingToken;
    uint32 cooldownSeconds; // from a request to unstake to the withdrawal
    uint32 periodSeconds; // how long a funding of an idle pool lasts
    address rewardToken; // zero: the native coin
    uint128 totalStaked;
    uint64 lastUpdateTime;
    uint64 periodFinish; // as of lastUpdateTime: it moves away while nothing is staked
    uint128 totalFunded;
    uint128 totalPaid;
    uint256 rewardRate; // reward units a second, times PRECISION
    uint256 rewardPerToken; // as of lastUpdateTime, times PRECISION
  }

  struct Position {
    uint128 staked;
    uint128 pendingUnstake; // earns nothing
    uint128 rewards; // earned until the last settlement, and not yet paid
    uint128 claimed;
    uint64 withdrawableAt;
    uint256 rewardPerTokenPaid;
  }

  /**
   * @notice A pool was opened.
   * @param poolId number of the pool
   * @param stakingToken token that is staked
   * @param rewardToken token that is paid; zero: the native coin
   * @param cooldownSeconds time from a request to unstake to the withdrawal
   * @param periodSeconds time over which a funding of an idle pool is paid out
   */
  event PoolCreated(
    uint256 indexed poolId,
    address indexed stakingToken,
    address indexed rewardToken,
    uint256 cooldownSeconds,
    uint256 periodSeconds
  );
  // The four events of an account end alike, in the state of account and pool after them. The account's
  // rewardPerTokenPaid is then the event's rewardPerToken.
  /**
   * @notice An account staked. Figures are those after the call.
   * @param poolId number of the pool
   * @param account the staker
   * @param amount base units that were added
   * @param staked stake of the account
   * @param totalStaked stake of all accounts
   * @param pendingUnstake what the account has taken out of the stake, and not withdrawn
   * @param withdrawableAt unix seconds from which that can be withdrawn
   * @param rewards what the account has earned and was not paid
   * @param rewardRate reward units a second, times PRECISION
   * @param rewardPerToken what a staked unit has earned, times PRECISION; from now on the account's rewardPerTokenPaid
   * @param lastUpdateTime unix seconds of the settlement
   * @param periodFinish unix seconds at which the stream ends
   */
  event Staked(
    uint256 indexed poolId,
    address indexed account,
    uint256 amount,
    uint256 staked,
    uint256 totalStaked,
    uint256 pendingUnstake,
    uint256 withdrawableAt,
    uint256 rewards,
    uint256 rewardRate,
    uint256 rewardPerToken,
    uint256 lastUpdateTime,
    uint256 periodFinish
  );
  /**
   * @notice An account took tokens out of its stake. Figures are those after the call.
   * @param poolId number of the pool
   * @param account the staker
   * @param amount base units that were taken out
   * @param staked stake of the account
   * @param totalStaked stake of all accounts
   * @param pendingUnstake what the account has taken out of the stake, and not withdrawn
   * @param withdrawableAt unix seconds from which that can be withdrawn
   * @param rewards what the account has earned and was not paid
   * @param rewardRate reward units a second, times PRECISION
   * @param rewardPerToken what a staked unit has earned, times PRECISION; from now on the account's rewardPerTokenPaid
   * @param lastUpdateTime unix seconds of the settlement
   * @param periodFinish unix seconds at which the stream ends
   */
  event UnstakeRequested(
    uint256 indexed poolId,
    address indexed account,
    uint256 amount,
    uint256 staked,
    uint256 totalStaked,
    uint256 pendingUnstake,
    uint256 withdrawableAt,
    uint256 rewards,
    uint256 rewardRate,
    uint256 rewardPerToken,
    uint256 lastUpdateTime,
    uint256 periodFinish
  );
  /**
   * @notice An account withdrew what it had taken out. Figures are those after the call.
   * @param poolId number of the pool
   * @param account the staker
   * @param amount base units that were returned
   * @param staked stake of the account
   * @param totalStaked stake of all accounts
   * @param pendingUnstake what the account has taken out of the stake, and not withdrawn
   * @param withdrawableAt unix seconds from which that can be withdrawn
   * @param rewards what the account has earned and was not paid
   * @param rewardRate reward units a second, times PRECISION
   * @param rewardPerToken what a staked unit has earned, times PRECISION; from now on the account's rewardPerTokenPaid
   * @param lastUpdateTime unix seconds of the settlement
   * @param periodFinish unix seconds at which the stream ends
   */
  event Withdrawn(
    uint256 indexed poolId,
    address indexed account,
    uint256 amount,
    uint256 staked,
    uint256 totalStaked,
    uint256 pendingUnstake,
    uint256 withdrawableAt,
    uint256 rewards,
    uint256 rewardRate,
    uint256 rewardPerToken,
    uint256 lastUpdateTime,
    uint256 periodFinish
  );
  /**
   * @notice An account was paid its rewards. Figures are those after the call.
   * @param poolId number of the pool
   * @param account the staker
   * @param amount base units of the reward token, or wei
   * @param staked stake of the account
   * @param totalStaked stake of all accounts
   * @param pendingUnstake what the account has taken out of the stake, and not withdrawn
   * @param withdrawableAt unix seconds from which that can be withdrawn
   * @param rewards what the account has earned and was not paid
   * @param rewardRate reward units a second, times PRECISION
   * @param rewardPerToken what a staked unit has earned, times PRECISION; from now on the account's rewardPerTokenPaid
   * @param lastUpdateTime unix seconds of the settlement
   * @param periodFinish unix seconds at which the stream ends
   */
  event RewardPaid(
    uint256 indexed poolId,
    address indexed account,
    uint256 amount,
    uint256 staked,
    uint256 totalStaked,
    uint256 pendingUnstake,
    uint256 withdrawableAt,
    uint256 rewards,
    uint256 rewardRate,
    uint256 rewardPerToken,
    uint256 lastUpdateTime,
    uint256 periodFinish
  );
  /**
   * @notice Rewards were added to the stream. Figures are those after the call.
   * @param poolId number of the pool
   * @param funder account that paid
   * @param amount base units of the reward token, or wei
   * @param rewardRate reward units a second, times PRECISION
   * @param periodFinish unix seconds at which the stream ends
   * @param rewardPerToken what a staked unit has earned, times PRECISION
   * @param lastUpdateTime unix seconds of the settlement
   * @param totalStaked stake of all accounts
   * @param totalFunded all that was ever added
   */
  event Funded(
    uint256 indexed poolId,
    address indexed funder,
    uint256 amount,
    uint256 rewardRate,
    uint256 periodFinish,
    uint256 rewardPerToken,
    uint256 lastUpdateTime,
    uint256 totalStaked,
    uint256 totalFunded
  );

  /// @notice The cooldown is not over.
  /// @param withdrawableAt unix seconds at which it is
  error CoolingDown(uint256 withdrawableAt);
  /// @notice The amount exceeds the stake.
  /// @param staked stake of the account
  error ExceedsStaked(uint256 staked);
  /// @notice The cooldown or the period is too long, or the period is zero.
  error InvalidPeriod();
  /// @notice An address that must have code has none.
  /// @param token the address
  error NotAToken(address token);
  /// @notice The account has no rewards.
  error NothingToClaim();
  /// @notice The account has taken nothing out of its stake.
  error NothingToWithdraw();
  /// @notice The token takes a fee on transfer.
  /// @param token the token
  error TransferFee(address token);
  /// @notice There is no such pool.
  /// @param poolId number of the pool
  error UnknownPool(uint256 poolId);
  /// @notice The value sent is not the amount, or is not zero where rewards are a token.
  error WrongValue();
  /// @notice The amount is zero.
  error ZeroAmount();
}
