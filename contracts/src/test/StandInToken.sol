// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from '@openzeppelin/contracts/token/ERC20/ERC20.sol';

/// The token of a stand-in launchpad, which gets the whole supply.
contract StandInToken is ERC20 {
  constructor(string memory name, string memory symbol, uint256 supply) ERC20(name, symbol) {
    _mint(msg.sender, supply);
  }
}
