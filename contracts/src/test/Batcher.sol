// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SmartAccount} from './SmartAccount.sol';

/// Makes many calls in one transaction, each as the batcher itself or as a smart account that made it its executor.
contract Batcher {
  struct Call {
    address account; // zero: the batcher calls the target itself
    address target;
    uint256 value; // paid by the account, or by the batcher
    bytes data;
  }

  receive() external payable {}

  function run(Call[] calldata calls) external payable returns (bytes[] memory results) {
    results = new bytes[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) {
      Call calldata item = calls[i];
      if (item.account != address(0)) {
        results[i] = SmartAccount(payable(item.account)).execute(item.target, item.value, item.data);
        continue;
      }
      (bool ok, bytes memory result) = item.target.call{value: item.value}(item.data);
      if (!ok) {
        assembly {
          revert(add(result, 0x20), mload(result))
        }
      }
      results[i] = result;
    }
  }
}
