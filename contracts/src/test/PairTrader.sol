// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from '@openzeppelin/contracts/token/ERC20/IERC20.sol';

interface IPair {
  function token0() external view returns (address);
  function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
  function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// Trades at Uniswap V2 pairs without a router, in one transaction with any other calls.
contract PairTrader {
  struct Call {
    address target;
    bytes data;
  }

  function run(Call[] memory calls) public {
    for (uint256 i = 0; i < calls.length; i++) {
      (bool ok, bytes memory result) = calls[i].target.call(calls[i].data);
      if (!ok) {
        assembly {
          revert(add(result, 0x20), mload(result))
        }
      }
    }
  }

  /// Sells the tokens that the pair holds beyond its reserves, from any sender.
  function swapExcess(IPair pair, IERC20 token, address to) external {
    bool isFirst = pair.token0() == address(token);
    (uint256 reserve0, uint256 reserve1, ) = pair.getReserves();
    (uint256 reserveIn, uint256 reserveOut) = isFirst ? (reserve0, reserve1) : (reserve1, reserve0);
    uint256 paid = (token.balanceOf(address(pair)) - reserveIn) * 997;
    uint256 out = (paid * reserveOut) / (reserveIn * 1000 + paid);
    pair.swap(isFirst ? 0 : out, isFirst ? out : 0, to, '');
  }

  /// Borrows from the pair, and makes the calls before the pair looks at what it got back.
  function borrow(IPair pair, uint256 amount0, uint256 amount1, Call[] calldata calls) external {
    pair.swap(amount0, amount1, address(this), abi.encode(calls));
  }

  function uniswapV2Call(address, uint256, uint256, bytes calldata data) external {
    run(abi.decode(data, (Call[])));
  }
}
