// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Clones} from '@openzeppelin/contracts/proxy/Clones.sol';
import {Address} from '@openzeppelin/contracts/utils/Address.sol';
import {BuyQuote, Curve, CurveMath, SellQuote, Status} from './CurveMath.sol';
import {LaunchToken} from './LaunchToken.sol';
import {LaunchpadState} from './LaunchpadState.sol';
import {IPair, IPairFactory, IWrappedNative} from './UniswapV2.sol';

/**
 * @title Launchpad
 * @notice Launches tokens on a bonding curve against the native coin and, at the target, moves the liquidity into a
 * Uniswap V2 pair whose LP shares are burnt: in the completing buy if it has the gas, else by a call of anyone, for a
 * bounty out of the protocol's fees.
 * @dev Invariant: balance = sum(realQuote) + sum(creatorFees) + sum(heldFees) + protocolFees (or more, if coins are
 * forced in). See CurveMath for the arithmetic.
 */
contract Launchpad is LaunchpadState {
  address private constant NATIVE = address(0);
  /// @notice Gas for the graduation in a completing buy, in addition to what the buy uses. It takes 2.7 million on Ethereum,
  /// most of it for the code of the pair; the rest is for chains that charge more for storage.
  uint256 public constant GRADUATION_GAS = 3_200_000;
  /// @dev For the refund and the bounty after a graduation that fails, and uses all of its gas.
  uint256 private constant PAYMENT_GAS = 100_000;

  /**
   * @notice Deploys the token implementation, and checks the hash of the pair with an empty pair.
   * @param owner_ sets the defaults and the fee recipient
   * @param feeRecipient_ receives the protocol's fees
   * @param weth_ wrapped native coin
   * @param uniswapV2Factory_ creates the pairs
   * @param pairInitCodeHash_ hash of the pair's creation code
   * @param graduationBounty_ wei for the account that graduates a token
   */
  constructor(
    address owner_,
    address feeRecipient_,
    address weth_,
    address uniswapV2Factory_,
    bytes32 pairInitCodeHash_,
    uint256 graduationBounty_
  )
    LaunchpadState(owner_, feeRecipient_, weth_, uniswapV2Factory_, pairInitCodeHash_, graduationBounty_)
  {}

  modifier before(uint256 deadline) {
    if (block.timestamp > deadline) revert Expired(deadline);
    _;
  }

  /**
   * @notice Launches a token for the caller at `tokenAddress(caller, salt)`. Value sent along buys at once for the
   * caller.
   * @param launch what the creator signs
   * @return token the clone
   */
  function create(
    Launch calldata launch
  ) external payable nonReentrant before(launch.deadline) returns (address token) {
    if (bytes(launch.name).length == 0 || bytes(launch.name).length > 64) revert NameLength();
    if (bytes(launch.symbol).length == 0 || bytes(launch.symbol).length > 16) revert SymbolLength();
    if (bytes(launch.contractURI).length > 512) revert ContractURILength();
    if (msg.value == 0 && launch.minTokenOut > 0) revert Slippage(0, launch.minTokenOut);
    Curve memory curve = _newCurve(msg.sender, launch.terms);

    token = tokenAddress(msg.sender, launch.salt);
    if (_curves[token].status != Status.None) revert SaltUsed(token);
    Clones.cloneDeterministic(tokenImplementation, _saltOf(msg.sender, launch.salt));
    LaunchToken(token).initialize(
      launch.name,
      launch.symbol,
      launch.contractURI,
      msg.sender,
      CurveMath.TOTAL_SUPPLY
    );
    _curves[token] = curve;
    launchCount++;
    _emitCreate(token, launch.name, launch.symbol, launch.contractURI, curve);
    if (msg.value > 0) _buy(token, msg.sender, launch.minTokenOut);
  }

  /**
   * @notice Buys with the value sent. What exceeds the target is refunded to the caller.
   * @param token token whose curve is open
   * @param recipient gets the tokens
   * @param minTokenOut least base units of the token that the caller accepts
   * @param deadline last second in which the call is valid
   * @return tokenOut base units of the token
   */
  function buy(
    address token,
    address recipient,
    uint256 minTokenOut,
    uint256 deadline
  ) external payable nonReentrant before(deadline) returns (uint256 tokenOut) {
    return _buy(token, recipient, minTokenOut);
  }

  /**
   * @notice Sells `tokenIn` of the caller's tokens, without an allowance.
   * @param token token whose curve is open
   * @param tokenIn base units of the token
   * @param recipient gets the coins
   * @param minQuoteOut least wei that the caller accepts, after fees
   * @param deadline last second in which the call is valid
   * @return quoteOut wei that were paid
   */
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
    LaunchToken(token).pull(msg.sender, tokenIn);
    Address.sendValue(payable(recipient), quoteOut);
  }

  /**
   * @notice Graduates a token whose completing buy did not: see GRADUATION_GAS. Anyone may call it, for the bounty.
   * @param token token whose curve is completed
   * @return pool the token's pair
   */
  function graduate(address token) external nonReentrant returns (address pool) {
    pool = _graduate(token);
    _payBounty(token);
  }

  /**
   * @notice Only for this contract: a call of its own lets a completing buy go on when its graduation fails.
   * @param token token whose curve is completed
   * @return pool the token's pair
   */
  function graduateInBuy(address token) external returns (address pool) {
    if (msg.sender != address(this)) revert OnlyLaunchpad();
    return _graduate(token);
  }

  /// @notice Pays the protocol's fees to the fee recipient. Anyone may call it.
  /// @return amount claimableProtocolFees()
  function claimProtocolFee() external nonReentrant returns (uint256 amount) {
    amount = claimableProtocolFees();
    if (amount == 0) revert NothingToClaim();
    protocolFees -= amount;
    emit ProtocolFeeClaimed(feeRecipient, amount);
    Address.sendValue(payable(feeRecipient), amount);
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
    bool isGraduated = quote.completes && _tryGraduate(token);
    if (msg.value > quote.gross) Address.sendValue(payable(msg.sender), msg.value - quote.gross);
    if (isGraduated) _payBounty(token);
  }

  /// @dev Without the gas, or if it fails, anyone graduates the token later. EIP-150 keeps a 64th of the gas.
  function _tryGraduate(address token) private returns (bool) {
    if (gasleft() < GRADUATION_GAS + GRADUATION_GAS / 63 + PAYMENT_GAS) return false;
    try this.graduateInBuy{gas: GRADUATION_GAS}(token) {
      return true;
    } catch {
      return false;
    }
  }

  function _graduate(address token) private returns (address pool) {
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

  /// @dev Graduates what completes even if the caller accepts no coins: the bounty then stays with the fees.
  function _payBounty(address token) private {
    uint256 amount = protocolFees < graduationBounty ? protocolFees : graduationBounty;
    if (amount == 0) return;
    protocolFees -= amount;
    // solhint-disable-next-line avoid-low-level-calls
    (bool isPaid, ) = msg.sender.call{value: amount}('');
    if (isPaid) emit GraduationBountyPaid(token, msg.sender, amount);
    else protocolFees += amount;
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
}
