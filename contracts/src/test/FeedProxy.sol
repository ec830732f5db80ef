// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IAggregator {
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80);
}

/// A price feed that reads another contract, its aggregator, which emits AnswerUpdated.
contract FeedProxy {
  address public aggregator;

  constructor(address first) {
    setAggregator(first);
  }

  function setAggregator(address next) public virtual {
    aggregator = next;
  }

  function decimals() external pure returns (uint8) {
    return 8;
  }

  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    return IAggregator(aggregator).latestRoundData();
  }
}

/// It keeps its former aggregators, as Chainlink's EACAggregatorProxy does: each begins a new phase.
contract PhasedFeedProxy is FeedProxy {
  uint16 public phaseId;
  mapping(uint16 phase => address) public phaseAggregators;

  constructor(address first) FeedProxy(first) {}

  function setAggregator(address next) public override {
    super.setAggregator(next);
    phaseId++;
    phaseAggregators[phaseId] = next;
  }
}
