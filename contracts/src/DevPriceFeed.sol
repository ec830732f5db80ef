// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from '@openzeppelin/contracts/access/Ownable.sol';

/// A price feed with Chainlink's AggregatorV3Interface whose owner sets the answer. For development chains only.
contract DevPriceFeed is Ownable {
  struct Round {
    int256 answer;
    uint256 updatedAt;
  }

  uint8 public constant decimals = 8;
  uint256 public constant version = 1;
  string public description;
  uint80 public latestRound;
  mapping(uint80 roundId => Round) private _rounds;

  event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

  error NoData(uint80 roundId);

  constructor(address owner_, string memory description_, int256 answer) Ownable(owner_) {
    description = description_;
    _set(answer);
  }

  function setAnswer(int256 answer) external onlyOwner {
    _set(answer);
  }

  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    return getRoundData(latestRound);
  }

  function getRoundData(
    uint80 id
  ) public view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound) {
    Round memory round = _rounds[id];
    if (round.updatedAt == 0) revert NoData(id);
    return (id, round.answer, round.updatedAt, round.updatedAt, id);
  }

  function _set(int256 answer) private {
    latestRound++;
    _rounds[latestRound] = Round(answer, block.timestamp);
    emit AnswerUpdated(answer, latestRound, block.timestamp);
  }
}
