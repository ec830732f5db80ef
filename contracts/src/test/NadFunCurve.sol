// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';
import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';
import {IWrappedNative} from '../UniswapV2.sol';
import {StandInToken} from './StandInToken.sol';
import {IV3Factory, IV3Pool, V3} from './UniswapV3.sol';

/// A stand-in for nad.fun's first bonding curve: its events, with a constant product over virtual reserves. A fee of 1 % of
/// the native coins is in no event. No public source shows whether the reserves follow a trade or precede it: both are possible.
contract NadFunCurve {
  struct Config {
    uint256 virtualMon;
    uint256 virtualToken;
    /// The virtual token reserve at which the curve locks.
    uint256 targetToken;
  }

  struct Curve {
    uint256 realMon;
    uint256 realToken;
    uint256 virtualMon;
    uint256 virtualToken;
    uint256 k;
    uint256 targetToken;
    IV3Pool pool;
    bool locked;
    bool graduated;
  }

  event CurveCreate(
    address indexed creator,
    address indexed token,
    address indexed pool,
    string name,
    string symbol,
    string tokenURI,
    uint256 virtualMon,
    uint256 virtualToken,
    uint256 targetTokenAmount
  );
  event CurveBuy(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut);
  event CurveSell(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut);
  event CurveSync(
    address indexed token,
    uint256 realMonReserve,
    uint256 realTokenReserve,
    uint256 virtualMonReserve,
    uint256 virtualTokenReserve
  );
  event CurveTokenLocked(address indexed token);
  event CurveGraduate(address indexed token, address indexed pool);

  error InvalidToken();
  error InvalidAmountIn();
  error BondingCurveLocked();
  error BondingCurveNotLocked();
  error AlreadyGraduated();
  error Unauthorized();
  error PaymentFailed();

  uint256 private constant SUPPLY = 1e27;

  IV3Factory private immutable factory;
  address private immutable wrapped;
  address private immutable feeReceiver;
  bool private immutable syncFirst;
  Config public config;
  mapping(address token => Curve) public curves;

  constructor(IV3Factory factory_, address wrapped_, address feeReceiver_, Config memory config_, bool syncFirst_) {
    (factory, wrapped, feeReceiver, config, syncFirst) = (factory_, wrapped_, feeReceiver_, config_, syncFirst_);
  }

  /// What is sent buys the first tokens for the creator.
  function create(
    string calldata name,
    string calldata symbol,
    string calldata tokenURI,
    bytes32 salt
  ) external payable returns (address token, address pool) {
    token = address(new StandInToken{salt: salt}(name, symbol, SUPPLY));
    pool = factory.createPool(token, wrapped, V3.FEE);
    Config memory c = config;
    curves[token] = Curve({
      realMon: 0,
      realToken: SUPPLY,
      virtualMon: c.virtualMon,
      virtualToken: c.virtualToken,
      k: c.virtualMon * c.virtualToken,
      targetToken: c.targetToken,
      pool: IV3Pool(pool),
      locked: false,
      graduated: false
    });
    emit CurveCreate(msg.sender, token, pool, name, symbol, tokenURI, c.virtualMon, c.virtualToken, c.targetToken);
    if (msg.value > 0) _buy(token, msg.sender);
  }

  function buy(address token, address recipient) external payable returns (uint256 amountOut) {
    return _buy(token, recipient);
  }

  function sell(address token, uint256 amountIn, address recipient) external returns (uint256 amountOut) {
    Curve storage curve = _tradable(token);
    if (amountIn == 0) revert InvalidAmountIn();
    IERC20(token).transferFrom(msg.sender, address(this), amountIn);
    uint256 gross = curve.virtualMon - Math.ceilDiv(curve.k, curve.virtualToken + amountIn);
    uint256 fee = gross / 100;
    amountOut = gross - fee;
    curve.realMon -= gross;
    curve.virtualMon -= gross;
    curve.realToken += amountIn;
    curve.virtualToken += amountIn;
    if (syncFirst) _emitSync(token, curve);
    emit CurveSell(recipient, token, amountIn, amountOut);
    if (!syncFirst) _emitSync(token, curve);
    _send(feeReceiver, fee);
    _send(recipient, amountOut);
  }

  /// Opens the pool at the last price of the curve, with what the curve holds. Anyone may call it.
  function graduate(address token) external {
    Curve storage curve = curves[token];
    if (!curve.locked) revert BondingCurveNotLocked();
    if (curve.graduated) revert AlreadyGraduated();
    (uint256 mon, uint256 tokens) = (curve.realMon, curve.realToken);
    (curve.graduated, curve.realMon, curve.realToken) = (true, 0, 0);
    IWrappedNative(wrapped).deposit{value: mon}();
    _openPool(token, curve, mon, tokens);
    emit CurveGraduate(token, address(curve.pool));
  }

  function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
    IV3Pool pool = curves[abi.decode(data, (address))].pool;
    if (msg.sender != address(pool)) revert Unauthorized();
    IERC20(pool.token0()).transfer(msg.sender, amount0);
    IERC20(pool.token1()).transfer(msg.sender, amount1);
  }

  function _buy(address token, address recipient) private returns (uint256 amountOut) {
    Curve storage curve = _tradable(token);
    uint256 fee = msg.value / 100;
    uint256 amountIn = msg.value - fee;
    if (amountIn == 0) revert InvalidAmountIn();
    amountOut = curve.virtualToken - Math.ceilDiv(curve.k, curve.virtualMon + amountIn);
    uint256 available = curve.virtualToken - curve.targetToken;
    if (amountOut >= available) {
      amountOut = available;
      amountIn = Math.ceilDiv(curve.k, curve.targetToken) - curve.virtualMon;
      fee = Math.min(Math.ceilDiv(amountIn * 100, 99), msg.value) - amountIn;
      curve.locked = true;
    }
    curve.realMon += amountIn;
    curve.virtualMon += amountIn;
    curve.realToken -= amountOut;
    curve.virtualToken -= amountOut;
    IERC20(token).transfer(recipient, amountOut);
    if (syncFirst) _emitSync(token, curve);
    emit CurveBuy(recipient, token, amountIn, amountOut);
    if (!syncFirst) _emitSync(token, curve);
    if (curve.locked) emit CurveTokenLocked(token);
    _send(feeReceiver, fee);
    _send(msg.sender, msg.value - amountIn - fee);
  }

  function _openPool(address token, Curve storage curve, uint256 mon, uint256 tokens) private {
    bool isFirst = token < wrapped;
    (uint256 reserve0, uint256 reserve1) = isFirst
      ? (curve.virtualToken, curve.virtualMon)
      : (curve.virtualMon, curve.virtualToken);
    uint160 price = uint160(Math.sqrt(Math.mulDiv(reserve1, 1 << 192, reserve0)));
    uint128 liquidity = V3.fullRangeLiquidity(price, isFirst ? tokens : mon, isFirst ? mon : tokens);
    curve.pool.initialize(price);
    curve.pool.mint(address(this), -V3.MAX_TICK, V3.MAX_TICK, liquidity, abi.encode(token));
  }

  function _tradable(address token) private view returns (Curve storage curve) {
    curve = curves[token];
    if (address(curve.pool) == address(0)) revert InvalidToken();
    if (curve.locked) revert BondingCurveLocked();
  }

  function _emitSync(address token, Curve storage curve) private {
    emit CurveSync(token, curve.realMon, curve.realToken, curve.virtualMon, curve.virtualToken);
  }

  function _send(address to, uint256 value) private {
    if (value == 0) return;
    (bool ok, ) = to.call{value: value}('');
    if (!ok) revert PaymentFailed();
  }
}
