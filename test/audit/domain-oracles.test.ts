import t from 'tap'
import type { Hex } from 'viem'
import { type IsFirst, makeExpected } from '../../audit/expected.ts'
import { expectRaisesLogs } from '../../audit/raises-oracle.ts'
import { expectStakingLogs } from '../../audit/staking-oracle.ts'
import { encodeEvent, type HostileDomain } from '../support/hostile/logs.ts'
import { ann, blockOf, bob, carl, launchpad, router, TX, token, toLogs } from './support/logs.ts'

const POSITION = { block_number: 100, log_index: 5, block_time: 1_790_000_000, tx_hash: TX }
const CREATED = { created_block: 100, created_log: 5, created_at: 1_790_000_000, tx_hash: TX }
const compute = { raises: expectRaisesLogs, staking: expectStakingLogs, launchpad: expectRaisesLogs }
type Event = [name: string, args: Record<string, unknown>]

/** The rows expected of events of one contract, the first of which has index 5 in block 100. */
function expectRows(
  domain: HostileDomain,
  events: Event[],
  { isFirst = () => true, emitter = router }: { isFirst?: IsFirst; emitter?: Hex } = {},
) {
  const out = makeExpected()
  const logs = toLogs(events.map(([name, args]) => [emitter, encodeEvent(domain, name, args)]))
  compute[domain](out, blockOf(logs), new Set([router]), isFirst)
  return out
}

const NO_SUMS = {
  ...{ amount: null, total: null, wallet_total: null, participant_count: null, tokens_returned: null },
  ...{ exited_weight: null, tokens_given_up: null },
  ...{ support: null, for_votes: null, against_votes: null, abstain_votes: null },
}

const params = {
  ...{ token, registrationRequired: true, quorumBps: 500, votingDelay: 1, votingPeriod: 2, registrationStart: 3n },
  ...{ startAt: 4n, endAt: 5n, tokenAmount: 60n, goalMin: 7n, goalMax: 8n, walletMin: 9n, walletMax: 10n },
  ...{ title: ' A title ', metadataURI: 'ipfs://raise' },
}
const rules = { minVotingDelay: 1, minVotingPeriod: 2, exitWindow: 3, releasePeriod: 4, releaseBps: 5 }
const raiseCreated: Event = ['RaiseCreated', { raiseId: 3n, creator: ann, token, params, rules }]
const proposed: Event = [
  'ProposalCreated',
  {
    ...{
      proposalId: 4n,
      raiseId: 3n,
      proposer: bob,
      amount: 30n,
      recipient: carl,
      title: 'Pay',
      descriptionURI: 'ipfs://p',
    },
    ...{ voteStart: 1n, voteEnd: 2n, quorum: 3n, totalWeight: 4n, executableAt: 5n, expiresAt: 6n },
  },
]

t.test('each event of a raise has its kind, its actor and its sums', async (t) => {
  const [raiseId, proposalId] = [3n, 4n]
  const cases: [event: Event, expected: object][] = [
    [raiseCreated, { kind: 'raise_create', wallet: ann, amount: 60n }],
    [['Registered', { raiseId, wallet: ann, registeredCount: 9n }], { kind: 'register', wallet: ann, total: 9n }],
    [
      ['Committed', { raiseId, wallet: ann, amount: 1n, walletTotal: 2n, totalCommitted: 3n, participantCount: 4n }],
      { kind: 'commit', wallet: ann, amount: 1n, wallet_total: 2n, total: 3n, participant_count: 4n },
    ],
    [
      ['Finalized', { raiseId, caller: bob, status: 3, totalCommitted: 5n }],
      { kind: 'finalize', wallet: bob, total: 5n },
    ],
    [['Cancelled', { raiseId, creator: ann, totalCommitted: 5n }], { kind: 'cancel_raise', wallet: ann, total: 5n }],
    [
      ['Claimed', { raiseId, wallet: bob, tokenAmount: 6n, tokensClaimed: 7n }],
      { kind: 'claim_raise', wallet: bob, amount: 6n, total: 7n },
    ],
    [
      ['Refunded', { raiseId, wallet: bob, amount: 6n, tokensReturned: 7n, totalRefunded: 8n }],
      { kind: 'refund', wallet: bob, amount: 6n, tokens_returned: 7n, total: 8n },
    ],
    [
      ['TokensReclaimed', { raiseId, creator: ann, tokenAmount: 6n }],
      { kind: 'reclaim_tokens', wallet: ann, amount: 6n },
    ],
    [['Dissolved', { raiseId, caller: bob, escrow: 6n }], { kind: 'dissolve', wallet: bob, amount: 6n }],
    [proposed, { kind: 'propose', wallet: bob, recipient: carl, amount: 30n, proposal: `${router}-4` }],
    [
      [
        'VoteCast',
        { proposalId, raiseId, voter: ann, support: 2, weight: 1n, forVotes: 2n, againstVotes: 3n, abstainVotes: 4n },
      ],
      {
        ...{ kind: 'vote', wallet: ann, proposal: `${router}-4`, support: 2, amount: 1n },
        ...{ for_votes: 2n, against_votes: 3n, abstain_votes: 4n },
      },
    ],
    [
      [
        'Exited',
        { raiseId, proposalId, wallet: bob, amount: 1n, tokensGivenUp: 2n, exitedWeight: 3n, exitedAmount: 4n },
      ],
      {
        ...{ kind: 'exit', wallet: bob, proposal: `${router}-4`, amount: 1n },
        ...{ tokens_given_up: 2n, exited_weight: 3n, total: 4n },
      },
    ],
    [
      ['ProposalExecuted', { proposalId, raiseId, caller: ann, amount: 1n, recipient: carl, released: 2n }],
      { kind: 'execute', wallet: ann, recipient: carl, proposal: `${router}-4`, amount: 1n, total: 2n },
    ],
    [
      ['ProposalCancelled', { proposalId, raiseId, proposer: ann }],
      { kind: 'cancel_proposal', wallet: ann, proposal: `${router}-4` },
    ],
  ]
  for (const [event, expected] of cases) {
    const { raiseEvents, actions } = expectRows('raises', [event])
    const row = { ...POSITION, raise: `${router}-3`, proposal: null, recipient: null, ...NO_SUMS, ...expected }
    t.strictSame([...raiseEvents], [['100/5', row]], event[0])
    const { kind, wallet } = row as unknown as { kind: string; wallet: string }
    t.strictSame([...actions], [['100/5', { ...POSITION, type: kind, wallet, subject: `${router}-3` }]])
  }
})

t.test('the creation of a raise and of a proposal sets its columns', async (t) => {
  const out = expectRows('raises', [raiseCreated, proposed])
  t.strictSame(
    [...out.raises],
    [[`${router}-3`, { contract: router, number: 3n, title: 'A title', metadata_uri: 'ipfs://raise', ...CREATED }]],
  )
  const texts = { title: 'Pay', description_uri: 'ipfs://p' }
  t.strictSame(
    [...out.raiseProposals],
    [[`${router}-4`, { contract: router, number: 4n, ...texts, ...CREATED, created_log: 6 }]],
  )
})

t.test('a raise and a proposal are created once', async (t) => {
  const asked: [readonly string[], string][] = []
  const isFirst = (...given: [makes: readonly string[], key: string]) => {
    asked.push(given)
    return false
  }
  const registered: Event = ['Registered', { raiseId: 3n, wallet: ann, registeredCount: 9n }]
  const cancelled: Event = ['ProposalCancelled', { proposalId: 4n, raiseId: 3n, proposer: ann }]
  const out = expectRows('raises', [raiseCreated, proposed, registered, cancelled], { isFirst })
  t.strictSame(asked, [
    [[`raise_create ${router}-3`], '100/5'],
    [[`propose ${router}-4`], '100/6'],
  ])
  t.strictSame([[...out.raiseEvents.keys()], out.raises.size, out.raiseProposals.size], [['100/7', '100/8'], 0, 0])
  t.equal(expectRows('raises', [registered], { emitter: launchpad }).raiseEvents.size, 0, 'of another contract')
})

const sums = {
  ...{ amount: 1n, staked: 2n, totalStaked: 3n, pendingUnstake: 4n, withdrawableAt: 5n, rewards: 6n },
  ...{ rewardRate: 7n, rewardPerToken: 8n, lastUpdateTime: 9n, periodFinish: 10n },
}
const columns = {
  ...{ amount: 1n, staked: 2n, total_staked: 3n, pending_unstake: 4n, withdrawable_at: 5n, rewards: 6n },
  ...{ reward_rate: 7n, reward_per_token: 8n, last_update_time: 9n, period_finish: 10n, total_funded: null },
}

t.test('each event of a staking pool has its kind, its wallet and its sums', async (t) => {
  const kinds = { Staked: 'stake', UnstakeRequested: 'unstake', Withdrawn: 'withdraw', RewardPaid: 'claim' }
  const check = (event: Event, kind: string, expected: object) => {
    const { stakingEvents, actions } = expectRows('staking', [event])
    t.strictSame([...stakingEvents], [['100/5', { ...POSITION, pool: `${router}-2`, kind, ...expected }]], kind)
    const { wallet } = expected as { wallet: string }
    t.strictSame([...actions], [['100/5', { ...POSITION, type: kind, wallet, subject: `${router}-2` }]])
  }
  for (const [name, kind] of Object.entries(kinds))
    check([name, { poolId: 2n, account: ann, ...sums }], kind, { wallet: ann, ...columns })
  const none = { staked: null, pending_unstake: null, withdrawable_at: null, rewards: null }
  check(['Funded', { poolId: 2n, funder: bob, ...sums, totalFunded: 11n }], 'fund', {
    ...{ wallet: bob, ...columns, ...none, total_funded: 11n },
  })
})

t.test('events that have no meaning for the service count for nothing', async (t) => {
  const moved: Event = ['OwnershipTransferred', { previousOwner: ann, newOwner: bob }]
  const { stakingEvents, actions } = expectRows('staking', [moved])
  t.strictSame([stakingEvents.size, actions.size], [0, 0])
  const fees: Event = ['ProtocolFeeClaimed', { recipient: ann, amount: 1n }]
  t.equal(expectRows('launchpad', [fees]).raiseEvents.size, 0, 'of another domain')
})

t.test('a staking pool is created once', async (t) => {
  const created: Event = [
    'PoolCreated',
    { poolId: 2n, stakingToken: ann, rewardToken: bob, cooldownSeconds: 60n, periodSeconds: 120n },
  ]
  const { stakingPools, actions } = expectRows('staking', [created])
  const assets = { staking_token: ann, reward_token: bob, cooldown_seconds: 60n, period_seconds: 120n }
  t.strictSame([...stakingPools], [[`${router}-2`, { contract: router, number: 2n, ...assets, ...CREATED }]])
  t.equal(actions.size, 0)
  const asked: unknown[] = []
  const isFirst = (...given: [makes: readonly string[], key: string]) => {
    asked.push(given)
    return false
  }
  t.equal(expectRows('staking', [created], { isFirst }).stakingPools.size, 0)
  t.strictSame(asked, [[[`staking pool ${router}-2`], '100/5']])
  t.equal(expectRows('staking', [created], { emitter: launchpad }).stakingPools.size, 0, 'of another contract')
})
