// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IV4Manager, V4, V4Key, V4Swap} from './UniswapV4.sol';

/// A hook that takes 2 % of what an exact amount in buys, after the swap. The low bits of its address allow it: 1 << 6 to be called, and
/// 1 << 2 to take an amount.
contract V4FeeHook {
  IV4Manager private immutable manager;

  constructor(IV4Manager manager_) {
    manager = manager_;
  }

  function afterSwap(
    address,
    V4Key calldata key,
    V4Swap calldata params,
    int256 delta,
    bytes calldata
  ) external returns (bytes4, int128) {
    (int256 amount0, int256 amount1) = V4.split(delta);
    int256 fee = (params.zeroForOne ? amount1 : amount0) / 50;
    manager.take(params.zeroForOne ? key.currency1 : key.currency0, address(this), uint256(fee));
    return (this.afterSwap.selector, int128(fee));
  }

  receive() external payable {}
}
