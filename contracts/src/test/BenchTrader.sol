// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LaunchpadTypes} from '../LaunchpadTypes.sol';

interface IBenchLaunchpad {
  function defaults() external view returns (LaunchpadTypes.Terms memory);
  function create(LaunchpadTypes.Launch calldata launch) external payable returns (address token);
  function buy(address token, address recipient, uint256 minTokenOut, uint256 deadline) external payable returns (uint256);
  function sell(
    address token,
    uint256 tokenIn,
    address recipient,
    uint256 minQuoteOut,
    uint256 deadline
  ) external returns (uint256);
}

interface IBenchToken {
  function balanceOf(address account) external view returns (uint256);
}

/// A wallet that trades as it is told, with coins of its own.
contract BenchWallet {
  IBenchLaunchpad private immutable _launchpad;

  constructor(IBenchLaunchpad launchpad) payable {
    _launchpad = launchpad;
  }

  receive() external payable {}

  /// Sells a part of what it holds (sellBps; 0: none), or buys for quoteIn when it is told to, or has nothing to sell.
  function trade(address token, uint256 quoteIn, uint256 sellBps) external {
    uint256 tokenIn = sellBps == 0 ? 0 : (IBenchToken(token).balanceOf(address(this)) * sellBps) / 10_000;
    if (tokenIn == 0) {
      _launchpad.buy{value: quoteIn}(token, address(this), 0, block.timestamp);
      return;
    }
    _launchpad.sell(token, tokenIn, address(this), 0, block.timestamp);
  }
}

/// Fills a chain with trades for the benchmarks: hundreds in a transaction, of many wallets on many tokens.
contract BenchTrader {
  IBenchLaunchpad private immutable _launchpad;
  address[] public tokens;
  BenchWallet[] public wallets;

  constructor(IBenchLaunchpad launchpad) {
    _launchpad = launchpad;
  }

  receive() external payable {}

  function launch(string[] calldata symbols) external {
    for (uint256 i = 0; i < symbols.length; i++) {
      tokens.push(
        _launchpad.create(
          LaunchpadTypes.Launch({
            name: symbols[i],
            symbol: symbols[i],
            contractURI: '',
            salt: bytes32(tokens.length),
            terms: _launchpad.defaults(),
            minTokenOut: 0,
            deadline: block.timestamp
          })
        )
      );
    }
  }

  /// Each wallet gets an equal share of the value sent.
  function hire(uint256 count) external payable {
    for (uint256 i = 0; i < count; i++) wallets.push(new BenchWallet{value: msg.value / count}(_launchpad));
  }

  /// As many trades, drawn from the seed: of any wallet on any token, 5 in 9 of them buys of 0.0001 to 0.01 coins.
  /// popularBps: how many choices in 10,000 fall on the first hundredth of the wallets, and of the tokens.
  function run(uint256 seed, uint256 count, uint256 popularBps) external {
    (uint256 tokenCount, uint256 walletCount) = (tokens.length, wallets.length);
    for (uint256 i = 0; i < count; i++) {
      uint256 draw = uint256(keccak256(abi.encode(seed, i)));
      uint256 quoteIn = 1e14 + (uint64(draw) % 99e14);
      uint256 sellBps = uint8(draw >> 64) % 9 < 5 ? 0 : 1_000 + (uint16(draw >> 72) % 9_001);
      bool isActive = uint16(draw >> 160) % 10_000 < popularBps;
      bool isPopular = uint16(draw >> 176) % 10_000 < popularBps;
      BenchWallet wallet = wallets[_pick(uint32(draw >> 96), walletCount, isActive)];
      wallet.trade(tokens[_pick(uint32(draw >> 128), tokenCount, isPopular)], quoteIn, sellBps);
    }
  }

  function _pick(uint256 draw, uint256 count, bool isOfFirst) private pure returns (uint256) {
    return draw % (isOfFirst ? (count + 99) / 100 : count);
  }
}
