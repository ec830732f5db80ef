// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';
import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';
import {IPair, IPairFactory, IWrappedNative} from '../UniswapV2.sol';
import {StandInToken} from './StandInToken.sol';

/// What the factory of pairs also answers.
interface IPairLookup is IPairFactory {
  function getPair(address tokenA, address tokenB) external view returns (address pair);
}

/// A stand-in for TokenManager2 of four.meme: its events, and what it answers of a token. The curve is one of our own, a
/// constant product whose last price is the first one of the pool. A fee of 1 % of the quote asset is in the events.
contract FourMeme {
  /// As the interface that four.meme publishes has it.
  struct TokenInfo {
    address base;
    /// The zero address: the native coin.
    address quote;
    uint256 template;
    uint256 totalSupply;
    uint256 maxOffers;
    uint256 maxRaising;
    uint256 launchTime;
    uint256 offers;
    uint256 funds;
    uint256 lastPrice;
    uint256 K;
    uint256 T;
    uint256 status;
  }

  event TokenCreate(
    address creator,
    address token,
    uint256 requestId,
    string name,
    string symbol,
    uint256 totalSupply,
    uint256 launchTime,
    uint256 launchFee
  );
  event TokenPurchase(
    address token,
    address account,
    uint256 price,
    uint256 amount,
    uint256 cost,
    uint256 fee,
    uint256 offers,
    uint256 funds
  );
  event TokenSale(
    address token,
    address account,
    uint256 price,
    uint256 amount,
    uint256 cost,
    uint256 fee,
    uint256 offers,
    uint256 funds
  );
  event TradeStop(address token);
  event LiquidityAdded(address base, uint256 offers, address quote, uint256 funds);

  error NotTrading();
  error NotStopped();
  error NothingBought();
  error PaymentFailed();

  uint256 private constant TRADING = 0;
  uint256 private constant STOPPED = 1;
  uint256 private constant COMPLETED = 2;
  uint256 private constant SUPPLY = 1e27;
  uint256 private constant MAX_OFFERS = 8e26;
  /// The virtual tokens at the launch: with them the pool opens at the last price of the curve.
  uint256 private constant VIRTUAL = (MAX_OFFERS * 4) / 3;
  address private constant BURN_ADDRESS = 0x000000000000000000000000000000000000dEaD;

  IPairLookup private immutable factory;
  IWrappedNative private immutable wrapped;
  address private immutable feeReceiver;
  /// Whether the purchase of the last tokens also graduates the token.
  bool private immutable migratesAtOnce;
  uint256 private requests;
  mapping(address token => TokenInfo) private infos;

  constructor(IPairLookup factory_, IWrappedNative wrapped_, address feeReceiver_, bool migratesAtOnce_) {
    (factory, wrapped, feeReceiver, migratesAtOnce) = (factory_, wrapped_, feeReceiver_, migratesAtOnce_);
  }

  function _tokenInfos(address token) external view returns (TokenInfo memory) {
    return infos[token];
  }

  /// `firstFunds` buys the first tokens for the creator.
  function create(
    address quote,
    string calldata name,
    string calldata symbol,
    uint256 maxRaising,
    uint256 firstFunds,
    bytes32 salt
  ) external payable returns (address token) {
    token = address(new StandInToken{salt: salt}(name, symbol, SUPPLY));
    uint256 k = Math.mulDiv(maxRaising, VIRTUAL * (VIRTUAL - MAX_OFFERS), MAX_OFFERS);
    infos[token] = TokenInfo({
      base: token,
      quote: quote,
      template: 0,
      totalSupply: SUPPLY,
      maxOffers: MAX_OFFERS,
      maxRaising: maxRaising,
      launchTime: block.timestamp,
      offers: MAX_OFFERS,
      funds: 0,
      lastPrice: _priceAt(k, VIRTUAL),
      K: k,
      T: VIRTUAL,
      status: TRADING
    });
    emit TokenCreate(msg.sender, token, ++requests, name, symbol, SUPPLY, block.timestamp, 0);
    if (firstFunds > 0) _buy(token, msg.sender, firstFunds);
  }

  /// `funds` include the fee.
  function buyTokenAMAP(address token, address to, uint256 funds, uint256 minAmount) external payable {
    if (_buy(token, to, funds) < minAmount) revert NothingBought();
  }

  function sellToken(address token, uint256 amount) external {
    TokenInfo storage info = infos[token];
    if (info.base == address(0) || info.status != TRADING) revert NotTrading();
    IERC20(token).transferFrom(msg.sender, address(this), amount);
    info.offers += amount;
    uint256 left = _fundsAt(info);
    uint256 cost = info.funds - left;
    uint256 fee = cost / 100;
    info.funds = left;
    info.lastPrice = _priceAt(info.K, _virtual(info));
    emit TokenSale(token, msg.sender, info.lastPrice, amount, cost, fee, info.offers, left);
    _send(info.quote, feeReceiver, fee);
    _send(info.quote, msg.sender, cost - fee);
  }

  /// Opens the pair with what was raised and the tokens that were not for sale. Anyone may call it.
  function addLiquidity(address token) external {
    TokenInfo storage info = infos[token];
    if (info.status != STOPPED) revert NotStopped();
    _addLiquidity(token, info);
  }

  function _buy(address token, address to, uint256 funds) private returns (uint256 amount) {
    TokenInfo storage info = infos[token];
    if (info.base == address(0) || info.status != TRADING) revert NotTrading();
    uint256 cost = (funds * 100) / 101;
    uint256 raised = info.K / info.T + info.funds + cost;
    uint256 left = Math.ceilDiv(info.K, raised);
    amount = _virtual(info) > left ? _virtual(info) - left : 0;
    if (amount == 0) revert NothingBought();
    if (amount >= info.offers) (amount, cost) = (info.offers, info.maxRaising - info.funds);
    uint256 fee = cost / 100;
    _take(info.quote, cost + fee);
    info.offers -= amount;
    info.funds += cost;
    info.lastPrice = _priceAt(info.K, _virtual(info));
    IERC20(token).transfer(to, amount);
    emit TokenPurchase(token, to, info.lastPrice, amount, cost, fee, info.offers, info.funds);
    _send(info.quote, feeReceiver, fee);
    if (info.offers > 0) return amount;
    info.status = STOPPED;
    emit TradeStop(token);
    if (migratesAtOnce) _addLiquidity(token, info);
  }

  function _addLiquidity(address token, TokenInfo storage info) private {
    info.status = COMPLETED;
    bool isNative = info.quote == address(0);
    address paired = isNative ? address(wrapped) : info.quote;
    address pair = factory.getPair(token, paired);
    if (pair == address(0)) pair = factory.createPair(token, paired);
    if (isNative) wrapped.deposit{value: info.funds}();
    IERC20(paired).transfer(pair, info.funds);
    IERC20(token).transfer(pair, SUPPLY - MAX_OFFERS);
    IPair(pair).mint(BURN_ADDRESS);
    emit LiquidityAdded(token, SUPPLY - MAX_OFFERS, info.quote, info.funds);
  }

  function _virtual(TokenInfo storage info) private view returns (uint256) {
    return info.T - (info.maxOffers - info.offers);
  }

  /// What was raised for the tokens that are sold.
  function _fundsAt(TokenInfo storage info) private view returns (uint256) {
    return Math.min(Math.ceilDiv(info.K, _virtual(info)) - info.K / info.T, info.funds);
  }

  /// Base units of the quote asset for 1e18 base units of the token.
  function _priceAt(uint256 k, uint256 virtualToken) private pure returns (uint256) {
    return Math.mulDiv(k, 1e18, virtualToken) / virtualToken;
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
