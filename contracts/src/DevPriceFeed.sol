// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from '@openzeppelin/contracts/access/Ownable.sol';

/**
 * @title Price feed for development
 * @notice A price feed with Chainlink's AggregatorV3Interface whose owner sets the answer. For development chains only.
 */
contract DevPriceFeed is Ownable {
  struct Round {
    int256 answer;
    uint256 updatedAt;
  }

  /// @notice Decimals of the answers.
  uint8 public constant decimals = 8;
  /// @notice Version of the feed, as in Chainlink's interface.
  uint256 public constant version = 1;
  /// @notice What the answers are the price of.
  string public description;
  /// @notice Number of the latest answer.
  uint80 public latestRound;
  mapping(uint80 roundId => Round) private _rounds;

  /**
   * @notice The price changed.
   * @param current the answer
   * @param roundId number of the answer
   * @param updatedAt unix seconds
   */
  event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

  /// @notice There is no such round.
  /// @param roundId number of the round
  error NoData(uint80 roundId);

  /**
   * @notice Starts with an answer.
   * @param owner_ sets the answers
   * @param description_ what the answers are the price of
   * @param answer the first answer
   */
  constructor(address owner_, string memory description_, int256 answer) Ownable(owner_) {
    description = description_;
    _set(answer);
  }

  /// @notice Starts a round with a new answer.
  /// @param answer the price, with `decimals` decimals
  function setAnswer(int256 answer) external onlyOwner {
    _set(answer);
  }

  /// @notice The latest round: see getRoundData.
  /// @return roundId, answer, startedAt, updatedAt, answeredInRound
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    return getRoundData(latestRound);
  }

  /**
   * @notice A round.
   * @param id number of the round
   * @return roundId number of the round
   * @return answer the price, with `decimals` decimals
   * @return startedAt unix seconds
   * @return updatedAt unix seconds
   * @return answeredInRound number of the round
   */
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
