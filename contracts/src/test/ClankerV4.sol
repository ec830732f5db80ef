// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';
import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';
import {IWrappedNative} from '../UniswapV2.sol';
import {StandInToken} from './StandInToken.sol';
import {IV4Manager, V4, V4Key, V4Liquidity} from './UniswapV4.sol';

/// A stand-in for Clanker v4: its event, with the token's whole supply in a Uniswap V4 pool from the start. The original
/// leaves the pool to its hook, locker and extensions; this contract deals with the manager by itself. It also opens pools of the
/// native coin, which the original refuses.
contract ClankerV4 {
  struct Config {
    string name;
    string symbol;
    bytes32 salt;
    string image;
    string metadata;
    string context;
    address pairedToken;
    /// If the token is the first of the pool; otherwise the pool starts at its negative.
    int24 tick;
    /// Exact square roots of the prices at the tick and at its negative.
    uint160[2] sqrtPrices;
    address tokenAdmin;
    /// Of the pool; zero: none.
    address hook;
    /// Gets this part of the supply, in basis points, as an extension does.
    uint256 extensionBps;
  }

  event TokenCreated(
    address msgSender,
    address indexed tokenAddress,
    address indexed tokenAdmin,
    string tokenImage,
    string tokenName,
    string tokenSymbol,
    string tokenMetadata,
    string tokenContext,
    int24 startingTick,
    address poolHook,
    bytes32 poolId,
    address pairedToken,
    address locker,
    address mevModule,
    uint256 extensionsSupply,
    address[] extensions
  );

  /// The arguments of the event that are not indexed.
  struct Said {
    address msgSender;
    string tokenImage;
    string tokenName;
    string tokenSymbol;
    string tokenMetadata;
    string tokenContext;
    int24 startingTick;
    address poolHook;
    bytes32 poolId;
    address pairedToken;
    address locker;
    address mevModule;
    uint256 extensionsSupply;
    address[] extensions;
  }

  error NotTheManager();
  error PurchaseNeedsNative();

  uint256 private constant SUPPLY = 100_000_000_000e18;

  IV4Manager private immutable manager;
  address private immutable wrapped;
  address private immutable vault;

  constructor(IV4Manager manager_, address wrapped_, address vault_) {
    (manager, wrapped, vault) = (manager_, wrapped_, vault_);
  }

  /// What is sent buys the first tokens, where the token is paired with the native coin, wrapped or not. As in the original, this
  /// contract takes them from the pool and passes them on.
  function deployToken(Config calldata config) external payable returns (address token) {
    token = address(new StandInToken{salt: config.salt}(config.name, config.symbol, SUPPLY));
    uint256 extensionsSupply = (SUPPLY * config.extensionBps) / 10_000;
    V4Key memory key = _makeKey(token, config);
    bool isFirst = key.currency0 == token;
    manager.initialize(key, config.sqrtPrices[isFirst ? 0 : 1]);
    manager.unlock(abi.encode(key, isFirst, config.tick, config.sqrtPrices[isFirst ? 0 : 1], SUPPLY - extensionsSupply));
    if (extensionsSupply > 0) IERC20(token).transfer(vault, extensionsSupply);
    if (msg.value > 0) IERC20(token).transfer(config.tokenAdmin, _buy(key, isFirst, config.pairedToken));
    _emitCreated(token, V4.toId(key), extensionsSupply, config);
  }

  function unlockCallback(bytes calldata data) external returns (bytes memory) {
    if (msg.sender != address(manager)) revert NotTheManager();
    (V4Key memory key, bool isFirst, int24 tick, uint160 price, uint256 amount) = abi.decode(
      data,
      (V4Key, bool, int24, uint160, uint256)
    );
    return price == 0 ? abi.encode(_swap(key, isFirst, amount)) : _place(key, isFirst, tick, price, amount);
  }

  /// The position begins exactly at the price, so it takes nothing but tokens.
  function _place(
    V4Key memory key,
    bool isFirst,
    int24 tick,
    uint160 price,
    uint256 supply
  ) private returns (bytes memory) {
    uint256 liquidity = isFirst ? Math.mulDiv(supply, price, 1 << 96) : Math.mulDiv(supply, 1 << 96, price);
    V4Liquidity memory range = V4Liquidity(
      isFirst ? tick : -V4.MAX_TICK,
      isFirst ? V4.MAX_TICK : -tick,
      int256(liquidity),
      0
    );
    (int256 delta, ) = manager.modifyLiquidity(key, range, '');
    (int256 amount0, int256 amount1) = V4.split(delta);
    if (isFirst) V4.pay(manager, key.currency0, address(this), uint256(-amount0));
    else V4.pay(manager, key.currency1, address(this), uint256(-amount1));
    return '';
  }

  function _buy(V4Key memory key, bool isFirst, address pairedToken) private returns (uint256) {
    if (pairedToken != wrapped && pairedToken != address(0)) revert PurchaseNeedsNative();
    if (pairedToken == wrapped) IWrappedNative(wrapped).deposit{value: msg.value}();
    return abi.decode(manager.unlock(abi.encode(key, isFirst, int24(0), uint160(0), msg.value)), (uint256));
  }

  function _swap(V4Key memory key, bool isFirst, uint256 amount) private returns (uint256 bought) {
    (int256 amount0, int256 amount1) = V4.swapIn(manager, key, !isFirst, amount);
    bought = uint256(isFirst ? amount0 : amount1);
    V4.pay(manager, isFirst ? key.currency1 : key.currency0, address(this), uint256(-(isFirst ? amount1 : amount0)));
    manager.take(isFirst ? key.currency0 : key.currency1, address(this), bought);
  }

  function _makeKey(address token, Config calldata config) private pure returns (V4Key memory) {
    bool isFirst = token < config.pairedToken;
    (address first, address second) = isFirst ? (token, config.pairedToken) : (config.pairedToken, token);
    return V4Key(first, second, V4.FEE, V4.TICK_SPACING, config.hook);
  }

  function _emitCreated(address token, bytes32 id, uint256 extensionsSupply, Config memory config) private {
    address[] memory extensions = new address[](extensionsSupply > 0 ? 1 : 0);
    if (extensionsSupply > 0) extensions[0] = vault;
    bytes memory data = abi.encode(
      Said({
        msgSender: msg.sender,
        tokenImage: config.image,
        tokenName: config.name,
        tokenSymbol: config.symbol,
        tokenMetadata: config.metadata,
        tokenContext: config.context,
        startingTick: config.tick,
        poolHook: config.hook,
        poolId: id,
        pairedToken: config.pairedToken,
        locker: address(this),
        mevModule: address(0),
        extensionsSupply: extensionsSupply,
        extensions: extensions
      })
    );
    bytes32 topic = TokenCreated.selector;
    address admin = config.tokenAdmin;
    // Without its offset, a struct is encoded as the arguments of the event: there are too many of them for the stack.
    assembly ('memory-safe') {
      log3(add(data, 64), sub(mload(data), 32), topic, token, admin)
    }
  }
}
