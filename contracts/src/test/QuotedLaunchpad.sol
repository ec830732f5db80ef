// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from '@openzeppelin/contracts/token/ERC20/ERC20.sol';
import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';
import {BuyQuote, Curve, CurveMath, SellQuote, Status} from '../CurveMath.sol';
import {LaunchpadTypes} from '../LaunchpadTypes.sol';
import {IPair, IPairFactory} from '../UniswapV2.sol';
import {StandInToken} from './StandInToken.sol';

/// An asset in which tokens are priced. Anyone mints it.
contract QuoteToken is ERC20 {
  uint8 private immutable places;

  constructor(string memory symbol, uint8 decimals_) ERC20(symbol, symbol) {
    places = decimals_;
  }

  function decimals() public view override returns (uint8) {
    return places;
  }

  function mint(address account, uint256 amount) external {
    _mint(account, amount);
  }
}

/// A launchpad with our events and our curve, whose tokens are priced in any ERC-20.
contract QuotedLaunchpad is LaunchpadTypes {
  address private constant BURN_ADDRESS = 0x000000000000000000000000000000000000dEaD;
  uint16 private constant PROTOCOL_FEE_BPS = 100;
  uint16 private constant CREATOR_FEE_BPS = 50;

  IPairFactory private immutable factory;
  mapping(address token => Curve) private curve;
  mapping(address token => IERC20) private quotes;
  mapping(address token => address) private pools;

  constructor(IPairFactory factory_) {
    factory = factory_;
  }

  function create(
    IERC20 quote,
    string calldata name,
    string calldata symbol,
    uint128 target
  ) external returns (address token) {
    token = address(new StandInToken(name, symbol, CurveMath.TOTAL_SUPPLY));
    uint256 virtualQuote = CurveMath.initialVirtualQuote(target);
    quotes[token] = quote;
    curve[token] = Curve({
      creator: msg.sender,
      protocolFeeBps: PROTOCOL_FEE_BPS,
      creatorFeeBps: CREATOR_FEE_BPS,
      status: Status.Open,
      virtualQuote: uint128(virtualQuote),
      virtualToken: uint128(CurveMath.VIRTUAL_TOKEN),
      realQuote: 0,
      realToken: uint128(CurveMath.saleSupply(virtualQuote, target)),
      targetQuote: target,
      creatorFees: 0
    });
    emit CurveCreate(
      token,
      msg.sender,
      address(quote),
      name,
      symbol,
      '',
      CurveMath.TOTAL_SUPPLY,
      virtualQuote,
      CurveMath.VIRTUAL_TOKEN,
      target,
      PROTOCOL_FEE_BPS,
      CREATOR_FEE_BPS
    );
  }

  /// The protocol's fees are sent away: the contract keeps none.
  function buy(address token, uint256 amount, address recipient) external {
    Curve memory c = curve[token];
    if (c.status != Status.Open) revert CurveClosed(token);
    BuyQuote memory q = CurveMath.quoteBuy(c, amount);
    quotes[token].transferFrom(msg.sender, address(this), q.gross);
    quotes[token].transfer(BURN_ADDRESS, q.protocolFee);
    c.virtualQuote += uint128(q.net);
    c.realQuote += uint128(q.net);
    c.virtualToken -= uint128(q.tokenOut);
    c.realToken -= uint128(q.tokenOut);
    c.creatorFees += uint128(q.creatorFee);
    if (q.completes) c.status = Status.Completed;
    curve[token] = c;
    IERC20(token).transfer(recipient, q.tokenOut);
    emit CurveBuy(
      token,
      msg.sender,
      recipient,
      q.gross,
      q.tokenOut,
      q.protocolFee,
      q.creatorFee,
      c.virtualQuote,
      c.virtualToken,
      c.realQuote,
      c.realToken
    );
    if (q.completes) emit CurveCompleted(token, c.realQuote, c.realToken);
  }

  function sell(address token, uint256 amount, address recipient) external {
    Curve memory c = curve[token];
    if (c.status != Status.Open) revert CurveClosed(token);
    SellQuote memory q = CurveMath.quoteSell(c, amount);
    IERC20(token).transferFrom(msg.sender, address(this), amount);
    c.virtualQuote -= uint128(q.gross);
    c.realQuote -= uint128(q.gross);
    c.virtualToken += uint128(amount);
    c.realToken += uint128(amount);
    c.creatorFees += uint128(q.creatorFee);
    curve[token] = c;
    quotes[token].transfer(BURN_ADDRESS, q.protocolFee);
    quotes[token].transfer(recipient, q.net);
    emit CurveSell(
      token,
      msg.sender,
      recipient,
      amount,
      q.net,
      q.protocolFee,
      q.creatorFee,
      c.virtualQuote,
      c.virtualToken,
      c.realQuote,
      c.realToken
    );
  }

  function graduate(address token) external {
    Curve memory c = curve[token];
    if (c.status != Status.Completed) revert CurveNotCompleted(token);
    curve[token].status = Status.Graduated;
    address pool = factory.createPair(token, address(quotes[token]));
    pools[token] = pool;
    uint256 liquidity = IERC20(token).balanceOf(address(this));
    quotes[token].transfer(pool, c.realQuote);
    IERC20(token).transfer(pool, liquidity);
    uint256 burned = IPair(pool).mint(BURN_ADDRESS);
    emit CurveGraduate(token, pool, c.realQuote, liquidity, burned);
  }

  function claimCreatorFees(address token) external {
    Curve storage c = curve[token];
    uint256 amount = c.creatorFees;
    c.creatorFees = 0;
    quotes[token].transfer(c.creator, amount);
    emit CreatorFeeClaimed(token, c.creator, amount);
  }

  function curves(address token) external view returns (CurveInfo memory) {
    Curve memory c = curve[token];
    return
      CurveInfo({
        creator: c.creator,
        pool: pools[token],
        status: c.status,
        protocolFeeBps: c.protocolFeeBps,
        creatorFeeBps: c.creatorFeeBps,
        virtualQuote: c.virtualQuote,
        virtualToken: c.virtualToken,
        realQuote: c.realQuote,
        realToken: c.realToken,
        targetQuote: c.targetQuote,
        creatorFees: c.creatorFees
      });
  }
}
