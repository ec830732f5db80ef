// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC5267} from '@openzeppelin/contracts/interfaces/IERC5267.sol';
import {ERC20} from '@openzeppelin/contracts/token/ERC20/ERC20.sol';
import {IERC20Permit} from '@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol';
import {Nonces} from '@openzeppelin/contracts/utils/Nonces.sol';
import {ECDSA} from '@openzeppelin/contracts/utils/cryptography/ECDSA.sol';
import {MessageHashUtils} from '@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol';
import {PairAddress} from './UniswapV2.sol';

/**
 * @title A launched token
 * @notice Fixed supply, permits (EIP-2612) and ERC-7572 metadata. Each token is a minimal clone (EIP-1167) of the one
 * that its launchpad deployed, so immutables hold for all tokens of a launchpad and storage for one of them.
 */
contract LaunchToken is ERC20, IERC20Permit, IERC5267, Nonces {
  using PairAddress for address;

  bytes32 private constant PERMIT_TYPEHASH =
    // solhint-disable-next-line gas-small-strings
    keccak256('Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)');
  string private constant VERSION = '1';
  /// @dev ERC-5267: name, version, chain id and verifying contract.
  bytes1 private constant DOMAIN_FIELDS = hex'0f';

  /// @notice Contract that launched the token.
  address public immutable launchpad;
  address private immutable _weth;
  address private immutable _factory;
  bytes32 private immutable _pairInitCodeHash;

  // One slot: both are unset until initialize.
  /// @notice Wallet that launched the token.
  address public creator;
  /// @notice Whether tokens may enter the pair: since graduation.
  bool public poolOpen;
  string private _tokenName;
  string private _tokenSymbol;
  string private _contractURI;

  /// @notice The metadata of the token changed (ERC-7572).
  event ContractURIUpdated();

  /// @notice The token has its texts and its supply.
  error AlreadyInitialized();
  /// @notice Only the launchpad may call this function.
  error OnlyLaunchpad();
  /// @notice Only the creator may call this function.
  error OnlyCreator();
  /// @notice No token may enter the pair before graduation.
  error PoolNotOpen();
  /// @notice The launchpad takes tokens by `sell` alone.
  error TransferToLaunchpad();
  /// @notice The address of the metadata is longer than 512 bytes.
  error ContractURILength();
  /// @notice The deadline of the permit has passed.
  /// @param deadline last second in which it was valid
  error ERC2612ExpiredSignature(uint256 deadline);
  /**
   * @notice Another account than the owner signed the permit.
   * @param signer account that signed
   * @param owner account whose tokens are meant
   */
  error ERC2612InvalidSigner(address signer, address owner);

  /**
   * @notice The launchpad deploys it.
   * @dev The implementation itself can never be initialized: it has a creator.
   * @param weth wrapped native coin
   * @param factory Uniswap V2 factory
   * @param pairInitCodeHash hash of the pair's creation code
   */
  constructor(address weth, address factory, bytes32 pairInitCodeHash) ERC20('', '') {
    launchpad = msg.sender;
    _weth = weth;
    _factory = factory;
    _pairInitCodeHash = pairInitCodeHash;
    creator = msg.sender;
  }

  /**
   * @notice Gives a new clone its texts and mints the supply to the launchpad, which does it in the call that creates
   * the clone.
   * @param name_ name of the token
   * @param symbol_ symbol of the token
   * @param contractURI_ address of its metadata (ERC-7572)
   * @param creator_ wallet that launched it
   * @param supply base units to mint
   */
  function initialize(
    string calldata name_,
    string calldata symbol_,
    string calldata contractURI_,
    address creator_,
    uint256 supply
  ) external {
    if (msg.sender != launchpad) revert OnlyLaunchpad();
    if (creator != address(0)) revert AlreadyInitialized();
    creator = creator_;
    _tokenName = name_;
    _tokenSymbol = symbol_;
    _contractURI = contractURI_;
    _mint(msg.sender, supply);
  }

  /// @notice Name of the token.
  /// @return up to 64 bytes
  function name() public view override returns (string memory) {
    return _tokenName;
  }

  /// @notice Symbol of the token.
  /// @return up to 16 bytes
  function symbol() public view override returns (string memory) {
    return _tokenSymbol;
  }

  /// @notice Address of the metadata (ERC-7572).
  /// @return up to 512 bytes
  function contractURI() external view returns (string memory) {
    return _contractURI;
  }

  /// @notice Sets the address of the metadata. Only the creator may call it.
  /// @param uri up to 512 bytes
  function setContractURI(string calldata uri) external {
    if (msg.sender != creator) revert OnlyCreator();
    if (bytes(uri).length > 512) revert ContractURILength();
    _contractURI = uri;
    emit ContractURIUpdated();
  }

  /// @notice The token's pair with the wrapped coin, whether it exists or not.
  /// @return address of the pair (CREATE2)
  function pair() public view returns (address) {
    return _factory.compute(_pairInitCodeHash, _weth, address(this));
  }

  /// @notice Lifts the ban on the pair. The launchpad calls it once, in the transaction that funds the pool.
  function openPool() external {
    if (msg.sender != launchpad) revert OnlyLaunchpad();
    poolOpen = true;
  }

  /**
   * @notice Moves tokens of a seller to the launchpad without an allowance. The launchpad calls it in `sell` alone, for
   * the wallet that called `sell`.
   * @param seller wallet that sells
   * @param amount base units
   */
  function pull(address seller, uint256 amount) external {
    if (msg.sender != launchpad) revert OnlyLaunchpad();
    _transfer(seller, msg.sender, amount);
  }

  /// @inheritdoc IERC20Permit
  function permit(
    address owner,
    address spender,
    uint256 value,
    uint256 deadline,
    uint8 v,
    bytes32 r,
    bytes32 s
  ) external {
    if (block.timestamp > deadline) revert ERC2612ExpiredSignature(deadline);
    bytes32 hash = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, _useNonce(owner), deadline));
    address signer = ECDSA.recover(MessageHashUtils.toTypedDataHash(DOMAIN_SEPARATOR(), hash), v, r, s);
    if (signer != owner) revert ERC2612InvalidSigner(signer, owner);
    _approve(owner, spender, value);
  }

  /**
   * @notice Number that the next permit of an account must have.
   * @param owner account whose tokens are meant
   * @return the number of permits so far
   */
  function nonces(address owner) public view override(IERC20Permit, Nonces) returns (uint256) {
    return super.nonces(owner);
  }

  /**
   * @notice Hash of the domain in which permits are signed (EIP-712).
   * @dev Of the clone and its name. OpenZeppelin's EIP712 keeps the name in immutables, which clones share.
   * @return the hash
   */
  function DOMAIN_SEPARATOR() public view returns (bytes32) { // solhint-disable-line func-name-mixedcase
    return
      MessageHashUtils.toDomainSeparator(DOMAIN_FIELDS, name(), VERSION, block.chainid, address(this), bytes32(0));
  }

  /// @inheritdoc IERC5267
  function eip712Domain()
    external
    view
    returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
  {
    return (DOMAIN_FIELDS, name(), VERSION, block.chainid, address(this), bytes32(0), new uint256[](0));
  }

  /**
   * Until graduation no token may enter the future pair. Anyone can create that pair early, and a caller who could put
   * tokens into it would mint its first LP shares, set a false opening price and own a part of the pool that the curve
   * pays for. Without tokens the pair cannot mint or swap, so whatever else is done to it (creating it,
   * sending it wrapped coins, syncing them into its reserves) only adds to the liquidity that is burnt.
   * Nor may tokens be sent to the launchpad by mistake: it would hold them with no way to give them back.
   */
  function _update(address from, address to, uint256 value) internal override {
    // Computing the pair costs less than reading a slot that says whether it is open.
    if (to == pair()) {
      if (!poolOpen) revert PoolNotOpen();
    } else if (to == launchpad && msg.sender != launchpad) {
      revert TransferToLaunchpad();
    }
    super._update(from, to, value);
  }
}
