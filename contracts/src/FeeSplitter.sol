// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from '@openzeppelin/contracts/access/Ownable2Step.sol';
import {FeeStaking} from './FeeStaking.sol';

/// @notice What the splitter calls of the launchpad.
interface IFeeSource {
  /// @notice What claimProtocolFee would pay now.
  /// @return wei
  function claimableProtocolFees() external view returns (uint256);
  /// @notice Pays the fees to the fee recipient.
  /// @return amount wei
  function claimProtocolFee() external returns (uint256 amount);
}

/**
 * @title Fee splitter
 * @notice The launchpad's fee recipient where stakers have a share in the trading fees: it funds a staking pool with
 * that share and pays the rest to the treasury. It takes coins without further ado, so that nothing here can block the
 * launchpad.
 */
contract FeeSplitter is Ownable2Step {
  uint256 private constant BPS = 10_000;

  /// @notice Contract whose fees are split.
  IFeeSource public immutable launchpad;
  /// @notice Contract that has the pools.
  FeeStaking public immutable staking;
  /// @notice Receives what stakers do not get.
  address public treasury;
  /// @notice Staking pool that gets the share of the stakers.
  uint256 public poolId;
  /// @notice Share of the stakers in basis points. Zero until the owner names a pool.
  uint256 public stakerShareBps;
  /// @notice Wei that the treasury did not accept so far. They are not shared again.
  uint256 public owedToTreasury;

  /**
   * @notice The terms of what comes in from now on changed.
   * @param treasury receives what stakers do not get
   * @param poolId number of the pool
   * @param stakerShareBps share of the stakers in basis points
   */
  event TermsUpdated(address indexed treasury, uint256 indexed poolId, uint256 stakerShareBps);
  /**
   * @notice Fees were distributed.
   * @param caller account that called for it
   * @param poolId number of the pool that was funded
   * @param toStakers wei that fund the pool
   * @param toTreasury wei that were paid to the treasury
   */
  event Distributed(address indexed caller, uint256 indexed poolId, uint256 toStakers, uint256 toTreasury);

  /// @notice There is no such pool, or its rewards are not the native coin.
  /// @param poolId number of the pool
  error InvalidPool(uint256 poolId);
  /// @notice The share exceeds 10,000 basis points.
  error InvalidShare();
  /// @notice The treasury is zero.
  error InvalidTreasury();
  /// @notice No fees have come in.
  error NothingToDistribute();

  /**
   * @notice Starts without a share for stakers.
   * @param owner_ sets the terms
   * @param launchpad_ contract whose fees are split
   * @param staking_ contract that has the pools
   * @param treasury_ receives all until the owner names a pool
   */
  constructor(address owner_, address launchpad_, address staking_, address treasury_) Ownable(owner_) {
    launchpad = IFeeSource(launchpad_);
    staking = FeeStaking(staking_);
    _setTerms(treasury_, 0, 0);
  }

  /// @notice Takes coins of anyone, and shares them like fees.
  receive() external payable {}

  /**
   * @notice Fetches the launchpad's fees and distributes all that is here. Anyone may call it, as often as they like. A
   * treasury that takes no coins does not keep the stakers from their share: its part stays owed.
   * @return toStakers wei that fund the staking pool
   * @return toTreasury wei that were paid to the treasury
   */
  function distribute() external returns (uint256 toStakers, uint256 toTreasury) {
    if (!_isDue()) revert NothingToDistribute();
    return _distribute();
  }

  /**
   * @notice Sets the terms of what comes in from now on. What is due so far is first distributed under the old ones.
   * @param treasury_ receives what stakers do not get, and what the former treasury did not take
   * @param poolId_ staking pool that pays its rewards in the native coin; any number if the share is 0
   * @param stakerShareBps_ share of the stakers in basis points
   */
  function setTerms(address treasury_, uint256 poolId_, uint256 stakerShareBps_) external onlyOwner {
    if (_isDue()) _distribute();
    _setTerms(treasury_, poolId_, stakerShareBps_);
  }

  function _isDue() private view returns (bool) {
    return address(this).balance > 0 || launchpad.claimableProtocolFees() > 0;
  }

  function _distribute() private returns (uint256 toStakers, uint256 toTreasury) {
    if (launchpad.claimableProtocolFees() > 0) launchpad.claimProtocolFee();
    uint256 amount = address(this).balance - owedToTreasury;
    toStakers = (amount * stakerShareBps) / BPS;
    toTreasury = address(this).balance - toStakers;
    owedToTreasury = toTreasury;
    if (toStakers > 0) staking.fund{value: toStakers}(poolId, toStakers);
    // solhint-disable-next-line avoid-low-level-calls
    (bool isPaid, ) = treasury.call{value: toTreasury}('');
    if (isPaid) owedToTreasury = 0;
    else toTreasury = 0;
    emit Distributed(msg.sender, poolId, toStakers, toTreasury);
  }

  function _setTerms(address treasury_, uint256 poolId_, uint256 stakerShareBps_) private {
    if (treasury_ == address(0)) revert InvalidTreasury();
    if (stakerShareBps_ > BPS) revert InvalidShare();
    if (stakerShareBps_ > 0) {
      FeeStaking.Pool memory pool = staking.pool(poolId_);
      if (address(pool.stakingToken) == address(0) || pool.rewardToken != address(0)) revert InvalidPool(poolId_);
    }
    (treasury, poolId, stakerShareBps) = (treasury_, poolId_, stakerShareBps_);
    emit TermsUpdated(treasury_, poolId_, stakerShareBps_);
  }
}
