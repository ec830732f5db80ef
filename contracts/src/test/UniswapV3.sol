// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';

interface IV3Factory {
  function createPool(address tokenA, address tokenB, uint24 fee) external returns (address pool);
}

interface IV3Pool {
  function token0() external view returns (address);
  function token1() external view returns (address);
  function initialize(uint160 sqrtPriceX96) external;
  function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool);
  function mint(
    address owner,
    int24 tickLower,
    int24 tickUpper,
    uint128 liquidity,
    bytes calldata data
  ) external returns (uint256 amount0, uint256 amount1);
  function swap(
    address recipient,
    bool zeroForOne,
    int256 amountSpecified,
    uint160 sqrtPriceLimitX96,
    bytes calldata data
  ) external returns (int256 amount0, int256 amount1);
  function flash(address recipient, uint256 amount0, uint256 amount1, bytes calldata data) external;
}

/// For pools with a fee of 1 %, whose ticks are 200 apart.
library V3 {
  uint24 internal constant FEE = 10_000;
  int24 internal constant MAX_TICK = 887_200;
  uint160 internal constant MIN_SQRT_PRICE = 4295128739;
  uint160 internal constant MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970342;

  /// No limit on the price of a swap.
  function priceLimit(bool zeroForOne) internal pure returns (uint160) {
    return zeroForOne ? MIN_SQRT_PRICE + 1 : MAX_SQRT_PRICE - 1;
  }

  /// As much liquidity over all prices as both amounts allow. The range ends at MAX_TICK, so it takes slightly less.
  function fullRangeLiquidity(uint160 price, uint256 amount0, uint256 amount1) internal pure returns (uint128) {
    return uint128(Math.min(Math.mulDiv(amount0, price, 1 << 96), Math.mulDiv(amount1, 1 << 96, price)));
  }
}
