// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from '@openzeppelin/contracts/access/Ownable2Step.sol';
import {FeeStaking} from './FeeStaking.sol';

interface IFeeSource {
  function claimableProtocolFees() external view returns (uint256);
  function claimProtocolFee() external returns (uint256 amount);
}

/**
 * The launchpad's fee recipient where stakers have a share in the trading fees: it funds a staking pool with that share
 * and pays the rest to the treasury. It takes coins without further ado, so that nothing here can block the launchpad.
 */
contract FeeSplitter is Ownable2Step {
  uint256 private constant BPS = 10_000;

  IFeeSource public immutable launchpad;
  FeeStaking public immutable staking;
  address public treasury;
  uint256 public poolId;
  /// None until the owner names a pool.
  uint256 public stakerShareBps;
  /// What the treasury did not take so far. It is not shared again.
  uint256 public owedToTreasury;

  event TermsUpdated(address indexed treasury, uint256 indexed poolId, uint256 stakerShareBps);
  event Distributed(address indexed caller, uint256 indexed poolId, uint256 toStakers, uint256 toTreasury);

  error InvalidPool(uint256 poolId);
  error InvalidShare();
  error InvalidTreasury();
  error NothingToDistribute();

  /**
   * @param owner_ sets the terms
   * @param launchpad_ whose fees are split
   * @param staking_ has the pools
   * @param treasury_ receives all until the owner names a pool
   */
  constructor(address owner_, address launchpad_, address staking_, address treasury_) Ownable(owner_) {
    launchpad = IFeeSource(launchpad_);
    staking = FeeStaking(staking_);
    _setTerms(treasury_, 0, 0);
  }

  receive() external payable {}

  /**
   * Fetches the launchpad's fees and distributes all that is here. Anyone may call it, as often as they like. A treasury
   * that takes no coins does not keep the stakers from their share: its part stays owed.
   * @return toStakers wei that fund the staking pool
   * @return toTreasury wei that were paid to the treasury
   */
  function distribute() external returns (uint256 toStakers, uint256 toTreasury) {
    if (!_isDue()) revert NothingToDistribute();
    return _distribute();
  }

  /**
   * Sets the terms of what comes in from now on. What is due so far is first distributed under the old ones.
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
