// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from '@openzeppelin/contracts/access/Ownable2Step.sol';
import {Clones} from '@openzeppelin/contracts/proxy/Clones.sol';
import {Address} from '@openzeppelin/contracts/utils/Address.sol';
import {CreatorFees} from './CreatorFees.sol';
import {BuyQuote, Curve, CurveMath, SellQuote, Status} from './CurveMath.sol';
import {LaunchToken} from './LaunchToken.sol';
import {IPair, IPairFactory, IWrappedNative, PairAddress} from './UniswapV2.sol';

/**
 * Launches tokens on a bonding curve against the native coin and, at the target, moves the liquidity into a Uniswap V2
 * pair whose LP shares are burnt: in the completing buy if it has the gas, else by a call of anyone, for a bounty out of
 * the protocol's fees. Invariant: balance = sum(realQuote) + sum(creatorFees) + sum(heldFees) + protocolFees (or more,
 * if coins are forced in). See CurveMath for the arithmetic.
 */
contract Launchpad is Ownable2Step, CreatorFees {
  using PairAddress for address;

  address public constant BURN_ADDRESS = 0x000000000000000000000000000000000000dEaD;
  address private constant NATIVE = address(0);
  uint256 public constant MAX_FEE_BPS = 1_000;
  // Between these, one wei of quote is never worth less than one unit of token at the end of the curve: a curve can
  // then not run out of tokens just short of its target, where nobody could complete it.
  uint256 private constant LEAST_TARGET = 0.001 ether;
  uint256 public constant MAX_TARGET = 1_000_000 ether;
  uint256 private constant TARGETS_PER_BOUNTY = 100;
  /// @notice Gas for the graduation in a completing buy, in addition to what the buy uses. It takes 2.7 million on Ethereum,
  /// most of it for the code of the pair; the rest is for chains that charge more for storage.
  uint256 public constant GRADUATION_GAS = 3_200_000;
  /// @dev For the refund and the bounty after a graduation that fails, and uses all of its gas.
  uint256 private constant PAYMENT_GAS = 100_000;

  address public immutable weth;
  address public immutable uniswapV2Factory;
  bytes32 public immutable pairInitCodeHash;
  /// The token that all launched ones are minimal clones (EIP-1167) of.
  address public immutable tokenImplementation;
  /// @notice What a graduation pays the account that calls for it, out of the protocol's fees, as far as they suffice. It
  /// should exceed the price of the gas.
  uint256 public immutable graduationBounty;
  /// @notice The smallest target of a launch: a hundred times the bounty, so that trades at the default fee pay for it.
  // solhint-disable-next-line immutable-vars-naming
  uint256 public immutable MIN_TARGET;

  /// What the next launches get. Launched curves keep what they started with.
  Terms public defaults = Terms(6 ether, 100, 50);
  address public feeRecipient;
  uint256 public protocolFees;
  uint256 public launchCount;

  constructor(
    address owner_,
    address feeRecipient_,
    address weth_,
    address uniswapV2Factory_,
    bytes32 pairInitCodeHash_,
    uint256 graduationBounty_
  ) Ownable(owner_) {
    uint256 minTarget = graduationBounty_ * TARGETS_PER_BOUNTY;
    if (minTarget < LEAST_TARGET) minTarget = LEAST_TARGET;
    if (minTarget > MAX_TARGET) revert TargetOutOfRange();
    if (defaults.targetQuote < minTarget) defaults.targetQuote = uint128(minTarget);
    (graduationBounty, MIN_TARGET) = (graduationBounty_, minTarget);
    if (weth_.code.length == 0) revert NotAContract(weth_);
    if (uniswapV2Factory_.code.length == 0) revert NotAContract(uniswapV2Factory_);
    weth = weth_;
    uniswapV2Factory = uniswapV2Factory_;
    pairInitCodeHash = pairInitCodeHash_;
    tokenImplementation = address(new LaunchToken(weth_, uniswapV2Factory_, pairInitCodeHash_));
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

  /**
   * @notice Launches a token for the caller at `tokenAddress(caller, salt)`. Value sent along buys at once for the caller.
   * @return token The clone.
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

  /// Buys with the value sent. What exceeds the target is refunded to the caller.
  function buy(
    address token,
    address recipient,
    uint256 minTokenOut,
    uint256 deadline
  ) external payable nonReentrant before(deadline) returns (uint256 tokenOut) {
    return _buy(token, recipient, minTokenOut);
  }

  /// Sells `tokenIn` of the caller's tokens, without an allowance.
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
   * @return pool The token's pair.
   */
  function graduate(address token) external nonReentrant returns (address pool) {
    pool = _graduate(token);
    _payBounty(token);
  }

  /**
   * @notice Only for this contract: a call of its own lets a completing buy go on when its graduation fails.
   * @return pool The token's pair.
   */
  function graduateInBuy(address token) external returns (address pool) {
    if (msg.sender != address(this)) revert OnlyLaunchpad();
    return _graduate(token);
  }

  /**
   * @notice Pays the protocol's fees to the fee recipient. Anyone may call it.
   * @return amount claimableProtocolFees().
   */
  function claimProtocolFee() external nonReentrant returns (uint256 amount) {
    amount = claimableProtocolFees();
    if (amount == 0) revert NothingToClaim();
    protocolFees -= amount;
    emit ProtocolFeeClaimed(feeRecipient, amount);
    Address.sendValue(payable(feeRecipient), amount);
  }

  function setDefaults(uint128 targetQuote, uint16 protocolFeeBps, uint16 creatorFeeBps) external onlyOwner {
    if (uint256(protocolFeeBps) + creatorFeeBps > MAX_FEE_BPS) revert FeeTooHigh();
    if (targetQuote < MIN_TARGET || targetQuote > MAX_TARGET) revert TargetOutOfRange();
    defaults = Terms(targetQuote, protocolFeeBps, creatorFeeBps);
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

  /// @return All fees of the protocol but one bounty, which stays for the next graduation.
  function claimableProtocolFees() public view returns (uint256) {
    return protocolFees > graduationBounty ? protocolFees - graduationBounty : 0;
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

  /**
   * @notice Where a launch by `creator` with `salt` puts its token: known beforehand, and the same after a reorg.
   * @return The address of the clone (CREATE2).
   */
  function tokenAddress(address creator, bytes32 salt) public view returns (address) {
    return Clones.predictDeterministicAddress(tokenImplementation, _saltOf(creator, salt));
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

  /// @dev A curve by the terms of new launches, which must be the expected ones.
  function _newCurve(address creator, Terms calldata expected) private view returns (Curve memory) {
    Terms memory terms = defaults;
    if (
      expected.targetQuote != terms.targetQuote ||
      expected.protocolFeeBps != terms.protocolFeeBps ||
      expected.creatorFeeBps != terms.creatorFeeBps
    ) revert TermsChanged();
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

  /// @dev With the creator, so that nobody else can take the address by sending the same salt earlier.
  function _saltOf(address creator, bytes32 salt) private pure returns (bytes32) {
    return keccak256(abi.encode(creator, salt));
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
