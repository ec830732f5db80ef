// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Address} from '@openzeppelin/contracts/utils/Address.sol';
import {ReentrancyGuardTransient} from '@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol';
import {Curve} from './CurveMath.sol';
import {LaunchpadTypes} from './LaunchpadTypes.sol';

/**
 * @title Fees that trades on the curve earn for creators
 * @notice The right to a token's fees starts with its creator and can be transferred. Its owner may split the payouts
 * between up to 10 recipients. Anyone may pay them out; a recipient that does not accept coins withdraws them later, so
 * it blocks nobody else.
 */
abstract contract CreatorFees is LaunchpadTypes, ReentrancyGuardTransient {
  struct FeeShare {
    address recipient;
    uint16 bps;
  }

  /// @notice Most recipients of the fees of a token.
  uint256 public constant MAX_FEE_SHARES = 10;
  uint256 private constant BPS = 10_000;
  /// @dev Enough for a contract wallet to accept coins; a recipient cannot make a claim for others expensive.
  uint256 private constant PAYOUT_GAS = 100_000;
  /// @dev Of a payment that fails: what is left of the gas must suffice to hold the coins.
  uint256 private constant HOLD_GAS = 40_000;

  mapping(address token => Curve) internal _curves;
  /// @notice Coins that a recipient did not accept, and can withdraw, in wei.
  mapping(address recipient => uint256) public heldFees;
  mapping(address token => address) private _feeOwners; // unset: the creator
  mapping(address token => FeeShare[]) private _feeShares; // empty: all to the owner of the right

  /**
   * @notice Pays out the fees that a token has earned for its creator. Anyone may call it.
   * @param token launched token
   * @return amount wei of all recipients together
   */
  function claimCreatorFee(address token) external nonReentrant returns (uint256 amount) {
    amount = _payFees(token);
    if (amount == 0) revert NothingToClaim();
  }

  /**
   * @notice Splits later payouts; what is due is paid as before. Only the owner of the right may call it.
   * @param token launched token
   * @param recipients at most 10; none: all goes to the owner of the right
   * @param bps basis points of each recipient, 10,000 together
   */
  function setFeeShares(address token, address[] calldata recipients, uint16[] calldata bps) external nonReentrant {
    if (msg.sender != feeOwner(token)) revert OnlyFeeOwner();
    if (recipients.length > MAX_FEE_SHARES || recipients.length != bps.length) revert InvalidFeeShares();
    _payFees(token);
    delete _feeShares[token];
    uint256 sum = 0;
    uint256 count = recipients.length;
    for (uint256 i = 0; i < count; i++) {
      _checkRecipient(recipients[i]);
      if (bps[i] == 0) revert InvalidFeeShares();
      sum += bps[i];
      _feeShares[token].push(FeeShare(recipients[i], bps[i]));
    }
    if (count > 0 && sum != BPS) revert InvalidFeeShares();
    emit FeeSharesUpdated(token, msg.sender, recipients, bps);
  }

  /**
   * @notice Gives the right to later fees away for good, and ends the split; what is due is paid as before.
   * @param token launched token
   * @param to new owner of the right
   */
  function transferFeeRight(address token, address to) external nonReentrant {
    if (msg.sender != feeOwner(token)) revert OnlyFeeOwner();
    _checkRecipient(to);
    _payFees(token);
    delete _feeShares[token];
    _feeOwners[token] = to;
    emit FeeRightTransferred(token, msg.sender, to);
  }

  /**
   * @notice Sends the caller's held fees to any address.
   * @param to account that gets them
   * @return amount all of them, in wei
   */
  function withdrawHeldFees(address to) external nonReentrant returns (uint256 amount) {
    _checkRecipient(to);
    amount = heldFees[msg.sender];
    if (amount == 0) revert NothingToClaim();
    heldFees[msg.sender] = 0;
    emit HeldFeesWithdrawn(msg.sender, to, amount);
    Address.sendValue(payable(to), amount);
  }

  /**
   * @notice The split of a token's payouts.
   * @param token launched token
   * @return recipients empty if all goes to the owner of the right
   * @return bps basis points of each recipient
   */
  function feeShares(address token) external view returns (address[] memory recipients, uint16[] memory bps) {
    FeeShare[] memory shares = _feeShares[token];
    uint256 count = shares.length;
    recipients = new address[](count);
    bps = new uint16[](count);
    for (uint256 i = 0; i < count; i++) (recipients[i], bps[i]) = (shares[i].recipient, shares[i].bps);
  }

  /**
   * @notice The owner of the right to a token's fees.
   * @param token launched token
   * @return the owner; zero for a token that was not launched here
   */
  function feeOwner(address token) public view returns (address) {
    address owner = _feeOwners[token];
    return owner == address(0) ? _curves[token].creator : owner;
  }

  function _payFees(address token) private returns (uint256 amount) {
    amount = _curves[token].creatorFees;
    if (amount == 0) return 0;
    _curves[token].creatorFees = 0;
    FeeShare[] memory shares = _feeShares[token];
    uint256 count = shares.length;
    uint256 left = amount;
    for (uint256 i = 0; i + 1 < count; i++) {
      uint256 part = (amount * shares[i].bps) / BPS;
      left -= part;
      _pay(token, shares[i].recipient, part);
    }
    // The last one gets what rounding leaves.
    _pay(token, count == 0 ? feeOwner(token) : shares[count - 1].recipient, left);
  }

  function _pay(address token, address recipient, uint256 amount) private {
    if (amount == 0) return;
    emit CreatorFeeClaimed(token, recipient, amount);
    // A caller who sends too little gas must not be able to make a payment fail (EIP-150 keeps a 64th of it).
    if (gasleft() < PAYOUT_GAS + PAYOUT_GAS / 63 + HOLD_GAS) revert TooLittleGas();
    bool isPaid;
    // Ignores what the recipient returns: copying it would cost gas without bound.
    // solhint-disable-next-line no-inline-assembly
    assembly ('memory-safe') {
      isPaid := call(PAYOUT_GAS, recipient, amount, 0, 0, 0, 0)
    }
    if (isPaid) return;
    heldFees[recipient] += amount;
    emit FeesHeld(recipient, amount);
  }

  function _checkRecipient(address recipient) private view {
    if (recipient == address(0) || recipient == address(this)) revert InvalidRecipient();
  }
}
