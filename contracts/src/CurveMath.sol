// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from '@openzeppelin/contracts/utils/math/Math.sol';

enum Status {
  None,
  Open,
  Completed,
  Graduated
}

/// @dev Four storage slots a launch. Widths are safe: targets stop at 1e24 wei, supplies at 1e27 units.
struct Curve {
  address creator;
  uint16 protocolFeeBps;
  uint16 creatorFeeBps;
  Status status;
  uint128 virtualQuote;
  uint128 virtualToken;
  uint128 realQuote;
  uint128 realToken;
  uint128 targetQuote;
  uint128 creatorFees;
}

struct BuyQuote {
  uint256 gross; // what the trader pays: net + both fees
  uint256 net; // what the curve receives
  uint256 protocolFee;
  uint256 creatorFee;
  uint256 tokenOut;
  bool completes;
}

struct SellQuote {
  uint256 gross; // what leaves the curve
  uint256 net; // what the recipient gets: gross - both fees
  uint256 protocolFee;
  uint256 creatorFee;
}

/**
 * @title Arithmetic of the curves
 * @notice Constant-product arithmetic over virtual reserves. Amounts are base units; fees are basis points of the gross
 * quote.
 * @dev Geometry. S tokens are for sale, L = S / 4 are kept for the pool, T is the quote target. Starting from
 * virtualQuote = T / 3 and virtualToken = 4S / 3, the product is 4ST / 9. Once T has come in, virtualQuote is 4T / 3,
 * so virtualToken is S / 3: exactly S tokens have left, and the last price is (4T / 3) / (S / 3) = 4T / S. The pool
 * opens with T against L, at T / (S / 4) = 4T / S: the same price, so graduation is no arbitrage.
 * Both starting reserves are rounded up, which keeps the tokens sold at or below S whatever T is.
 *
 * Rounding. The reserve that remains in the curve is always rounded up, and so is every fee. Hence
 * virtualQuote * virtualToken never falls, and no sequence of trades can take out more than was put in.
 */
library CurveMath {
  uint256 internal constant BPS = 10_000;
  uint256 internal constant TOTAL_SUPPLY = 1_000_000_000e18;
  uint256 internal constant SALE_SUPPLY = (TOTAL_SUPPLY * 8) / 10;
  uint256 internal constant VIRTUAL_TOKEN = (SALE_SUPPLY * 4 + 2) / 3;

  /// @notice The amount does not fit into 128 bits.
  error AmountTooLarge();
  /**
   * @notice The amount exceeds what the curve has sold.
   * @param tokenIn base units that are offered
   * @param sold base units that the curve has sold
   */
  error ExceedsSold(uint256 tokenIn, uint256 sold);
  /// @notice The amount is zero.
  error ZeroAmount();
  /// @notice The amount is too small to yield anything.
  error ZeroOutput();

  /**
   * @notice Virtual wei of a new curve.
   * @param targetQuote wei that complete it
   * @return wei, rounded up
   */
  function initialVirtualQuote(uint256 targetQuote) internal pure returns (uint256) {
    return Math.ceilDiv(targetQuote, 3);
  }

  /**
   * @notice Tokens that a curve has given out when its target has come in. What is left of the supply is for the pool.
   * @param virtualQuote virtual wei of the new curve
   * @param targetQuote wei that complete it
   * @return base units of the token
   */
  function saleSupply(uint256 virtualQuote, uint256 targetQuote) internal pure returns (uint256) {
    return VIRTUAL_TOKEN - Math.ceilDiv(virtualQuote * VIRTUAL_TOKEN, virtualQuote + targetQuote);
  }

  /**
   * @notice What a curve does with coins.
   * @param curve the curve before the trade
   * @param quoteIn wei that are offered
   * @return quote what is paid, and for what
   */
  function quoteBuy(Curve memory curve, uint256 quoteIn) internal pure returns (BuyQuote memory quote) {
    if (quoteIn == 0) revert ZeroAmount();
    if (quoteIn > type(uint128).max) revert AmountTooLarge();
    uint256 remaining = curve.targetQuote - curve.realQuote;
    quote.gross = quoteIn;
    (quote.protocolFee, quote.creatorFee) = _fees(curve, quoteIn);
    if (quote.protocolFee + quote.creatorFee >= quoteIn) revert ZeroOutput();
    quote.net = quoteIn - quote.protocolFee - quote.creatorFee;
    if (quote.net >= remaining) {
      // The last buy takes all that is for sale, with the few units that rounding kept in the curve.
      quote.completes = true;
      quote.net = remaining;
      quote.gross = _grossFor(curve, remaining);
      (quote.protocolFee, quote.creatorFee) = _fees(curve, quote.gross);
      quote.tokenOut = curve.realToken;
    } else {
      uint256 product = uint256(curve.virtualQuote) * curve.virtualToken;
      quote.tokenOut = curve.virtualToken - Math.ceilDiv(product, curve.virtualQuote + quote.net);
    }
    if (quote.tokenOut == 0) revert ZeroOutput();
  }

  /**
   * @notice What a curve does with tokens.
   * @param curve the curve before the trade
   * @param tokenIn base units that are offered
   * @return quote what is paid, and to whom
   */
  function quoteSell(Curve memory curve, uint256 tokenIn) internal pure returns (SellQuote memory quote) {
    if (tokenIn == 0) revert ZeroAmount();
    uint256 sold = VIRTUAL_TOKEN - curve.virtualToken;
    if (tokenIn > sold) revert ExceedsSold(tokenIn, sold);
    uint256 product = uint256(curve.virtualQuote) * curve.virtualToken;
    quote.gross = curve.virtualQuote - Math.ceilDiv(product, curve.virtualToken + tokenIn);
    (quote.protocolFee, quote.creatorFee) = _fees(curve, quote.gross);
    if (quote.protocolFee + quote.creatorFee >= quote.gross) revert ZeroOutput();
    quote.net = quote.gross - quote.protocolFee - quote.creatorFee;
  }

  function _fees(Curve memory curve, uint256 gross) private pure returns (uint256 protocolFee, uint256 creatorFee) {
    protocolFee = Math.ceilDiv(gross * curve.protocolFeeBps, BPS);
    creatorFee = Math.ceilDiv(gross * curve.creatorFeeBps, BPS);
  }

  /**
   * The smallest gross amount whose net is exactly `net`. The first candidate is a lower bound that ignores the
   * rounding of the fees; two round-ups can leave it one unit short. The net never rises by more than one per unit of
   * gross, so stepping up meets the exact value, within a few steps because each fee is at most a tenth.
   */
  function _grossFor(Curve memory curve, uint256 net) private pure returns (uint256 gross) {
    gross = Math.ceilDiv(net * BPS, BPS - curve.protocolFeeBps - curve.creatorFeeBps);
    while (true) {
      (uint256 protocolFee, uint256 creatorFee) = _fees(curve, gross);
      if (gross == net + protocolFee + creatorFee) return gross;
      gross++;
    }
  }
}
