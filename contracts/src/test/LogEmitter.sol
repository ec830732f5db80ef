// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Emits any logs whatever: a contract that is configured as one of ours, and is not what it says.
contract LogEmitter {
  struct Log {
    bytes32[] topics;
    bytes data;
  }

  error TooManyTopics();

  function emitLog(bytes32[] calldata topics, bytes calldata data) external {
    _emit(topics, data);
  }

  function emitLogs(Log[] calldata logs) external {
    for (uint256 i = 0; i < logs.length; i++) _emit(logs[i].topics, logs[i].data);
  }

  function _emit(bytes32[] memory topics, bytes memory data) private {
    uint256 count = topics.length;
    bytes32[4] memory words;
    if (count > 4) revert TooManyTopics();
    for (uint256 i = 0; i < count; i++) words[i] = topics[i];
    assembly {
      let start := add(data, 32)
      let size := mload(data)
      let first := mload(words)
      let second := mload(add(words, 32))
      let third := mload(add(words, 64))
      let fourth := mload(add(words, 96))
      switch count
      case 0 { log0(start, size) }
      case 1 { log1(start, size, first) }
      case 2 { log2(start, size, first, second) }
      case 3 { log3(start, size, first, second, third) }
      default { log4(start, size, first, second, third, fourth) }
    }
  }
}
