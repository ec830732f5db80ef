// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Calls back into a target when it is paid, and records how that ended; or refuses to be paid at all.
contract Reenterer {
  address private _target;
  uint256 private _value;
  bytes private _data;
  bool public armed;
  bool public refusing;
  bool public attempted;
  bool public succeeded;
  bytes public result;

  error Refused();

  constructor() payable {}

  receive() external payable {
    if (refusing) revert Refused();
    if (!armed) return;
    armed = false;
    attempted = true;
    (succeeded, result) = _target.call{value: _value}(_data);
  }

  function arm(address target, uint256 value, bytes calldata data) external {
    (_target, _value, _data) = (target, value, data);
    (armed, attempted, succeeded) = (true, false, false);
  }

  function setRefusing(bool refusing_) external {
    refusing = refusing_;
  }

  function execute(address target, uint256 value, bytes calldata data) external payable {
    (bool ok, bytes memory returned) = target.call{value: value}(data);
    if (!ok) {
      assembly {
        revert(add(returned, 0x20), mload(returned))
      }
    }
  }
}
