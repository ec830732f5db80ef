// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Makes a list of calls each time it is paid or called, and records how each of them ended.
contract Prober {
  struct Call {
    address target;
    bytes data;
  }

  Call[] private _calls;
  bytes[] private _results;

  error NothingProbed();

  constructor() payable {}

  receive() external payable {
    _probe();
  }

  fallback() external payable {
    _probe();
  }

  /// What to call from now on. Forgets earlier results.
  function prepare(Call[] calldata calls) external {
    delete _calls;
    delete _results;
    for (uint256 i = 0; i < calls.length; i++) _calls.push(calls[i]);
  }

  /// Calls the target as an actor of its own.
  function execute(address target, uint256 value, bytes calldata data) external payable {
    (bool ok, bytes memory returned) = target.call{value: value}(data);
    if (!ok) {
      assembly {
        revert(add(returned, 0x20), mload(returned))
      }
    }
  }

  /// What the calls returned, or the data that they reverted with, when they were made last.
  function results() external view returns (bytes[] memory) {
    if (_results.length == 0) revert NothingProbed();
    return _results;
  }

  function _probe() private {
    delete _results;
    for (uint256 i = 0; i < _calls.length; i++) {
      (, bytes memory result) = _calls[i].target.call(_calls[i].data);
      _results.push(result);
    }
  }
}
