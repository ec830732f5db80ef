// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from '@openzeppelin/contracts/access/Ownable2Step.sol';
import {Address} from '@openzeppelin/contracts/utils/Address.sol';
import {ReentrancyGuardTransient} from '@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol';
import {BuyQuote, Curve, CurveMath, SellQuote, Status} from './CurveMath.sol';
import {LaunchToken} from './LaunchToken.sol';
import {IPair, IPairFactory, IWrappedNative, PairAddress} from './UniswapV2.sol';

/**
 * Launches tokens on a bonding curve against the native coin and, at the target, moves the liquidity into a Uniswap V2
 * pair whose LP shares are burnt. Invariant: balance = sum(realQuote) + sum(creatorFees) + protocolFees (or more, if
 * coins are forced in). See CurveMath for the arithmetic.
 */
contract Launchpad is Ownable2Step, ReentrancyGuardTransient {
  using PairAddress for address;

  struct CurveInfo {
    address creator;
    address pool; // zero until graduation
    Status status;
    uint16 protocolFeeBps;
    uint16 creatorFeeBps;
    uint256 virtualQuote;
    uint256 virtualToken;
    uint256 realQuote;
    uint256 realToken;
    uint256 targetQuote;
    uint256 creatorFees; // earned and not yet claimed
  }

  struct Defaults {
    uint128 targetQuote;
    uint16 protocolFeeBps;
    uint16 creatorFeeBps;
  }

  address public constant BURN_ADDRESS = 0x000000000000000000000000000000000000dEaD;
  address private constant NATIVE = address(0);
  uint256 public constant MAX_FEE_BPS = 1_000;
  // Between these, one wei of quote is never worth less than one unit of token at the end of the curve: a curve can
  // then not run out of tokens just short of its target, where nobody could complete it.
  uint256 public constant MIN_TARGET = 0.001 ether;
  uint256 public constant MAX_TARGET = 1_000_000 ether;

  address public immutable weth;
  address public immutable uniswapV2Factory;
  bytes32 public immutable pairInitCodeHash;

  /// What the next launches get. Launched curves keep what they started with.
  Defaults public defaults = Defaults(6 ether, 100, 50);
  address public feeRecipient;
  uint256 public protocolFees;
  uint256 public launchCount;
  mapping(address token => Curve) private _curves;

  event CurveCreate(
    address indexed token,
    address indexed creator,
    address indexed quoteToken,
    string name,
    string symbol,
    string contractURI,
    uint256 totalSupply,
    uint256 virtualQuote,
    uint256 virtualToken,
    uint256 targetQuote,
    uint16 protocolFeeBps,
    uint16 creatorFeeBps
  );
  /// quoteIn is all that the trader paid, fees included, after any refund. Reserves are those after the trade.
  event CurveBuy(
    address indexed token,
    address indexed trader,
    address indexed recipient,
    uint256 quoteIn,
    uint256 tokenOut,
    uint256 protocolFee,
    uint256 creatorFee,
    uint256 virtualQuote,
    uint256 virtualToken,
    uint256 realQuote,
    uint256 realToken
  );
  /// quoteOut is what the recipient got, after fees. Reserves are those after the trade.
  event CurveSell(
    address indexed token,
    address indexed trader,
    address indexed recipient,
    uint256 tokenIn,
    uint256 quoteOut,
    uint256 protocolFee,
    uint256 creatorFee,
    uint256 virtualQuote,
    uint256 virtualToken,
    uint256 realQuote,
    uint256 realToken
  );
  event CurveCompleted(address indexed token, uint256 realQuote, uint256 realToken);
  /// quoteLiquidity is what the curve paid in; coins that others had put into the pair beforehand come on top.
  event CurveGraduate(
    address indexed token,
    address indexed pool,
    uint256 quoteLiquidity,
    uint256 tokenLiquidity,
    uint256 lpBurned
  );
  event CreatorFeeClaimed(address indexed token, address indexed creator, uint256 amount);
  event ProtocolFeeClaimed(address indexed recipient, uint256 amount);
  event DefaultsUpdated(uint256 targetQuote, uint16 protocolFeeBps, uint16 creatorFeeBps);
  event FeeRecipientUpdated(address indexed feeRecipient);

  error ContractURILength();
  error CurveClosed(address token);
  error CurveNotCompleted(address token);
  error Expired(uint256 deadline);
  error FeeTooHigh();
  error InvalidRecipient();
  error NameLength();
  error NothingToClaim();
  error OnlyCreator();
  error PairInitCodeHashMismatch();
  error Slippage(uint256 amountOut, uint256 minimum);
  error SymbolLength();
  error TargetOutOfRange();
  error UnknownToken(address token);

  constructor(
    address owner_,
    address feeRecipient_,
    address weth_,
    address uniswapV2Factory_,
    bytes32 pairInitCodeHash_
  ) Ownable(owner_) {
    weth = weth_;
    uniswapV2Factory = uniswapV2Factory_;
    pairInitCodeHash = pairInitCodeHash_;
    _setFeeRecipient(feeRecipient_);
    // With a wrong hash every token would guard the wrong address, unnoticed and for ever. One empty pair, with this
    // contract in a token's place, proves it at deployment. Anyone may have created it: this address is known beforehand.
    address probe = uniswapV2Factory_.compute(pairInitCodeHash_, weth_, address(this));
    if (probe.code.length == 0 && IPairFactory(uniswapV2Factory_).createPair(weth_, address(this)) != probe) {
      revert PairInitCodeHashMismatch();
    }
  }

  modifier before(uint256 deadline) {
    if (block.timestamp > deadline) revert Expired(deadline);
    _;
  }

  /// Launches a token; value sent along buys at once for the creator. `minTokenOut` guards that first buy.
  function create(
    string calldata name,
    string calldata symbol,
    string calldata contractURI,
    uint256 minTokenOut
  ) external payable nonReentrant returns (address token) {
    if (bytes(name).length == 0 || bytes(name).length > 64) revert NameLength();
    if (bytes(symbol).length == 0 || bytes(symbol).length > 16) revert SymbolLength();
    if (bytes(contractURI).length > 512) revert ContractURILength();
    if (msg.value == 0 && minTokenOut > 0) revert Slippage(0, minTokenOut);

    token = address(new LaunchToken(name, symbol, contractURI, msg.sender, CurveMath.TOTAL_SUPPLY));
    Curve memory curve = _newCurve(msg.sender);
    _curves[token] = curve;
    launchCount++;
    _emitCreate(token, name, symbol, contractURI, curve);
    if (msg.value > 0) _buy(token, msg.sender, minTokenOut);
  }

  /// Buys with the value sent. What exceeds the target is refunded to the caller.
  function buy(
    address token,
    address recipient,
    uint256 minTokenOut,
    uint256 deadline
  ) external payable nonReentrant before(deadline) returns (uint256 tokenOut) {
    return _buy(token, recipient, minTokenOut);
  }

  /// Sells `tokenIn` of the caller's tokens, by allowance.
  function sell(
    address token,
    uint256 tokenIn,
    address recipient,
    uint256 minQuoteOut,
    uint256 deadline
  ) external nonReentrant before(deadline) returns (uint256 quoteOut) {
    if (recipient == address(0)) revert InvalidRecipient();
    Curve memory curve = _openCurve(token);
    SellQuote memory quote = CurveMath.quoteSell(curve, tokenIn);
    quoteOut = quote.net;
    if (quoteOut < minQuoteOut) revert Slippage(quoteOut, minQuoteOut);

    curve.virtualQuote -= uint128(quote.gross);
    curve.realQuote -= uint128(quote.gross);
    curve.virtualToken += uint128(tokenIn);
    curve.realToken += uint128(tokenIn);
    curve.creatorFees += uint128(quote.creatorFee);
    _curves[token] = curve;
    protocolFees += quote.protocolFee;
    emit CurveSell(
      token,
      msg.sender,
      recipient,
      tokenIn,
      quoteOut,
      quote.protocolFee,
      quote.creatorFee,
      curve.virtualQuote,
      curve.virtualToken,
      curve.realQuote,
      curve.realToken
    );
    LaunchToken(token).transferFrom(msg.sender, address(this), tokenIn);
    Address.sendValue(payable(recipient), quoteOut);
  }

  /// Moves a completed curve's liquidity into its pair and burns the LP shares. Anyone may call it.
  function graduate(address token) external nonReentrant returns (address pool) {
    Curve storage curve = _curves[token];
    if (curve.status == Status.None) revert UnknownToken(token);
    if (curve.status != Status.Completed) revert CurveNotCompleted(token);
    uint256 quoteLiquidity = curve.realQuote;
    uint256 tokenLiquidity = LaunchToken(token).balanceOf(address(this));
    curve.status = Status.Graduated;
    curve.realQuote = 0;

    pool = pairFor(token);
    if (pool.code.length == 0) IPairFactory(uniswapV2Factory).createPair(weth, token);
    LaunchToken(token).openPool();
    IWrappedNative(weth).deposit{value: quoteLiquidity}();
    IWrappedNative(weth).transfer(pool, quoteLiquidity);
    LaunchToken(token).transfer(pool, tokenLiquidity);
    uint256 lpBurned = IPair(pool).mint(BURN_ADDRESS);
    emit CurveGraduate(token, pool, quoteLiquidity, tokenLiquidity, lpBurned);
  }

  function claimCreatorFee(address token) external nonReentrant returns (uint256 amount) {
    Curve storage curve = _curves[token];
    if (msg.sender != curve.creator) revert OnlyCreator();
    amount = curve.creatorFees;
    if (amount == 0) revert NothingToClaim();
    curve.creatorFees = 0;
    emit CreatorFeeClaimed(token, msg.sender, amount);
    Address.sendValue(payable(msg.sender), amount);
  }

  /// Pays the protocol's fees to the fee recipient. Anyone may call it.
  function claimProtocolFee() external nonReentrant returns (uint256 amount) {
    amount = protocolFees;
    if (amount == 0) revert NothingToClaim();
    protocolFees = 0;
    emit ProtocolFeeClaimed(feeRecipient, amount);
    Address.sendValue(payable(feeRecipient), amount);
  }

  function setDefaults(uint128 targetQuote, uint16 protocolFeeBps, uint16 creatorFeeBps) external onlyOwner {
    if (uint256(protocolFeeBps) + creatorFeeBps > MAX_FEE_BPS) revert FeeTooHigh();
    if (targetQuote < MIN_TARGET || targetQuote > MAX_TARGET) revert TargetOutOfRange();
    defaults = Defaults(targetQuote, protocolFeeBps, creatorFeeBps);
    emit DefaultsUpdated(targetQuote, protocolFeeBps, creatorFeeBps);
  }

  function setFeeRecipient(address feeRecipient_) external onlyOwner {
    _setFeeRecipient(feeRecipient_);
  }

  /// All zero for a token that was not launched here.
  function curves(address token) external view returns (CurveInfo memory) {
    Curve memory curve = _curves[token];
    return
      CurveInfo({
        creator: curve.creator,
        pool: curve.status == Status.Graduated ? pairFor(token) : address(0),
        status: curve.status,
        protocolFeeBps: curve.protocolFeeBps,
        creatorFeeBps: curve.creatorFeeBps,
        virtualQuote: curve.virtualQuote,
        virtualToken: curve.virtualToken,
        realQuote: curve.realQuote,
        realToken: curve.realToken,
        targetQuote: curve.targetQuote,
        creatorFees: curve.creatorFees
      });
  }

  /// What `buy` would do with `quoteIn` now. Paid is quoteIn - refund.
  function quoteBuy(
    address token,
    uint256 quoteIn
  ) external view returns (uint256 tokenOut, uint256 protocolFee, uint256 creatorFee, uint256 refund) {
    BuyQuote memory quote = CurveMath.quoteBuy(_openCurve(token), quoteIn);
    return (quote.tokenOut, quote.protocolFee, quote.creatorFee, quoteIn - quote.gross);
  }

  /// What `sell` would pay for `tokenIn` now, after fees.
  function quoteSell(
    address token,
    uint256 tokenIn
  ) external view returns (uint256 quoteOut, uint256 protocolFee, uint256 creatorFee) {
    SellQuote memory quote = CurveMath.quoteSell(_openCurve(token), tokenIn);
    return (quote.net, quote.protocolFee, quote.creatorFee);
  }

  /// Where the token's pair is, or will be.
  function pairFor(address token) public view returns (address) {
    return uniswapV2Factory.compute(pairInitCodeHash, weth, token);
  }

  function _buy(address token, address recipient, uint256 minTokenOut) private returns (uint256 tokenOut) {
    if (recipient == address(0) || recipient == address(this)) revert InvalidRecipient();
    Curve memory curve = _openCurve(token);
    BuyQuote memory quote = CurveMath.quoteBuy(curve, msg.value);
    tokenOut = quote.tokenOut;
    if (tokenOut < minTokenOut) revert Slippage(tokenOut, minTokenOut);

    curve.virtualQuote += uint128(quote.net);
    curve.realQuote += uint128(quote.net);
    curve.virtualToken -= uint128(tokenOut);
    curve.realToken -= uint128(tokenOut);
    curve.creatorFees += uint128(quote.creatorFee);
    if (quote.completes) curve.status = Status.Completed;
    _curves[token] = curve;
    protocolFees += quote.protocolFee;
    emit CurveBuy(
      token,
      msg.sender,
      recipient,
      quote.gross,
      tokenOut,
      quote.protocolFee,
      quote.creatorFee,
      curve.virtualQuote,
      curve.virtualToken,
      curve.realQuote,
      curve.realToken
    );
    if (quote.completes) emit CurveCompleted(token, curve.realQuote, curve.realToken);
    LaunchToken(token).transfer(recipient, tokenOut);
    if (msg.value > quote.gross) Address.sendValue(payable(msg.sender), msg.value - quote.gross);
  }

  /// Apart from `create` for the stack's sake.
  function _emitCreate(
    address token,
    string memory name,
    string memory symbol,
    string memory contractURI,
    Curve memory curve
  ) private {
    emit CurveCreate(
      token,
      curve.creator,
      NATIVE,
      name,
      symbol,
      contractURI,
      CurveMath.TOTAL_SUPPLY,
      curve.virtualQuote,
      curve.virtualToken,
      curve.targetQuote,
      curve.protocolFeeBps,
      curve.creatorFeeBps
    );
  }

  function _newCurve(address creator) private view returns (Curve memory) {
    Defaults memory terms = defaults;
    uint256 virtualQuote = CurveMath.initialVirtualQuote(terms.targetQuote);
    return
      Curve({
        creator: creator,
        protocolFeeBps: terms.protocolFeeBps,
        creatorFeeBps: terms.creatorFeeBps,
        status: Status.Open,
        virtualQuote: uint128(virtualQuote),
        virtualToken: uint128(CurveMath.VIRTUAL_TOKEN),
        realQuote: 0,
        realToken: uint128(CurveMath.saleSupply(virtualQuote, terms.targetQuote)),
        targetQuote: terms.targetQuote,
        creatorFees: 0
      });
  }

  function _openCurve(address token) private view returns (Curve memory curve) {
    curve = _curves[token];
    if (curve.status == Status.None) revert UnknownToken(token);
    if (curve.status != Status.Open) revert CurveClosed(token);
  }

  function _setFeeRecipient(address feeRecipient_) private {
    if (feeRecipient_ == address(0)) revert InvalidRecipient();
    feeRecipient = feeRecipient_;
    emit FeeRecipientUpdated(feeRecipient_);
  }
}
