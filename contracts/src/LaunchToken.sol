// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from '@openzeppelin/contracts/token/ERC20/ERC20.sol';
import {ERC20Permit} from '@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol';

interface ITokenLaunchpad {
  function pairFor(address token) external view returns (address);
}

/// A launched token: fixed supply, minted to the launchpad that deploys it, with ERC-7572 metadata.
contract LaunchToken is ERC20Permit {
  address public immutable launchpad;
  address public immutable creator;
  address public immutable pair;
  bool public poolOpen;
  string private _contractURI;

  /// ERC-7572.
  event ContractURIUpdated();

  error OnlyLaunchpad();
  error OnlyCreator();
  error PoolNotOpen();
  error TransferToLaunchpad();
  error ContractURILength();

  constructor(
    string memory name_,
    string memory symbol_,
    string memory contractURI_,
    address creator_,
    uint256 supply
  ) ERC20(name_, symbol_) ERC20Permit(_domainName(name_, symbol_)) {
    launchpad = msg.sender;
    creator = creator_;
    pair = ITokenLaunchpad(msg.sender).pairFor(address(this));
    _contractURI = contractURI_;
    _mint(msg.sender, supply);
  }

  function contractURI() external view returns (string memory) {
    return _contractURI;
  }

  function setContractURI(string calldata uri) external {
    if (msg.sender != creator) revert OnlyCreator();
    if (bytes(uri).length > 512) revert ContractURILength();
    _contractURI = uri;
    emit ContractURIUpdated();
  }

  /// Lifts the ban on the pair. The launchpad calls it once, in the transaction that funds the pool.
  function openPool() external {
    if (msg.sender != launchpad) revert OnlyLaunchpad();
    poolOpen = true;
  }

  /**
   * The name under which permits are signed. It is the token's name, as wallets expect, where that fits the 31 bytes
   * that an EIP-712 domain of OpenZeppelin holds, otherwise the symbol, which always does. `eip712Domain()` (ERC-5267)
   * tells which.
   */
  function _domainName(string memory name_, string memory symbol_) private pure returns (string memory) {
    return bytes(name_).length < 32 ? name_ : symbol_;
  }

  /**
   * Until graduation no token may enter the future pair. Anyone can create that pair early, and a caller who could put
   * tokens into it would mint its first LP shares, set a false opening price and own a part of the pool that the curve
   * pays for. Without tokens the pair cannot mint or swap, so whatever else is done to it (creating it,
   * sending it wrapped coins, syncing them into its reserves) only adds to the liquidity that is burnt.
   * Nor may tokens be sent to the launchpad by mistake: it would hold them with no way to give them back.
   */
  function _update(address from, address to, uint256 value) internal override {
    if (to == pair) {
      if (!poolOpen) revert PoolNotOpen();
    } else if (to == launchpad && msg.sender != launchpad) {
      revert TransferToLaunchpad();
    }
    super._update(from, to, value);
  }
}
