// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A stand-in for the factory of PancakeSwap V3, for pools of its published code with a fee of 1 %, whose ticks are 200 apart. The
/// package of its contracts lacks the deployer that its factory uses.
contract PancakeV3Deployer {
  struct Parameters {
    address factory;
    address token0;
    address token1;
    uint24 fee;
    int24 tickSpacing;
  }

  error NotDeployed();

  bytes private poolCode;
  /// A pool asks for them when it is created.
  Parameters public parameters;

  constructor(bytes memory poolCode_) {
    poolCode = poolCode_;
  }

  function createPool(address tokenA, address tokenB, uint24 fee) external returns (address pool) {
    (address token0, address token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
    parameters = Parameters(address(this), token0, token1, fee, 200);
    bytes memory code = poolCode;
    bytes32 salt = keccak256(abi.encode(token0, token1, fee));
    assembly ('memory-safe') {
      pool := create2(0, add(code, 32), mload(code), salt)
    }
    if (pool == address(0)) revert NotDeployed();
  }
}
