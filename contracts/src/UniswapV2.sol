// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice The wrapped native coin (WETH9).
interface IWrappedNative {
  /// @notice Wraps the value sent for the caller.
  function deposit() external payable;
  /**
   * @notice Sends wrapped coins of the caller.
   * @param to account that gets them
   * @param amount wei
   * @return whether it succeeded
   */
  function transfer(address to, uint256 amount) external returns (bool);
}

/// @notice The Uniswap V2 factory.
interface IPairFactory {
  /**
   * @notice Creates the pair of two tokens.
   * @param tokenA one token
   * @param tokenB the other token
   * @return pair address of the pair
   */
  function createPair(address tokenA, address tokenB) external returns (address pair);
}

/// @notice A Uniswap V2 pair.
interface IPair {
  /**
   * @notice Mints LP shares for what was sent to the pair before.
   * @param to account that gets the shares
   * @return liquidity LP shares
   */
  function mint(address to) external returns (uint256 liquidity);
}

/// @notice Address of a Uniswap V2 pair.
/// @dev It follows from the two tokens alone (CREATE2), so it is known before the pair exists.
library PairAddress {
  function compute(address factory, bytes32 initCodeHash, address a, address b) internal pure returns (address) {
    (address token0, address token1) = a < b ? (a, b) : (b, a);
    bytes32 salt = keccak256(abi.encodePacked(token0, token1));
    return address(uint160(uint256(keccak256(abi.encodePacked(hex'ff', factory, salt, initCodeHash)))));
  }
}
