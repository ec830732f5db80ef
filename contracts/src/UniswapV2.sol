// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IWrappedNative {
  function deposit() external payable;
  function transfer(address to, uint256 amount) external returns (bool);
}

interface IPairFactory {
  function createPair(address tokenA, address tokenB) external returns (address pair);
}

interface IPair {
  function mint(address to) external returns (uint256 liquidity);
}

/// @dev A Uniswap V2 pair's address follows from its two tokens alone (CREATE2), so it is known before the pair exists.
library PairAddress {
  function compute(address factory, bytes32 initCodeHash, address a, address b) internal pure returns (address) {
    (address token0, address token1) = a < b ? (a, b) : (b, a);
    bytes32 salt = keccak256(abi.encodePacked(token0, token1));
    return address(uint160(uint256(keccak256(abi.encodePacked(hex'ff', factory, salt, initCodeHash)))));
  }
}
