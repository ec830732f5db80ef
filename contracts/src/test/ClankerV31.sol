// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';
import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';
import {IWrappedNative} from '../UniswapV2.sol';
import {StandInToken} from './StandInToken.sol';
import {IV3Factory, IV3Pool, V3} from './UniswapV3.sol';

/// A stand-in for Clanker v3.1: its event, with the token's whole supply in a Uniswap V3 pool from the start. The original
/// goes through the position manager and the swap router; this contract deals with the pool by itself.
contract ClankerV31 {
  struct Config {
    string name;
    string symbol;
    bytes32 salt;
    string metadata;
    address pairedToken;
    /// If the token is the first of the pool; otherwise the pool starts at its negative.
    int24 tick;
    /// Exact square roots of the prices at the tick and at its negative.
    uint160[2] sqrtPrices;
    address creatorAdmin;
    address creatorRewardRecipient;
    address interfaceAdmin;
    address interfaceRewardRecipient;
    uint8 vaultPercentage;
    uint256 vaultDuration;
  }

  event TokenCreated(
    address indexed tokenAddress,
    address indexed creatorAdmin,
    address indexed interfaceAdmin,
    address creatorRewardRecipient,
    address interfaceRewardRecipient,
    uint256 positionId,
    string name,
    string symbol,
    int24 startingTickIfToken0IsNewToken,
    string metadata,
    uint256 amountTokensBought,
    uint256 vaultDuration,
    uint8 vaultPercentage,
    address msgSender
  );

  error NotThePool();
  error PurchaseNeedsNative();

  uint256 private constant SUPPLY = 100_000_000_000e18;

  IV3Factory private immutable factory;
  address private immutable wrapped;
  address private immutable vault;
  uint256 private positions;
  /// The pool that may call back.
  address private active;

  constructor(IV3Factory factory_, address wrapped_, address vault_) {
    (factory, wrapped, vault) = (factory_, wrapped_, vault_);
  }

  /// What is sent buys the first tokens for the creator, where the paired token is the wrapped native one.
  function deployToken(Config calldata config) external payable returns (address token, uint256 positionId) {
    token = address(new StandInToken{salt: config.salt}(config.name, config.symbol, SUPPLY));
    uint256 vaulted = (SUPPLY * config.vaultPercentage) / 100;
    if (vaulted > 0) IERC20(token).transfer(vault, vaulted);
    IERC20(token).approve(address(this), SUPPLY - vaulted);
    IV3Pool pool = _openPool(token, config, SUPPLY - vaulted);
    positionId = ++positions;
    uint256 bought = msg.value > 0 ? _buy(pool, config.pairedToken, config.creatorAdmin) : 0;
    active = address(0);
    _emitCreated(token, positionId, bought, config);
  }

  function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
    if (msg.sender != active) revert NotThePool();
    IERC20(abi.decode(data, (address))).transferFrom(address(this), msg.sender, amount0 + amount1);
  }

  function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external {
    if (msg.sender != active) revert NotThePool();
    uint256 amount = uint256(amount0 > 0 ? amount0 : amount1);
    IWrappedNative(wrapped).deposit{value: amount}();
    IWrappedNative(wrapped).transfer(msg.sender, amount);
  }

  /// The position begins exactly at the price, so it takes nothing but tokens.
  function _openPool(address token, Config calldata config, uint256 supply) private returns (IV3Pool pool) {
    bool isFirst = token < config.pairedToken;
    uint160 price = config.sqrtPrices[isFirst ? 0 : 1];
    pool = IV3Pool(factory.createPool(token, config.pairedToken, V3.FEE));
    active = address(pool);
    pool.initialize(price);
    uint256 liquidity = isFirst ? Math.mulDiv(supply, price, 1 << 96) : Math.mulDiv(supply, 1 << 96, price);
    pool.mint(
      address(this),
      isFirst ? config.tick : -V3.MAX_TICK,
      isFirst ? V3.MAX_TICK : -config.tick,
      uint128(liquidity),
      abi.encode(token)
    );
  }

  function _emitCreated(address token, uint256 positionId, uint256 bought, Config memory config) private {
    emit TokenCreated(
      token,
      config.creatorAdmin,
      config.interfaceAdmin,
      config.creatorRewardRecipient,
      config.interfaceRewardRecipient,
      positionId,
      config.name,
      config.symbol,
      config.tick,
      config.metadata,
      bought,
      config.vaultDuration,
      config.vaultPercentage,
      msg.sender
    );
  }

  function _buy(IV3Pool pool, address pairedToken, address recipient) private returns (uint256) {
    if (pairedToken != wrapped) revert PurchaseNeedsNative();
    bool zeroForOne = pool.token0() == pairedToken;
    (int256 amount0, int256 amount1) = pool.swap(
      recipient,
      zeroForOne,
      int256(msg.value),
      V3.priceLimit(zeroForOne),
      ''
    );
    return uint256(-(zeroForOne ? amount1 : amount0));
  }
}
