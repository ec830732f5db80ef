// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IV4Manager, V4, V4Key, V4Liquidity} from './UniswapV4.sol';

/// A router of Uniswap V4: trades with the tokens of its caller, which approves this contract first, or with the native coins sent.
contract V4Trader {
  struct Swap {
    V4Key key;
    bool zeroForOne;
    uint256 amountIn;
    address recipient;
    /// Pays before the swap instead of after it.
    bool payFirst;
  }

  error NotTheManager();
  error SlippageExceeded();
  error RefundRefused();

  IV4Manager private immutable manager;

  constructor(IV4Manager manager_) {
    manager = manager_;
  }

  receive() external payable {}

  function swap(Swap calldata order, uint256 minimumOut) external payable {
    Swap[] memory orders = new Swap[](1);
    orders[0] = order;
    _unlock(abi.encodeCall(this.swapEach, (msg.sender, orders, minimumOut)));
  }

  /// Several swaps in one transaction, each settled before the next one.
  function swapAll(Swap[] calldata orders) external payable {
    _unlock(abi.encodeCall(this.swapEach, (msg.sender, orders, 0)));
  }

  /// Several swaps, settled together: what one of them pays out pays for another.
  function swapTogether(Swap[] calldata orders) external payable {
    _unlock(abi.encodeCall(this.settleTogether, (msg.sender, orders)));
  }

  function initialize(V4Key calldata key, uint160 sqrtPrice) external {
    manager.initialize(key, sqrtPrice);
  }

  /// The caller pays for liquidity over all prices.
  function addFullRange(V4Key calldata key, uint128 liquidity) external payable {
    _unlock(abi.encodeCall(this.add, (msg.sender, key, liquidity)));
  }

  function unlockCallback(bytes calldata data) external returns (bytes memory) {
    if (msg.sender != address(manager)) revert NotTheManager();
    (bool done, bytes memory result) = address(this).call(data);
    if (!done) {
      assembly ('memory-safe') {
        revert(add(result, 32), mload(result))
      }
    }
    return '';
  }

  modifier onlySelf() {
    if (msg.sender != address(this)) revert NotTheManager();
    _;
  }

  function swapEach(address payer, Swap[] calldata orders, uint256 minimumOut) external onlySelf {
    for (uint256 i = 0; i < orders.length; i++) {
      Swap calldata order = orders[i];
      (address paid, address got) = _currencies(order);
      if (order.payFirst) V4.pay(manager, paid, payer, order.amountIn);
      (int256 amount0, int256 amount1) = V4.swapIn(manager, order.key, order.zeroForOne, order.amountIn);
      uint256 out = uint256(order.zeroForOne ? amount1 : amount0);
      if (out < minimumOut) revert SlippageExceeded();
      if (!order.payFirst) V4.pay(manager, paid, payer, uint256(-(order.zeroForOne ? amount0 : amount1)));
      manager.take(got, order.recipient, out);
    }
  }

  function settleTogether(address payer, Swap[] calldata orders) external onlySelf {
    address[] memory currencies = new address[](2 * orders.length);
    int256[] memory owed = new int256[](2 * orders.length);
    for (uint256 i = 0; i < orders.length; i++) {
      Swap calldata order = orders[i];
      (int256 amount0, int256 amount1) = V4.swapIn(manager, order.key, order.zeroForOne, order.amountIn);
      _add(currencies, owed, order.key.currency0, amount0);
      _add(currencies, owed, order.key.currency1, amount1);
    }
    for (uint256 i = 0; i < currencies.length; i++) {
      if (owed[i] < 0) V4.pay(manager, currencies[i], payer, uint256(-owed[i]));
      if (owed[i] > 0) manager.take(currencies[i], orders[0].recipient, uint256(owed[i]));
    }
  }

  function add(address payer, V4Key calldata key, uint128 liquidity) external onlySelf {
    V4Liquidity memory range = V4Liquidity(-V4.MAX_TICK, V4.MAX_TICK, int256(uint256(liquidity)), 0);
    (int256 delta, ) = manager.modifyLiquidity(key, range, '');
    (int256 amount0, int256 amount1) = V4.split(delta);
    V4.pay(manager, key.currency0, payer, uint256(-amount0));
    V4.pay(manager, key.currency1, payer, uint256(-amount1));
  }

  function _unlock(bytes memory data) private {
    manager.unlock(data);
    (bool done, ) = msg.sender.call{value: address(this).balance}('');
    if (!done) revert RefundRefused();
  }

  function _currencies(Swap calldata order) private pure returns (address paid, address got) {
    (address first, address second) = (order.key.currency0, order.key.currency1);
    return order.zeroForOne ? (first, second) : (second, first);
  }

  /// Sums by currency.
  function _add(address[] memory currencies, int256[] memory owed, address currency, int256 amount) private pure {
    uint256 slot = 0;
    while (owed[slot] != 0 && currencies[slot] != currency) slot++;
    currencies[slot] = currency;
    owed[slot] += amount;
  }
}
