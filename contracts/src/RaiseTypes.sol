// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Follows from the clock and the sums alone, but for Finalized and Cancelled, which somebody has to call.
enum RaiseStatus {
  None,
  Upcoming,
  Registration,
  Active,
  Succeeded, // the minimum is met and time is up, or the maximum is met
  Failed,
  Finalized, // succeeded, and opened to claims and proposals
  Cancelled
}

enum ProposalState {
  None,
  Pending,
  Active,
  Defeated,
  Succeeded,
  Executed,
  Cancelled,
  Expired // passed, and not executed in time
}

/// Rules of a deployment, for all of its raises: they give committers time to see a decision and to leave before it.
struct RaiseRules {
  uint32 minVotingDelay;
  uint32 minVotingPeriod;
  uint32 exitWindow; // between the end of a vote that passed and its execution
  uint32 releasePeriod;
  uint16 releaseBps; // of the remaining commitments; at most this is released within a releasePeriod
}

/// What a creator chooses. Quote amounts are wei, times are unix seconds.
struct RaiseParams {
  address token;
  bool registrationRequired;
  uint16 quorumBps; // of all that was committed
  uint32 votingDelay;
  uint32 votingPeriod;
  uint64 registrationStart; // with registration; otherwise zero
  uint64 startAt; // zero: now. Registration ends here
  uint64 endAt;
  uint128 tokenAmount; // all of it is sold, whatever comes in
  uint128 goalMin;
  uint128 goalMax;
  uint128 walletMin;
  uint128 walletMax; // zero: goalMax
  string title;
  string metadataURI;
}

struct Raise {
  address creator;
  address token;
  bool registrationRequired;
  bool cancelled;
  uint16 quorumBps;
  uint32 votingDelay;
  uint32 votingPeriod;
  uint64 registrationStart;
  uint64 startAt;
  uint64 endAt;
  uint64 finalizedAt;
  uint64 lastReleaseAt; // the finalization, until something is released
  uint64 dissolvedAt;
  uint32 registeredCount;
  uint32 participantCount;
  uint128 tokenAmount;
  uint128 goalMin;
  uint128 goalMax;
  uint128 walletMin;
  uint128 walletMax;
  uint128 totalCommitted;
  uint128 released; // paid out by proposals
  uint128 releasedInPeriod; // since the last pause of a releasePeriod between two releases
  uint128 exitedWeight; // commitments of those who have left
  uint128 exitedAmount; // set aside for them, paid or not
  uint128 refunded;
  uint128 tokensClaimed;
  uint128 tokensReclaimable; // given up by refunds, and not yet fetched for the creator
}

struct Commitment {
  uint128 amount; // the weight in votes, until an exit; a refund leaves it
  bool registered;
  bool claimed;
  bool refunded;
  bool exited;
  uint128 refundDue; // set aside by an exit, or paid by a refund
  uint128 tokensGivenUp; // of the wallet's share, for the money that comes back
}

struct Vote {
  bool cast;
  uint8 support;
}

struct Proposal {
  uint256 raiseId;
  address proposer;
  uint64 voteStart;
  bool executed;
  bool cancelled;
  address recipient; // zero: a proposal to dissolve the raise
  uint64 voteEnd;
  uint128 amount;
  uint128 quorum;
  uint128 forVotes;
  uint128 againstVotes;
  uint128 abstainVotes;
  uint128 totalWeight; // of all remaining committers when it was proposed: the amount shrinks with what remains of it
  uint64 executableAt;
  uint64 expiresAt;
}
