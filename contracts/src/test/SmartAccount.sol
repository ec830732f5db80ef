// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from '@openzeppelin/contracts/interfaces/IERC1271.sol';
import {Create2} from '@openzeppelin/contracts/utils/Create2.sol';
import {ECDSA} from '@openzeppelin/contracts/utils/cryptography/ECDSA.sol';

/// A contract wallet that one key owns: it signs by ERC-1271, and its executor (a batcher) may act for it.
contract SmartAccount is IERC1271 {
  address public immutable owner;
  address public executor;

  error NotAllowed();

  constructor(address owner_, address executor_) {
    owner = owner_;
    executor = executor_;
  }

  receive() external payable {}

  function setExecutor(address executor_) external {
    if (msg.sender != owner) revert NotAllowed();
    executor = executor_;
  }

  function execute(address target, uint256 value, bytes calldata data) external payable returns (bytes memory) {
    if (msg.sender != owner && msg.sender != executor) revert NotAllowed();
    (bool ok, bytes memory result) = target.call{value: value}(data);
    if (!ok) {
      assembly {
        revert(add(result, 0x20), mload(result))
      }
    }
    return result;
  }

  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
    (address signer, ECDSA.RecoverError failure, ) = ECDSA.tryRecover(hash, signature);
    return failure == ECDSA.RecoverError.NoError && signer == owner ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
  }
}

/// Deploys accounts at addresses known beforehand, so that an account can sign before it exists (ERC-6492).
contract SmartAccountFactory {
  function create(address owner, address executor, bytes32 salt) external payable returns (address) {
    address existing = addressOf(owner, executor, salt);
    if (existing.code.length > 0) return existing;
    return address(new SmartAccount{salt: salt}(owner, executor));
  }

  function addressOf(address owner, address executor, bytes32 salt) public view returns (address) {
    bytes memory initCode = abi.encodePacked(type(SmartAccount).creationCode, abi.encode(owner, executor));
    return Create2.computeAddress(salt, keccak256(initCode));
  }
}

/// An account whose owner may approve hashes in advance, so that its signature of them is empty. Keys can also delegate to it
/// (EIP-7702) and sign before they have done so (ERC-8010).
contract ApprovalAccount is IERC1271 {
  address public owner;
  mapping(bytes32 hash => bool) public isApproved;

  error NotAllowed();

  function initialize(address owner_) external {
    if (owner != address(0)) revert NotAllowed();
    owner = owner_;
  }

  function approve(bytes32 hash) external {
    if (msg.sender != owner) revert NotAllowed();
    isApproved[hash] = true;
  }

  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
    (address signer, ECDSA.RecoverError failure, ) = ECDSA.tryRecover(hash, signature);
    bool isSigned = failure == ECDSA.RecoverError.NoError && signer == owner;
    return (signature.length == 0 ? isApproved[hash] : isSigned) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
  }
}
