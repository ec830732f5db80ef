import { type Abi, type Hex, toEventSelector } from 'viem'
import { erc20Abi } from '../chain/abi/erc20.ts'
import { feeStakingAbi } from '../chain/abi/fee-staking.ts'
import { launchTokenAbi } from '../chain/abi/launch-token.ts'
import { launchpadAbi } from '../chain/abi/launchpad.ts'
import { priceFeedAbi } from '../chain/abi/price-feed.ts'
import { raisesAbi } from '../chain/abi/raises.ts'
import { uniswapV2PairAbi } from '../chain/abi/uniswap-v2-pair.ts'

/*
 * topic0 of every event that has to be indexed, from the ABIs: the audit takes no list from the indexer, whose omission
 * it could not find.
 */

function topicOf(abi: Abi, name: string): Hex {
  const event = abi.find((item) => item.type === 'event' && item.name === name)
  if (event?.type !== 'event') throw new Error(`The ABI has no event ${name}`)
  return toEventSelector(event)
}

const listTopics = (abi: Abi, ...names: string[]): Hex[] => names.map((name) => topicOf(abi, name))

export const transferTopic = topicOf(erc20Abi, 'Transfer')
export const syncTopic = topicOf(uniswapV2PairAbi, 'Sync')
export const uriTopic = topicOf(launchTokenAbi, 'ContractURIUpdated')
const swapTopic = topicOf(uniswapV2PairAbi, 'Swap')
export const answerTopic = topicOf(priceFeedAbi, 'AnswerUpdated')

/** Of the configured contracts. */
export const configuredTopics: Hex[] = [
  ...listTopics(
    launchpadAbi,
    'CurveCreate',
    'CurveBuy',
    'CurveSell',
    'CurveCompleted',
    'CurveGraduate',
    'CreatorFeeClaimed',
    'FeeRightTransferred',
    'FeeSharesUpdated',
  ),
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

/** Of launched tokens and of pools. */
export const createdTopics: Hex[] = [transferTopic, uriTopic, syncTopic, swapTopic]
