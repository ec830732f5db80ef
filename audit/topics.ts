import type { Hex } from 'viem'
import { erc20Abi } from '../chain/abi/erc20.ts'
import { feeStakingAbi } from '../chain/abi/fee-staking.ts'
import { launchTokenAbi } from '../chain/abi/launch-token.ts'
import { priceFeedAbi } from '../chain/abi/price-feed.ts'
import { raisesAbi } from '../chain/abi/raises.ts'
import { auditedLaunchpads } from './launchpads/index.ts'
import { listTopics, topicOf } from './topics-of.ts'
import { auditedVenues } from './venues/index.ts'

/*
 * topic0 of every event that has to be indexed, from the ABIs: the audit takes no list from the indexer, whose omission
 * it could not find.
 */

export const transferTopic = topicOf(erc20Abi, 'Transfer')
export const uriTopic = topicOf(launchTokenAbi, 'ContractURIUpdated')
export const answerTopic = topicOf(priceFeedAbi, 'AnswerUpdated')

/** topic0 of the events of configured contracts. */
export const configuredTopics: Hex[] = [
  ...Object.values(auditedLaunchpads).flatMap(({ topics }) => topics),
  ...Object.values(auditedVenues).flatMap(({ shared }) => (shared && !shared.holdsPools ? shared.topics : [])),
  ...listTopics(feeStakingAbi, 'PoolCreated', 'Staked', 'UnstakeRequested', 'Withdrawn', 'RewardPaid', 'Funded'),
  ...listTopics(
    raisesAbi,
    'RaiseCreated',
    'Registered',
    'Committed',
    'Finalized',
    'Cancelled',
    'Claimed',
    'Refunded',
    'TokensReclaimed',
    'Dissolved',
    'ProposalCreated',
    'VoteCast',
    'Exited',
    'ProposalExecuted',
    'ProposalCancelled',
  ),
  answerTopic,
]

/** topic0 of the events of launched tokens, and of pools that are contracts. */
export const createdTopics: Hex[] = [
  ...[transferTopic, uriTopic],
  ...new Set(Object.values(auditedVenues).flatMap(({ shared, topics }) => (shared?.holdsPools ? [] : topics))),
]

/** topic0 of the events of pools that other contracts hold. */
export const heldTopics: Hex[] = Object.values(auditedVenues).flatMap(({ shared, topics }) =>
  shared?.holdsPools ? topics : [],
)
