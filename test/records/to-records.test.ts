import t from 'tap'
import type { AlertRow } from '../../db/queries/alerts.ts'
import type { FeedRow } from '../../db/queries/feed.ts'
import type { RaiseCommitmentRow } from '../../db/queries/raises/raise-commitments.ts'
import type { ProposalRow } from '../../db/queries/raises/raise-proposals.ts'
import type { RaiseRow } from '../../db/queries/raises/raises.ts'
import type { StakingPoolRow } from '../../db/queries/staking/staking-pools.ts'
import type { LaunchpadStatisticsRow } from '../../db/queries/statistics/launchpad-statistics.ts'
import type { TokenRow } from '../../db/queries/tokens.ts'
import { toLaunchpadStatistics } from '../../records/statistics/to-launchpad-statistics.ts'
import { toAlert } from '../../records/to-alert.ts'
import { toCommitment } from '../../records/to-commitment.ts'
import { toFeedItem } from '../../records/to-feed-item.ts'
import { toProposal } from '../../records/to-proposal.ts'
import { toRaise } from '../../records/to-raise.ts'
import { toStakingPool } from '../../records/to-staking-pool.ts'
import { toToken } from '../../records/to-token.ts'

const ZERO = `0x${'0'.repeat(40)}`
const FINALIZED_AT = 2_000

/** A finalized raise of 1,000 tokens and 100 coins, of which the wallet committed 40. */
const commitment = {
  ...{ raise: 'r', title: '', token: '0x1', wallet: '0x2', registered: true, native_symbol: 'ETH', amount: '40' },
  ...{ total_committed: '100', token_amount: '1000', goal_min: '50', goal_max: '100', released: '0' },
  ...{ exited_weight: '0', exited_amount: '0', tokens_returned: null, tokens_given_up: null, tokens_claimed: null },
  ...{ refunded_amount: null, own_exited_amount: null, dissolved_at: null, cancelled_at: null },
  ...{ finalized_at: FINALIZED_AT, registration_required: false, registration_start: 0, start_at: 0, end_at: 1_000 },
  ...{ clock_time: 3_000, state_block: 1, state_log: 2, tx_hash: '0x3', confirmed: true },
} as unknown as RaiseCommitmentRow

t.test('a commitment shows what its wallet can claim, get back or leave with', async (t) => {
  const figures = (change: object) => {
    const { status, sharePct, claimed, claimable, refunded, refundable, exited, exitable, tokensOwed } = toCommitment({
      ...commitment,
      ...change,
    })
    return { status, sharePct, claimed, claimable, refunded, refundable, exited, exitable, tokensOwed }
  }
  const none = { claimed: false, refunded: false, exited: false, tokensOwed: '0' }
  const [open, failed] = [
    { finalized_at: null, total_committed: '99', clock_time: 500 },
    { finalized_at: null, total_committed: '49' },
  ]
  const all = { status: 'finalized', sharePct: 40, ...none, claimable: '400', refundable: '0', exitable: '40' }
  t.strictSame(figures({}), all)
  t.strictSame(figures({ tokens_returned: '150' }), { ...all, claimable: '250' })
  t.strictSame(figures({ tokens_claimed: '400' }), { ...all, claimed: true, claimable: '0' })
  t.hasStrict(figures({ released: '50' }), { exitable: '20' })
  t.strictSame(figures({ own_exited_amount: '30', exited_weight: '40', exited_amount: '30' }), {
    ...{ ...all, exited: true, exitable: '0', refundable: '30', claimable: figures({ exited_weight: '40' }).claimable },
  })
  t.strictSame(figures({ dissolved_at: 2_500 }), { ...all, exitable: '0', refundable: '40' })
  t.hasStrict(figures({ dissolved_at: 2_500, refunded_amount: '40' }), { refunded: true, refundable: '0' })
  t.hasStrict(figures({ ...open }), { status: 'active', claimable: '0', refundable: '0', exitable: '0' })
  t.hasStrict(figures({ ...failed }), { status: 'failed', claimable: '0', refundable: '40', exitable: '0' })
  t.hasStrict(figures({ finalized_at: null, cancelled_at: 900 }), { status: 'cancelled', refundable: '40' })
  const left = { own_exited_amount: '30', tokens_given_up: '70' }
  t.hasStrict(figures({ ...left, tokens_claimed: '400' }), { tokensOwed: '70' })
  t.hasStrict(figures({ ...left, tokens_claimed: '400', refunded_amount: '1' }), { tokensOwed: '0' })
  t.hasStrict(figures({ ...left, tokens_claimed: null }), { tokensOwed: '0' })
  const dissolved = { dissolved_at: 2_500, tokens_claimed: '400', released: '25' }
  t.hasStrict(figures(dissolved), { refundable: '30', tokensOwed: '300' }, 'three quarters are not released')
  t.hasStrict(figures({ ...dissolved, refunded_amount: '30' }), { tokensOwed: '0' })
  t.hasStrict(figures({ total_committed: '0', amount: '0' }), { sharePct: null })
})

t.test('a raise shows its escrow once it is finalized, and its registration if it needs one', async (t) => {
  const row = {
    ...commitment,
    ...{ created_at: 1, native_usd: null, refunded: '0', tokens_reclaimed: '10', described_at: null },
    ...{ release_bps: 1_000, release_period: 5_000, last_release_at: null, released_in_period: null },
  } as unknown as RaiseRow
  const raise = (change: object) => toRaise({ ...row, tokens_returned: '30', ...change } as RaiseRow, undefined)
  t.hasStrict(raise({ released: '25' }), {
    status: 'finalized',
    escrow: '75',
    remainingCommitted: '100',
    progressPct: 100,
  })
  t.hasStrict(raise({ finalized_at: null }), { escrow: '0', finalizedAt: null, releasable: '0' })
  t.hasStrict(raise({}), { lastReleaseAt: null, releasable: '10' })
  const released = { released: '25', last_release_at: 2_999, released_in_period: '4' }
  t.hasStrict(raise(released), { lastReleaseAt: '1970-01-01T00:49:59.000Z', releasable: '6' })
  t.equal(raise({ ...released, release_period: 1 }).releasable, '10', 'a pause has passed')
  t.hasStrict(raise({}), {
    finalizedAt: '1970-01-01T00:33:20.000Z',
    cancelledAt: null,
    dissolvedAt: null,
    describedAt: null,
  })
  t.equal(raise({}).tokensReclaimable, '20')
  t.equal(raise({ tokens_reclaimed: '31' }).tokensReclaimable, '0')
  t.equal(raise({}).registrationStart, null)
  t.equal(raise({ registration_required: true, registration_start: 60 }).registrationStart, '1970-01-01T00:01:00.000Z')
  t.hasStrict([raise({}).totalCommittedUsd, raise({}).myCommitment], [null, null])
  t.hasStrict(toRaise({ ...row, tokens_returned: '0' }, commitment).myCommitment, { amount: '40' })
  t.equal(raise({ goal_max: '0' }).progressPct, 0)
})

t.test('a proposal to dissolve has no recipient, and an executed one its payout', async (t) => {
  const row = {
    ...commitment,
    ...{ recipient: '0x5', executed_amount: null, amount: '50', total_weight: '100', executed_at: null },
    ...{ vote_start: 0, vote_end: 1, executable_at: 2, expires_at: 3, created_at: 0 },
    ...{ for_votes: '0', against_votes: '0', abstain_votes: '0', quorum: '1' },
  } as unknown as ProposalRow
  t.hasStrict(toProposal(row, undefined), {
    kind: 'release',
    recipient: '0x5',
    payout: '50',
    executedAt: null,
    myVote: null,
  })
  t.hasStrict(toProposal({ ...row, recipient: ZERO } as ProposalRow, undefined), { kind: 'dissolve', recipient: null })
  t.hasStrict(toProposal({ ...row, executed_amount: '7', executed_at: 60 } as ProposalRow, undefined), {
    ...{ payout: '7', executedAt: '1970-01-01T00:01:00.000Z', state: 'executed' },
  })
  t.notMatch(toProposal({ ...row, dissolved_at: 0 } as ProposalRow, undefined).state, toProposal(row, undefined).state)
  const vote = { support: 1, weight: '5', block_time: 60, tx_hash: '0x9' }
  t.strictSame(toProposal(row, vote as never).myVote, {
    ...{ support: 'for', weight: '5', votedAt: '1970-01-01T00:01:00.000Z', txHash: '0x9' },
  })
})

const pool = {
  ...{ id: 'p', native_symbol: 'ETH', staking_token: '0x1', reward_token: ZERO, native_usd: '2000.00000000' },
  ...{ total_staked: '100', staking_quote: '3', staking_base: '2', reward_base: '1', reward_quote: '1' },
  ...{ reward_rate: String(2n * 10n ** 46n), reward_per_token: '0', last_update_time: 1_000, period_finish: 2_000 },
  ...{ clock_time: 1_500, created_at: 0, total_funded: '0', total_paid: '0', staker_count: 1 },
} as unknown as StakingPoolRow

t.test('a staking pool pays until its period ends, of the newest block or receipt', async (t) => {
  const show = (change: object = {}) => toStakingPool({ ...pool, ...change } as StakingPoolRow)
  t.hasStrict(show(), { asOf: '1970-01-01T00:25:00.000Z', periodFinish: '1970-01-01T00:33:20.000Z' })
  t.equal(show().rewardPerDay, String(2n * 10n ** 10n * 86_400n))
  t.equal(show({ clock_time: 2_000 }).rewardPerDay, '0', 'at its end')
  t.not(show({ clock_time: 1_999 }).rewardPerDay, '0')
  t.equal(show({ clock_time: 900, last_update_time: 1_200 }).asOf, '1970-01-01T00:20:00.000Z')
  t.equal(show({ period_finish: 0 }).periodFinish, null)
  t.hasStrict([show().quote?.symbol, show({ reward_token: '0x1' }).quote], ['ETH', null])
})

t.test('the value of a stake needs the prices of both tokens', async (t) => {
  const show = (change: object = {}) =>
    toStakingPool({ ...pool, total_staked: String(10n ** 18n), ...change } as StakingPoolRow)
  t.equal(show().totalStakedUsd, 3_000)
  t.ok(show().aprPct)
  for (const change of [{ staking_quote: null }, { staking_base: null }, { staking_base: '0' }])
    t.hasStrict(show(change), { totalStakedUsd: null, aprPct: null }, JSON.stringify(change))
  t.equal(show({ native_usd: null }).totalStakedUsd, null)
  for (const change of [{ reward_base: null }, { reward_quote: null }, { reward_quote: '0' }])
    t.hasStrict(show(change), { totalStakedUsd: 3_000, aprPct: null }, JSON.stringify(change))
  const same = { reward_token: '0x1', staking_base: null, reward_base: null }
  t.ok(show(same).aprPct, 'a pool that pays in its own token needs none')
  t.not(show({ reward_base: '2' }).aprPct, show().aprPct)
})

const token = {
  ...{ status: 'curve', native_usd: '2000.00000000', native_symbol: 'ETH', block_time: 0, progress: '1' },
  ...{ quote: null, decimals: 18, volume_h1: '1', volume_h24: '2', volume_total: '3' },
  ...{ launchpad_kind: 'slipway', venue: 'uniswap-v2', lifecycle: 'curve' },
  ...{ total_supply: '1000', virtual_quote: '10', virtual_token: '40', real_quote: '8', pool_quote: null },
  ...{ pool_token: null, price: 0.25, price_m5: 0.2, price_h1: 0.25, price_h24: 0.5, market_cap: '0' },
  ...{ volume_usd_h24: '12.50000000', last_trade_at: null, graduated_at: null },
  ...{ top10_balance: '500', creator_balance: '250', sniper_balance: '125', bundler_balance: '100' },
} as unknown as TokenRow
const showToken = (change: object = {}, marks: object | null = null) =>
  toToken({ ...token, ...change } as TokenRow, { chainId: 1, marks: marks as never })

t.test('a token has the price of its curve, and after its graduation that of its pool', async (t) => {
  t.hasStrict(showToken(), { priceNative: '0.25', realQuote: '8', priceUsd: 500, volumeUsd24h: 12.5 })
  const graduated = { status: 'graduated', pool_quote: '30', pool_token: '60', graduated_at: 60 }
  t.hasStrict(showToken(graduated), { priceNative: '0.5', realQuote: '0', graduatedAt: '1970-01-01T00:01:00.000Z' })
  t.hasStrict(showToken({ ...graduated, status: 'completed' }), { priceNative: '0.25', realQuote: '8' })
  t.equal(showToken({ ...graduated, pool_quote: null }).priceNative, '0.25')
  t.equal(showToken({ ...graduated, pool_token: null }).priceNative, '0.25')
  const direct = { lifecycle: 'direct', status: 'graduated', pool_quote: '30', pool_token: '60', real_token: '9' }
  t.hasStrict(showToken(direct), { realQuote: '0', realToken: '0', virtualQuote: '0' }, 'launched into a pool')
  const coins = (count: bigint) => String(count * 10n ** 18n)
  t.equal(showToken({ real_quote: coins(3n) }).liquidityUsd, 6_000)
  t.equal(showToken({ ...graduated, pool_quote: coins(3n) }).liquidityUsd, 12_000, 'both sides of the pool')
  const inV3 = { ...graduated, pool_quote: coins(3n), venue: 'uniswap-v3' }
  t.equal(showToken(inV3).liquidityUsd, null, 'its logs do not contain the reserves')
})

t.test('a token shows values in USD where there is a price, and marks to a wallet', async (t) => {
  t.hasStrict(showToken({ native_usd: null }), {
    priceUsd: null,
    volumeUsd24h: null,
    marketCapUsd: null,
    liquidityUsd: null,
  })
  t.hasStrict(showToken(), {
    priceChangePct: { m5: 25, h1: 0, h24: -50 },
    top10Pct: 50,
    creatorHeldPct: 25,
    sniperPct: 12.5,
    bundlerPct: 10,
  })
  t.equal(showToken({ bundler_balance: null }).bundlerPct, null, 'stored by a version before')
  t.hasStrict(showToken(), { likedByMe: null, watchedByMe: null, lastTradeAt: null, graduatedAt: null })
  t.hasStrict(showToken({ last_trade_at: 60 }, { liked: false, watched: true }), {
    ...{ likedByMe: false, watchedByMe: true, lastTradeAt: '1970-01-01T00:01:00.000Z' },
  })
})

t.test(
  'a token in another quote asset has its prices in that one, in native coin and in USD, whatever the decimals',
  async (t) => {
    // One token of 18 decimals is worth 2 dollars of 6 decimals; a coin is worth 4 of them.
    const quote = { address: '0x2', symbol: 'USDC', decimals: 6, usd: '1.00000000', native: String(25n * 10n ** 34n) }
    const quoted = {
      ...{ quote, price: 2, virtual_quote: '2000000', virtual_token: String(10n ** 18n), real_quote: '3000000' },
      ...{
        volume_quote_h1: '10',
        volume_quote_h24: '20',
        volume_quote_total: '30',
        total_supply: String(5n * 10n ** 18n),
      },
    }
    t.hasStrict(showToken(quoted), {
      ...{ priceQuote: '2', priceNative: '0.5', priceUsd: 2, marketCapUsd: 10, liquidityUsd: 3 },
      quote: { address: '0x2', symbol: 'USDC', decimals: 6 },
      volume: { h1: '1', h24: '2', total: '3' },
      volumeQuote: { h1: '10', h24: '20', total: '30' },
    })
    const unknown = { ...quoted, quote: { ...quote, usd: null, native: null } }
    const none = {
      priceQuote: '2',
      priceNative: null,
      priceUsd: null,
      marketCapUsd: null,
      liquidityUsd: null,
      // Of the trades that had a value.
      volume: { h1: '1', h24: '2', total: '3' },
    }
    t.hasStrict(showToken(unknown), none, 'without a route')
    t.hasStrict(showToken({ ...quoted, decimals: 9, virtual_token: String(10n ** 9n) }), {
      priceQuote: '2',
      priceNative: '0.5',
    })
    t.hasStrict(
      showToken(),
      { priceQuote: '0.25', volumeQuote: { h1: '1', h24: '2', total: '3' } },
      'in native coin both are the same',
    )
  },
)

const alert = {
  ...{ id: 5, measure: 'price', token: '0x1', token_name: 'One', token_symbol: 'ONE', token_image: null },
  token_decimals: 6,
  ...{ trader: null, metric: 'price', direction: 'above', value: '1', created_at: new Date(0), triggered_at: null },
} as unknown as AlertRow

t.test('an alert has the type of its measure', async (t) => {
  const show = (change: object = {}) => toAlert({ ...alert, ...change } as AlertRow)
  for (const [measure, type, window, direction] of [
    ['price', 'price', null, 'above'],
    ['price_usd', 'price', null, 'above'],
    ['h1', 'price_change', 'h1', 'above'],
    ['graduation', 'graduation', null, null],
    [null, 'trade', null, null],
  ])
    t.hasStrict(show({ measure }), { type, window, direction }, String(measure))
  t.strictSame(show().token, { address: '0x1', name: 'One', symbol: 'ONE', imageUrl: null, decimals: 6 })
  for (const gone of [{ token: null }, { token_name: null }, { token_symbol: null }]) t.equal(show(gone).token, null)
  t.hasStrict(show(), { wallet: null, triggeredAt: null, createdAt: '1970-01-01T00:00:00.000Z' })
  t.hasStrict(show({ trader: '0x2', triggered_at: new Date(1_000) }), {
    ...{ wallet: { wallet: '0x2' }, triggeredAt: '1970-01-01T00:00:01.000Z' },
  })
})

t.test('an item of the feed is a trade, a comment or a launch', async (t) => {
  const row = {
    ...{ comment_id: null, tx_hash: '0x9', log_index: 3, actor: '0x2', token: '0x1', happened_at: new Date(0) },
    ...{
      side: 'buy',
      token_amount: '1',
      quote_amount: '2',
      value_usd: '1.50000000',
      native_symbol: 'ETH',
      quote: null,
      confirmed: false,
    },
  } as unknown as FeedRow
  const show = (change: object = {}) => toFeedItem({ ...row, ...change } as FeedRow)
  t.hasStrict(show(), { id: '0x9-3', confirmed: false, comment: null, trade: { side: 'buy', valueUsd: 1.5 } })
  t.equal(show({ value_usd: null }).trade?.valueUsd, null)
  for (const change of [{ side: null }, { token_amount: null }, { quote_amount: null }])
    t.equal(show(change).trade, null)
  t.hasStrict(show({ comment_id: 7, body: 'text', side: null }), { id: 'comment-7', confirmed: null })
  t.strictSame(show({ comment_id: 7, body: 'text' }).comment, { id: '7', text: 'text' })
  t.equal(show({ comment_id: 7, body: null }).comment?.text, '')
})

t.test('statistics of a launchpad have the fees that its logs contain', async (t) => {
  const row = {
    ...{ kind: 'nad-fun', tokens_total: 3, tokens_graduated: 1, tokens_h24: 2, trades_h24: 4, trades_total: 5 },
    ...{ volume_h24: '6', volume_total: '7', volume_usd_h24: '8', volume_usd_total: '9', native_usd: '2000' },
    ...{ protocol_fees_h24: '10', protocol_fees_total: '11', creator_fees_h24: '12', creator_fees_total: '13' },
  } as LaunchpadStatisticsRow
  const show = (protocolFees: boolean, creatorFees: boolean) =>
    toLaunchpadStatistics(row, { name: 'nad.fun', emits: { protocolFees, creatorFees } })
  t.hasStrict(show(true, false), {
    tokens: { total: 3, onCurve: 2, graduated: 1, created24h: 2 },
    h24: { volume: '6', volumeUsd: 8, protocolFees: '10', creatorFees: null },
    total: { volume: '7', volumeUsd: 9, protocolFees: '11', creatorFees: null },
  })
  t.hasStrict(show(false, true), {
    h24: { protocolFees: null, creatorFees: '12' },
    total: { protocolFees: null, creatorFees: '13' },
  })
})
