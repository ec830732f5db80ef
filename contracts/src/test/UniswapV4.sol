// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';

/// The zero address as a currency is the native coin.
struct V4Key {
  address currency0;
  address currency1;
  uint24 fee;
  int24 tickSpacing;
  address hooks;
}

struct V4Liquidity {
  int24 tickLower;
  int24 tickUpper;
  int256 liquidityDelta;
  bytes32 salt;
}

/// A negative amount is the one that is paid in.
struct V4Swap {
  bool zeroForOne;
  int256 amountSpecified;
  uint160 sqrtPriceLimitX96;
}

interface IV4Manager {
  function unlock(bytes calldata data) external returns (bytes memory);
  function initialize(V4Key memory key, uint160 sqrtPriceX96) external returns (int24);
  function modifyLiquidity(
    V4Key memory key,
    V4Liquidity memory params,
    bytes calldata hookData
  ) external returns (int256 callerDelta, int256 feesAccrued);
  function swap(V4Key memory key, V4Swap memory params, bytes calldata hookData) external returns (int256 delta);
  function sync(address currency) external;
  function settle() external payable returns (uint256);
  function take(address currency, address to, uint256 amount) external;
}

library V4 {
  uint24 internal constant FEE = 10_000;
  int24 internal constant TICK_SPACING = 200;
  int24 internal constant MAX_TICK = 887_200;
  uint160 internal constant MIN_SQRT_PRICE = 4295128739;
  uint160 internal constant MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970342;

  function toId(V4Key memory key) internal pure returns (bytes32) {
    return keccak256(abi.encode(key));
  }

  /// An exact amount in, without a limit on the price. Returns what the caller gets of each currency, negative for what it owes.
  function swapIn(
    IV4Manager manager,
    V4Key memory key,
    bool zeroForOne,
    uint256 amountIn
  ) internal returns (int256 amount0, int256 amount1) {
    uint160 limit = zeroForOne ? MIN_SQRT_PRICE + 1 : MAX_SQRT_PRICE - 1;
    return split(manager.swap(key, V4Swap(zeroForOne, -int256(amountIn), limit), ''));
  }

  /// Two amounts of 128 bits in one word.
  function split(int256 delta) internal pure returns (int256 amount0, int256 amount1) {
    return (delta >> 128, int128(delta));
  }

  /// Pays what is owed: native coins of this contract, or tokens of the payer, which has approved this contract.
  function pay(IV4Manager manager, address currency, address payer, uint256 amount) internal {
    if (currency == address(0)) {
      manager.settle{value: amount}();
      return;
    }
    manager.sync(currency);
    if (payer == address(this)) IERC20(currency).transfer(address(manager), amount);
    else IERC20(currency).transferFrom(payer, address(manager), amount);
    manager.settle();
  }
}
