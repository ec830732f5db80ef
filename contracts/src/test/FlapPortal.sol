// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from '@openzeppelin/contracts/token/ERC20/ERC20.sol';
import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';
import {IERC20Metadata} from '@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol';
import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';
import {IPair, IPairFactory, IWrappedNative} from '../UniswapV2.sol';
import {IV3Factory, IV3Pool, V3} from './UniswapV3.sol';

interface IPairFinder is IPairFactory {
  function getPair(address tokenA, address tokenB) external view returns (address pair);
}

/// A token of the stand-in: a part of what enters or leaves its pool stays in this contract, as with tax tokens of Flap.
contract FlapToken is ERC20 {
  address private immutable portal;
  uint256 private immutable taxBps;
  address private pool;

  constructor(string memory name, string memory symbol, uint256 supply, uint256 taxBps_) ERC20(name, symbol) {
    (portal, taxBps) = (msg.sender, taxBps_);
    _mint(msg.sender, supply);
  }

  function setPool(address pool_) external {
    require(msg.sender == portal);
    pool = pool_;
  }

  function _update(address from, address to, uint256 value) internal override {
    bool isTaxed = pool != address(0) && (from == pool || to == pool) && from != portal && to != portal;
    uint256 tax = isTaxed ? (value * taxBps) / 10_000 : 0;
    if (tax > 0) super._update(from, address(this), tax);
    super._update(from, to, value - tax);
  }
}

/// A stand-in for the Portal of Flap: its events in their order, and what it answers of a token. The curve is that of docs.flap.sh,
/// (1e9 + h - s) (y + r) = k, in which amounts of the quote asset have 18 decimals. Fee and tax are taken from the quote asset.
contract FlapPortal {
  enum Migrator {
    V3,
    V2,
    V4,
    INFINITY
  }

  struct Terms {
    uint256 r;
    uint256 h;
    uint256 k;
    /// Tokens for sale.
    uint256 threshold;
  }

  struct NewToken {
    string name;
    string symbol;
    string meta;
    bytes32 salt;
    /// The zero address: the native coin.
    address quote;
    uint256 taxBps;
    Migrator migrator;
    /// Buys the first tokens for the creator.
    uint256 firstAmount;
    Terms terms;
  }

  struct Token {
    uint8 status;
    uint256 reserve;
    uint256 sold;
    address quote;
    /// By which amounts with 18 decimals are divided.
    uint256 scale;
    uint256 taxBps;
    Migrator migrator;
    address pool;
    Terms terms;
  }

  struct TokenStateV7 {
    uint8 status;
    uint256 reserve;
    uint256 circulatingSupply;
    uint256 price;
    uint8 tokenVersion;
    uint256 r;
    uint256 h;
    uint256 k;
    uint256 dexSupplyThresh;
    address quoteTokenAddress;
    bool nativeToQuoteSwapEnabled;
    bytes32 extensionID;
    uint256 taxRate;
    address pool;
    uint256 progress;
    uint8 lpFeeProfile;
    uint8 dexId;
  }

  event TokenCreated(
    uint256 ts,
    address creator,
    uint256 nonce,
    address token,
    string name,
    string symbol,
    string meta
  );
  event TokenCurveSet(address token, address curve, uint256 curveParameter);
  event TokenCurveSetV2(address token, uint256 r, uint256 h, uint256 k);
  event TokenDexSupplyThreshSet(address token, uint256 dexSupplyThresh);
  event TokenVersionSet(address token, uint8 version);
  event TokenQuoteSet(address token, address quoteToken);
  event TokenMigratorSet(address token, uint8 migratorType);
  event TokenDexPreferenceSet(address token, uint8 dexId, uint8 lpFeeProfile);
  event FlapTokenTaxSet(address token, uint256 tax);
  event TokenBought(
    uint256 ts,
    address token,
    address buyer,
    uint256 amount,
    uint256 eth,
    uint256 fee,
    uint256 postPrice
  );
  event TokenSold(
    uint256 ts,
    address token,
    address seller,
    uint256 amount,
    uint256 eth,
    uint256 fee,
    uint256 postPrice
  );
  event TaxV2OnBondingCurvePaid(address indexed token, uint256 amount);
  event FlapTokenCirculatingSupplyChanged(address token, uint256 newSupply);
  event FlapTokenProgressChanged(address token, uint256 newProgress);
  event FlapTokenCLPoolCreated(address token, bytes32 poolId, uint160 sqrtPriceX96);
  event LaunchedToDEX(address token, address pool, uint256 amount, uint256 eth);

  error NotTradable();
  error NothingBought();
  error PaymentFailed();
  error Unauthorized();

  uint8 private constant TRADABLE = 1;
  uint8 private constant DEX = 4;
  uint256 private constant SUPPLY = 1e27;
  uint256 private constant WAD = 1e18;
  uint256 private constant FEE_BPS = 100;
  address private constant BURN_ADDRESS = 0x000000000000000000000000000000000000dEaD;

  IPairFinder private immutable pairs;
  IV3Factory private immutable pools;
  IWrappedNative private immutable wrapped;
  /// Holds the pools of the other migrators.
  address private immutable vault;
  /// Whether the supply is in an event before that of the trade.
  bool private immutable supplyFirst;
  uint256 private nonce;
  mapping(address token => Token) private tokens;
  /// The token whose pool of Uniswap V3 is being opened.
  address private opening;

  constructor(IPairFinder pairs_, IV3Factory pools_, IWrappedNative wrapped_, address vault_, bool supplyFirst_) {
    (pairs, pools, wrapped, vault, supplyFirst) = (pairs_, pools_, wrapped_, vault_, supplyFirst_);
  }

  receive() external payable {}

  function getTokenV7(address token) external view returns (TokenStateV7 memory state) {
    Token storage t = tokens[token];
    if (t.status == 0) return state;
    state.status = t.status;
    (state.reserve, state.circulatingSupply, state.price) = (t.reserve, t.sold, _priceAt(t.terms, t.sold));
    (state.r, state.h, state.k, state.dexSupplyThresh) = (t.terms.r, t.terms.h, t.terms.k, t.terms.threshold);
    (state.quoteTokenAddress, state.taxRate, state.pool) = (t.quote, t.taxBps, t.pool);
    state.progress = (t.sold * WAD) / t.terms.threshold;
  }

  /// Without k, the curve is of the old kind, whose one parameter is r.
  function newToken(NewToken calldata p) external payable returns (address token) {
    token = address(new FlapToken{salt: p.salt}(p.name, p.symbol, SUPPLY, p.taxBps));
    Token storage t = tokens[token];
    (t.status, t.quote, t.taxBps, t.migrator, t.terms) = (TRADABLE, p.quote, p.taxBps, p.migrator, p.terms);
    t.scale = p.quote == address(0) ? 1 : 10 ** (18 - IERC20Metadata(p.quote).decimals());
    emit TokenCreated(block.timestamp, msg.sender, ++nonce, token, p.name, p.symbol, p.meta);
    if (p.terms.k == 0) {
      t.terms.k = Math.mulDiv(p.terms.r, SUPPLY, WAD);
      emit TokenCurveSet(token, address(this), p.terms.r);
    } else emit TokenCurveSetV2(token, p.terms.r, p.terms.h, p.terms.k);
    emit TokenDexSupplyThreshSet(token, p.terms.threshold);
    emit TokenVersionSet(token, 2);
    emit TokenQuoteSet(token, p.quote);
    emit TokenMigratorSet(token, uint8(p.migrator));
    emit TokenDexPreferenceSet(token, 0, 0);
    if (p.taxBps > 0) emit FlapTokenTaxSet(token, p.taxBps);
    if (p.firstAmount > 0) _buy(token, msg.sender, p.firstAmount);
  }

  /// The fee and the tax are parts of the amount. The purchase of the last tokens ends the curve.
  function buy(address token, address recipient, uint256 amount) external payable {
    _buy(token, recipient, amount);
  }

  function sell(address token, uint256 amount) external {
    Token storage t = _tradable(token);
    IERC20(token).transferFrom(msg.sender, address(this), amount);
    uint256 left = Math.min(_reserveAt(t, t.sold - amount), t.reserve);
    uint256 gross = t.reserve - left;
    (uint256 fee, uint256 tax) = (_part(gross, FEE_BPS), _part(gross, t.taxBps));
    (t.sold, t.reserve) = (t.sold - amount, left);
    if (supplyFirst) emit FlapTokenCirculatingSupplyChanged(token, t.sold);
    emit TokenSold(block.timestamp, token, msg.sender, amount, gross - fee - tax, fee, _priceAt(t.terms, t.sold));
    _report(token, t, tax);
    _send(t.quote, vault, fee + tax);
    _send(t.quote, msg.sender, gross - fee - tax);
  }

  function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
    _payPool(amount0, amount1);
  }

  function pancakeV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
    _payPool(amount0, amount1);
  }

  function _buy(address token, address recipient, uint256 paid) private {
    Token storage t = _tradable(token);
    uint256 most = _reserveAt(t, t.terms.threshold) - t.reserve;
    uint256 takenBps = FEE_BPS + t.taxBps;
    uint256 net = paid - _part(paid, FEE_BPS) - _part(paid, t.taxBps);
    bool isLast = net >= most;
    if (isLast) (net, paid) = (most, Math.min(paid, Math.ceilDiv(most * 10_000, 10_000 - takenBps)));
    uint256 sold = isLast ? t.terms.threshold : _soldAt(t, t.reserve + net);
    uint256 amount = sold > t.sold ? sold - t.sold : 0;
    if (amount == 0) revert NothingBought();
    _take(t.quote, paid);
    (t.reserve, t.sold) = (t.reserve + net, sold);
    IERC20(token).transfer(recipient, amount);
    if (supplyFirst) emit FlapTokenCirculatingSupplyChanged(token, sold);
    uint256 price = _priceAt(t.terms, sold);
    emit TokenBought(block.timestamp, token, recipient, amount, paid, _part(paid, FEE_BPS), price);
    _report(token, t, _part(paid, t.taxBps));
    _send(t.quote, vault, paid - net);
    if (isLast) _migrate(token, t);
  }

  function _report(address token, Token storage t, uint256 tax) private {
    if (!supplyFirst) emit FlapTokenCirculatingSupplyChanged(token, t.sold);
    if (tax > 0) emit TaxV2OnBondingCurvePaid(token, tax);
    emit FlapTokenProgressChanged(token, (t.sold * WAD) / t.terms.threshold);
  }

  function _migrate(address token, Token storage t) private {
    t.status = DEX;
    address paired = t.quote == address(0) ? address(wrapped) : t.quote;
    if (t.quote == address(0)) wrapped.deposit{value: t.reserve}();
    uint256 left = SUPPLY - t.sold;
    if (t.migrator == Migrator.V2) t.pool = _openPair(token, paired, left, t.reserve);
    else if (t.migrator == Migrator.V3) t.pool = _openPool(token, paired, left, t.reserve);
    else {
      t.pool = vault;
      IERC20(paired).transfer(vault, t.reserve);
      IERC20(token).transfer(vault, left);
      emit FlapTokenCLPoolCreated(token, keccak256(abi.encode(token)), uint160(1 << 96));
    }
    FlapToken(token).setPool(t.pool);
    emit LaunchedToDEX(token, t.pool, left, t.reserve);
  }

  function _openPair(address token, address paired, uint256 amount, uint256 quote) private returns (address pair) {
    pair = pairs.getPair(token, paired);
    if (pair == address(0)) pair = pairs.createPair(token, paired);
    IERC20(paired).transfer(pair, quote);
    IERC20(token).transfer(pair, amount);
    IPair(pair).mint(BURN_ADDRESS);
  }

  function _openPool(address token, address paired, uint256 amount, uint256 quote) private returns (address pool) {
    pool = pools.createPool(token, paired, V3.FEE);
    (uint256 amount0, uint256 amount1) = token < paired ? (amount, quote) : (quote, amount);
    uint160 price = uint160(Math.sqrt(Math.mulDiv(amount1, 1 << 192, amount0)));
    opening = pool;
    IV3Pool(pool).initialize(price);
    uint128 liquidity = V3.fullRangeLiquidity(price, amount0, amount1);
    IV3Pool(pool).mint(address(this), -V3.MAX_TICK, V3.MAX_TICK, liquidity, '');
    opening = address(0);
  }

  function _payPool(uint256 amount0, uint256 amount1) private {
    if (msg.sender != opening) revert Unauthorized();
    IERC20(IV3Pool(msg.sender).token0()).transfer(msg.sender, amount0);
    IERC20(IV3Pool(msg.sender).token1()).transfer(msg.sender, amount1);
  }

  function _tradable(address token) private view returns (Token storage t) {
    t = tokens[token];
    if (t.status != TRADABLE) revert NotTradable();
  }

  /// What is sold for a reserve, rounded down.
  function _soldAt(Token storage t, uint256 reserve) private view returns (uint256) {
    Terms storage c = t.terms;
    return SUPPLY + c.h - Math.mulDiv(c.k, WAD, c.r + reserve * t.scale, Math.Rounding.Ceil);
  }

  /// The reserve for what is sold, rounded up.
  function _reserveAt(Token storage t, uint256 sold) private view returns (uint256) {
    Terms storage c = t.terms;
    return Math.ceilDiv(Math.mulDiv(c.k, WAD, SUPPLY + c.h - sold, Math.Rounding.Ceil) - c.r, t.scale);
  }

  /// Of one token, with 18 decimals.
  function _priceAt(Terms storage c, uint256 sold) private view returns (uint256) {
    uint256 left = SUPPLY + c.h - sold;
    return Math.mulDiv(Math.mulDiv(c.k, WAD, left), WAD, left);
  }

  function _part(uint256 amount, uint256 bps) private pure returns (uint256) {
    return (amount * bps) / 10_000;
  }

  function _take(address quote, uint256 amount) private {
    if (quote != address(0)) IERC20(quote).transferFrom(msg.sender, address(this), amount);
    else if (msg.value < amount) revert PaymentFailed();
    else if (msg.value > amount) _send(quote, msg.sender, msg.value - amount);
  }

  function _send(address quote, address to, uint256 value) private {
    if (value == 0) return;
    if (quote != address(0)) {
      IERC20(quote).transfer(to, value);
      return;
    }
    (bool ok, ) = to.call{value: value}('');
    if (!ok) revert PaymentFailed();
  }
}
