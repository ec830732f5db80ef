// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from '@openzeppelin/contracts/access/Ownable2Step.sol';
import {Address} from '@openzeppelin/contracts/utils/Address.sol';
import {FeeStaking} from './FeeStaking.sol';

interface IFeeSource {
  function protocolFees() external view returns (uint256);
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

  event TermsUpdated(address indexed treasury, uint256 indexed poolId, uint256 stakerShareBps);
  event Distributed(address indexed caller, uint256 indexed poolId, uint256 toStakers, uint256 toTreasury);

  error InvalidPool(uint256 poolId);
  error InvalidShare();
  error InvalidTreasury();
  error NothingToDistribute();

  constructor(address owner_, address launchpad_, address staking_, address treasury_) Ownable(owner_) {
    launchpad = IFeeSource(launchpad_);
    staking = FeeStaking(staking_);
    _setTerms(treasury_, 0, 0);
  }

  receive() external payable {}

  /// Fetches the launchpad's fees and distributes all that is here. Anyone may call it, as often as they like.
  function distribute() external returns (uint256 toStakers, uint256 toTreasury) {
    if (launchpad.protocolFees() > 0) launchpad.claimProtocolFee();
    uint256 amount = address(this).balance;
    if (amount == 0) revert NothingToDistribute();
    toStakers = (amount * stakerShareBps) / BPS;
    toTreasury = amount - toStakers;
    emit Distributed(msg.sender, poolId, toStakers, toTreasury);
    if (toStakers > 0) staking.fund{value: toStakers}(poolId, toStakers);
    if (toTreasury > 0) Address.sendValue(payable(treasury), toTreasury);
  }

  /// The pool must pay its rewards in the native coin. What has come in so far is shared by the new terms.
  function setTerms(address treasury_, uint256 poolId_, uint256 stakerShareBps_) external onlyOwner {
    _setTerms(treasury_, poolId_, stakerShareBps_);
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
