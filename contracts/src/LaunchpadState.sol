// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from '@openzeppelin/contracts/access/Ownable2Step.sol';
import {Clones} from '@openzeppelin/contracts/proxy/Clones.sol';
import {CreatorFees} from './CreatorFees.sol';
import {BuyQuote, Curve, CurveMath, SellQuote, Status} from './CurveMath.sol';
import {LaunchToken} from './LaunchToken.sol';
import {IPairFactory, PairAddress} from './UniswapV2.sol';

/**
 * @title Settings and state of the launchpad
 * @notice Everything of the launchpad but its trades: what it was deployed with, what its owner sets, and its views.
 */
abstract contract LaunchpadState is Ownable2Step, CreatorFees {
  using PairAddress for address;

  /// @notice Owner of the LP shares of every pair: nobody.
  address public constant BURN_ADDRESS = 0x000000000000000000000000000000000000dEaD;
  /// @notice Most that both fees of a trade may be together, in basis points.
  uint256 public constant MAX_FEE_BPS = 1_000;
  // Between these, one wei of quote is never worth less than one unit of token at the end of the curve: a curve can
  // then not run out of tokens just short of its target, where nobody could complete it.
  uint256 private constant LEAST_TARGET = 0.001 ether;
  /// @notice Largest target of a launch, in wei.
  uint256 public constant MAX_TARGET = 1_000_000 ether;
  uint256 private constant TARGETS_PER_BOUNTY = 100;

  /// @notice The wrapped native coin, which pairs hold.
  address public immutable weth;
  /// @notice Creates the pairs.
  address public immutable uniswapV2Factory;
  /// @notice Hash of the pair's creation code, from which the address of each pair follows.
  bytes32 public immutable pairInitCodeHash;
  /// @notice The token that all launched ones are minimal clones (EIP-1167) of.
  address public immutable tokenImplementation;
  /// @notice What a graduation pays the account that calls for it, out of the protocol's fees, as far as they suffice. It
  /// should exceed the price of the gas.
  uint256 public immutable graduationBounty;
  /// @notice The smallest target of a launch: a hundred times the bounty, so that trades at the default fee pay for it.
  uint256 public immutable MIN_TARGET;

  /// @notice Terms of the next launches. Launched curves keep what they started with.
  Terms public defaults = Terms(6 ether, 100, 50);
  /// @notice Receives the protocol's fees.
  address public feeRecipient;
  /// @notice Fees of the protocol that are not paid out yet, in wei.
  uint256 public protocolFees;
  /// @notice Number of launched tokens.
  uint256 public launchCount;

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

  /**
   * @notice Sets the terms of the next launches.
   * @param targetQuote wei that complete a curve, from MIN_TARGET to MAX_TARGET
   * @param protocolFeeBps share of the protocol in each trade, in basis points
   * @param creatorFeeBps share of the creator in each trade, in basis points; both together at most MAX_FEE_BPS
   */
  function setDefaults(uint128 targetQuote, uint16 protocolFeeBps, uint16 creatorFeeBps) external onlyOwner {
    if (uint256(protocolFeeBps) + creatorFeeBps > MAX_FEE_BPS) revert FeeTooHigh();
    if (targetQuote < MIN_TARGET || targetQuote > MAX_TARGET) revert TargetOutOfRange();
    defaults = Terms(targetQuote, protocolFeeBps, creatorFeeBps);
    emit DefaultsUpdated(targetQuote, protocolFeeBps, creatorFeeBps);
  }

  /// @notice Sets the recipient of the protocol's fees, those that are due included.
  /// @param feeRecipient_ any account but zero
  function setFeeRecipient(address feeRecipient_) external onlyOwner {
    _setFeeRecipient(feeRecipient_);
  }

  /**
   * @notice A curve as of now.
   * @param token any token
   * @return the curve; all zero for a token that was not launched here
   */
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

  /// @notice What claimProtocolFee would pay now.
  /// @return all fees of the protocol but one bounty, which stays for the next graduation
  function claimableProtocolFees() public view returns (uint256) {
    return protocolFees > graduationBounty ? protocolFees - graduationBounty : 0;
  }

  /**
   * @notice What `buy` would do with `quoteIn` now. Paid is quoteIn - refund.
   * @param token token whose curve is open
   * @param quoteIn wei to send
   * @return tokenOut base units of the token
   * @return protocolFee wei for the protocol
   * @return creatorFee wei for the creator
   * @return refund wei that are sent back: what exceeds the target
   */
  function quoteBuy(
    address token,
    uint256 quoteIn
  ) external view returns (uint256 tokenOut, uint256 protocolFee, uint256 creatorFee, uint256 refund) {
    BuyQuote memory quote = CurveMath.quoteBuy(_openCurve(token), quoteIn);
    return (quote.tokenOut, quote.protocolFee, quote.creatorFee, quoteIn - quote.gross);
  }

  /**
   * @notice What `sell` would pay for `tokenIn` now.
   * @param token token whose curve is open
   * @param tokenIn base units of the token
   * @return quoteOut wei for the recipient, after fees
   * @return protocolFee wei for the protocol
   * @return creatorFee wei for the creator
   */
  function quoteSell(
    address token,
    uint256 tokenIn
  ) external view returns (uint256 quoteOut, uint256 protocolFee, uint256 creatorFee) {
    SellQuote memory quote = CurveMath.quoteSell(_openCurve(token), tokenIn);
    return (quote.net, quote.protocolFee, quote.creatorFee);
  }

  /**
   * @notice Where a launch by `creator` with `salt` puts its token: known beforehand, and the same after a reorg.
   * @param creator wallet that launches
   * @param salt chosen by the creator
   * @return address of the clone (CREATE2)
   */
  function tokenAddress(address creator, bytes32 salt) public view returns (address) {
    return Clones.predictDeterministicAddress(tokenImplementation, _saltOf(creator, salt));
  }

  /**
   * @notice Where the token's pair is, or will be.
   * @param token launched token
   * @return address of the pair with the wrapped coin (CREATE2)
   */
  function pairFor(address token) public view returns (address) {
    return uniswapV2Factory.compute(pairInitCodeHash, weth, token);
  }

  /// @dev A curve by the terms of new launches, which must be the expected ones.
  function _newCurve(address creator, Terms calldata expected) internal view returns (Curve memory) {
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
  function _saltOf(address creator, bytes32 salt) internal pure returns (bytes32) {
    return keccak256(abi.encode(creator, salt));
  }

  function _openCurve(address token) internal view returns (Curve memory curve) {
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
