// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Status} from './CurveMath.sol';

/// @notice Structs, events and errors of the launchpad.
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

  /**
   * @notice A token was launched.
   * @param token the clone
   * @param creator wallet that launched it
   * @param quoteToken zero: the native coin
   * @param name name of the token
   * @param symbol symbol of the token
   * @param contractURI address of its metadata (ERC-7572)
   * @param totalSupply all base units there are
   * @param virtualQuote virtual wei of the curve
   * @param virtualToken virtual base units of the curve
   * @param targetQuote wei that complete the curve
   * @param protocolFeeBps share of the protocol in each trade, in basis points
   * @param creatorFeeBps share of the creator in each trade, in basis points
   */
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
  /**
   * @notice Tokens were bought from a curve. Reserves are those after the trade.
   * @param token bought token
   * @param trader account that paid
   * @param recipient account that got the tokens
   * @param quoteIn all that the trader paid, fees included, after any refund
   * @param tokenOut base units that were bought
   * @param protocolFee wei for the protocol
   * @param creatorFee wei for the creator
   * @param virtualQuote virtual wei of the curve, which set the price
   * @param virtualToken virtual base units of the curve, which set the price
   * @param realQuote wei that the curve holds
   * @param realToken base units that the curve has for sale
   */
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
  /**
   * @notice Tokens were sold to a curve. Reserves are those after the trade.
   * @param token sold token
   * @param trader account that sold
   * @param recipient account that got the coins
   * @param tokenIn base units that were sold
   * @param quoteOut what the recipient got, after fees
   * @param protocolFee wei for the protocol
   * @param creatorFee wei for the creator
   * @param virtualQuote virtual wei of the curve, which set the price
   * @param virtualToken virtual base units of the curve, which set the price
   * @param realQuote wei that the curve holds
   * @param realToken base units that the curve has for sale
   */
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
  /**
   * @notice A curve reached its target, and trades no more.
   * @param token token of the curve
   * @param realQuote wei for the pair
   * @param realToken base units that the curve still has for sale: none
   */
  event CurveCompleted(address indexed token, uint256 realQuote, uint256 realToken);
  /**
   * @notice The liquidity of a completed curve was moved into its pair.
   * @param token graduated token
   * @param pool the token's pair
   * @param quoteLiquidity wei that the curve paid in; coins that others had put into the pair beforehand come on top
   * @param tokenLiquidity base units that were paid in
   * @param lpBurned LP shares that were minted to BURN_ADDRESS
   */
  event CurveGraduate(
    address indexed token,
    address indexed pool,
    uint256 quoteLiquidity,
    uint256 tokenLiquidity,
    uint256 lpBurned
  );
  /**
   * @notice The account that graduated the token was paid out of the protocol's fees.
   * @param token graduated token
   * @param recipient account that graduated it
   * @param amount wei
   */
  event GraduationBountyPaid(address indexed token, address indexed recipient, uint256 amount);
  /**
   * @notice For each recipient of a payout: the creator, unless the right or a share of the fees is another's.
   * @param token token that earned the fees
   * @param recipient account that is paid
   * @param amount wei
   */
  event CreatorFeeClaimed(address indexed token, address indexed recipient, uint256 amount);
  /**
   * @notice A recipient did not accept its payout; it can withdraw it.
   * @param recipient account whose coins are held
   * @param amount wei that were added
   */
  event FeesHeld(address indexed recipient, uint256 amount);
  /**
   * @notice A recipient withdrew what it had not accepted.
   * @param recipient account whose coins were held
   * @param to account that got them
   * @param amount wei
   */
  event HeldFeesWithdrawn(address indexed recipient, address indexed to, uint256 amount);
  /**
   * @notice The right to a token's later fees changed hands.
   * @param token token that earns the fees
   * @param from former owner of the right
   * @param to new owner of the right
   */
  event FeeRightTransferred(address indexed token, address indexed from, address indexed to);
  /**
   * @notice The split of a token's later payouts changed. Empty lists: all goes to the owner of the right.
   * @param token token that earns the fees
   * @param owner owner of the right
   * @param recipients accounts that share the payouts
   * @param bps basis points of each
   */
  event FeeSharesUpdated(address indexed token, address indexed owner, address[] recipients, uint16[] bps);
  /**
   * @notice The protocol's fees were paid.
   * @param recipient the fee recipient
   * @param amount wei
   */
  event ProtocolFeeClaimed(address indexed recipient, uint256 amount);
  /**
   * @notice The terms of the next launches changed.
   * @param targetQuote wei that complete a curve
   * @param protocolFeeBps share of the protocol in each trade, in basis points
   * @param creatorFeeBps share of the creator in each trade, in basis points
   */
  event DefaultsUpdated(uint256 targetQuote, uint16 protocolFeeBps, uint16 creatorFeeBps);
  /// @notice The protocol's fees have another recipient.
  /// @param feeRecipient the new one
  event FeeRecipientUpdated(address indexed feeRecipient);

  /// @notice The address of the metadata is longer than 512 bytes.
  error ContractURILength();
  /// @notice The curve trades no more: it is completed or graduated.
  /// @param token token of the curve
  error CurveClosed(address token);
  /// @notice The curve has not reached its target, or graduated before.
  /// @param token token of the curve
  error CurveNotCompleted(address token);
  /// @notice The deadline of the call has passed.
  /// @param deadline last second in which it was valid
  error Expired(uint256 deadline);
  /// @notice Both fees together exceed MAX_FEE_BPS.
  error FeeTooHigh();
  /// @notice Too many shares, lists of different lengths, a share of zero, or a sum other than 10,000.
  error InvalidFeeShares();
  /// @notice The recipient is zero or the launchpad.
  error InvalidRecipient();
  /// @notice The name is empty or longer than 64 bytes.
  error NameLength();
  /// @notice An address that must have code has none.
  /// @param account the address
  error NotAContract(address account);
  /// @notice No coins are due.
  error NothingToClaim();
  /// @notice The caller does not own the right to the token's fees.
  error OnlyFeeOwner();
  /// @notice Only the launchpad may call this function of its own.
  error OnlyLaunchpad();
  /// @notice The factory creates pairs at other addresses than the hash yields.
  error PairInitCodeHashMismatch();
  /**
   * @notice The trade yields less than the caller accepts.
   * @param amountOut what it would yield
   * @param minimum least that the caller accepts
   */
  error Slippage(uint256 amountOut, uint256 minimum);
  /// @notice The creator has launched a token with this salt before.
  /// @param token the earlier token
  error SaltUsed(address token);
  /// @notice The symbol is empty or longer than 16 bytes.
  error SymbolLength();
  /// @notice The target is not from MIN_TARGET to MAX_TARGET.
  error TargetOutOfRange();
  /// @notice The terms of new launches are not those that the creator signed.
  error TermsChanged();
  /// @notice The gas does not suffice for the payouts.
  error TooLittleGas();
  /// @notice The token was not launched here.
  /// @param token the token
  error UnknownToken(address token);
}
