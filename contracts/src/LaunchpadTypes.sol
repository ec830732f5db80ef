// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Status} from './CurveMath.sol';

/// @dev Structs, events and errors of the launchpad.
abstract contract LaunchpadTypes {
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

  struct Terms {
    uint128 targetQuote;
    uint16 protocolFeeBps;
    uint16 creatorFeeBps;
  }

  /// @dev What a creator signs.
  struct Launch {
    string name;
    string symbol;
    string contractURI;
    bytes32 salt; // determines the token's address, together with the creator
    Terms terms; // must be those of new launches, so that a change of them cannot surprise the creator
    uint256 minTokenOut; // of the first buy
    uint256 deadline;
  }

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
  /// The account that graduated the token got this much of the protocol's fees.
  event GraduationBountyPaid(address indexed token, address indexed recipient, uint256 amount);
  /// For each recipient of a payout: the creator, unless the right or a share of the fees is another's.
  event CreatorFeeClaimed(address indexed token, address indexed recipient, uint256 amount);
  /// A recipient did not accept its payout; it can withdraw it.
  event FeesHeld(address indexed recipient, uint256 amount);
  event HeldFeesWithdrawn(address indexed recipient, address indexed to, uint256 amount);
  event FeeRightTransferred(address indexed token, address indexed from, address indexed to);
  /// Empty lists: all goes to the owner of the right.
  event FeeSharesUpdated(address indexed token, address indexed owner, address[] recipients, uint16[] bps);
  event ProtocolFeeClaimed(address indexed recipient, uint256 amount);
  event DefaultsUpdated(uint256 targetQuote, uint16 protocolFeeBps, uint16 creatorFeeBps);
  event FeeRecipientUpdated(address indexed feeRecipient);

  error ContractURILength();
  error CurveClosed(address token);
  error CurveNotCompleted(address token);
  error Expired(uint256 deadline);
  error FeeTooHigh();
  error InvalidFeeShares();
  error InvalidRecipient();
  error NameLength();
  error NotAContract(address account);
  error NothingToClaim();
  error OnlyFeeOwner();
  error OnlyLaunchpad();
  error PairInitCodeHashMismatch();
  error Slippage(uint256 amountOut, uint256 minimum);
  error SaltUsed(address token);
  error SymbolLength();
  error TargetOutOfRange();
  error TermsChanged();
  error TooLittleGas();
  error UnknownToken(address token);
}
