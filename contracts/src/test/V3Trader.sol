// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';
import {IV3Pool, V3} from './UniswapV3.sol';

/// Trades at Uniswap V3 pools with the tokens of its caller, which approves this contract first.
contract V3Trader {
  struct Swap {
    IV3Pool pool;
    address tokenIn;
    uint256 amountIn;
    address recipient;
  }

  error SlippageExceeded();

  function swap(Swap calldata order, uint256 minimumOut) external returns (uint256 out) {
    out = _swap(order);
    if (out < minimumOut) revert SlippageExceeded();
  }

  /// In one transaction, in this order.
  function swapAll(Swap[] calldata orders) external {
    for (uint256 i = 0; i < orders.length; i++) _swap(orders[i]);
  }

  /// Adds as much liquidity as both amounts allow at the price of the pool. The caller owns the position.
  function addFullRange(IV3Pool pool, uint256 amount0, uint256 amount1) external returns (uint128 liquidity) {
    (uint160 price, , , , , , ) = pool.slot0();
    liquidity = V3.fullRangeLiquidity(price, amount0, amount1);
    pool.mint(msg.sender, -V3.MAX_TICK, V3.MAX_TICK, liquidity, abi.encode(msg.sender));
  }

  /// Borrows from the pool for the recipient; the caller pays it back, with the fee.
  function flash(IV3Pool pool, address recipient, uint256 amount0, uint256 amount1) external {
    pool.flash(recipient, amount0, amount1, abi.encode(msg.sender, amount0, amount1));
  }

  function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
    _paySwap(amount0, amount1, data);
  }

  function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
    _paySwap(amount0, amount1, data);
  }

  function _paySwap(int256 amount0, int256 amount1, bytes calldata data) private {
    address payer = abi.decode(data, (address));
    _pay(payer, amount0 > 0 ? uint256(amount0) : 0, amount1 > 0 ? uint256(amount1) : 0);
  }

  function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
    _pay(abi.decode(data, (address)), amount0, amount1);
  }

  function uniswapV3FlashCallback(uint256 fee0, uint256 fee1, bytes calldata data) external {
    (address payer, uint256 amount0, uint256 amount1) = abi.decode(data, (address, uint256, uint256));
    _pay(payer, amount0 + fee0, amount1 + fee1);
  }

  function _swap(Swap calldata order) private returns (uint256) {
    bool zeroForOne = order.pool.token0() == order.tokenIn;
    (int256 amount0, int256 amount1) = order.pool.swap(
      order.recipient,
      zeroForOne,
      int256(order.amountIn),
      V3.priceLimit(zeroForOne),
      abi.encode(msg.sender)
    );
    return uint256(-(zeroForOne ? amount1 : amount0));
  }

  /// Whoever calls is paid like a pool: an allowance for this contract is safe in tests alone.
  function _pay(address payer, uint256 amount0, uint256 amount1) private {
    IV3Pool pool = IV3Pool(msg.sender);
    if (amount0 > 0) IERC20(pool.token0()).transferFrom(payer, msg.sender, amount0);
    if (amount1 > 0) IERC20(pool.token1()).transferFrom(payer, msg.sender, amount1);
  }
}
