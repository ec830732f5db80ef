// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from '@openzeppelin/contracts/token/ERC20/ERC20.sol';

/// A token that anyone mints, and that misbehaves on demand: takes a fee, blocks transfers, calls back.
contract TestToken is ERC20 {
  uint256 public feeBps;
  bool public blocked;
  address private _target;
  bytes private _data;
  bool public attempted;
  bytes public result;

  error Blocked();

  constructor() ERC20('Test', 'TEST') {}

  function mint(address account, uint256 amount) external {
    _mint(account, amount);
  }

  function setFee(uint256 feeBps_) external {
    feeBps = feeBps_;
  }

  function setBlocked(bool blocked_) external {
    blocked = blocked_;
  }

  /// The next transfer calls the target, as the token.
  function arm(address target, bytes calldata data) external {
    (_target, _data, attempted) = (target, data, false);
  }

  function _update(address from, address to, uint256 value) internal override {
    if (blocked) revert Blocked();
    uint256 fee = from == address(0) || to == address(0) ? 0 : (value * feeBps) / 10_000;
    super._update(from, to, value - fee);
    if (fee > 0) super._update(from, address(0), fee);
    if (_target == address(0)) return;
    address target = _target;
    (_target, attempted) = (address(0), true);
    (, result) = target.call(_data);
  }
}
