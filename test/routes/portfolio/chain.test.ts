import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Address, parseEther } from 'viem'
import { feeStakingAbi } from '../../../chain/abi/fee-staking.ts'
import { launchTokenAbi } from '../../../chain/abi/launch-token.ts'
import { launchpadAbi } from '../../../chain/abi/launchpad.ts'
import type { Portfolio } from '../../../schemas/portfolio.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { mounts } from '../../support/client.ts'
import { EXIT_WINDOW, FOR, makeRaiseActions, reachTime, readTime } from '../../support/raises.ts'
import { makeStakingActions } from '../../support/staking.ts'

/*
 * Portfolios of people who trade, stake and commit on a chain, every figure of them held against what this file works out
 * from what they did and when, and what the contracts say of it.
 */
t.setTimeout(400_000)

type PortfolioData = Static<typeof Portfolio>

const service = await createChainApp(t)
const { node, deployed, db, test, chain, read, accounts } = service
const [owner, ann, bob, eve] = accounts as [Address, Address, Address, Address]
const act = makeActions(deployed)
const stake = makeStakingActions(deployed.feeStaking)
const raise = makeRaiseActions(deployed.raises)
const idOf = (number: number) => `${raise.contract}-${number}`
const pool = `${stake.contract}-1`
const iso = (seconds: bigint) => new Date(Number(seconds) * 1_000).toISOString()
const ceilDiv = (a: bigint, b: bigint) => (a + b - 1n) / b
const call = chain.client.readContract

const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.5')))
const token = launchedToken(launch!)
const balanceOf = (wallet: Address) =>
  call({ address: token, abi: launchTokenAbi, functionName: 'balanceOf', args: [wallet] })
const readCurve = () => call({ address: deployed.launchpad, abi: launchpadAbi, functionName: 'curves', args: [token] })
const terms = await readCurve()
const feeOf = (gross: bigint, bps = terms.creatorFeeBps) => ceilDiv(gross * BigInt(bps), 10_000n)
await node.run(
  ...[ann, bob].flatMap((wallet) => [
    act.approve(wallet, token, deployed.feeStaking),
    act.approve(wallet, token, deployed.raises),
  ]),
)

async function portfolioOf(wallet: Address): Promise<PortfolioData> {
  await indexToHead(db, test)
  const [byQuery, ...others] = await Promise.all(
    mounts.flatMap((mount) => [
      read<PortfolioData>(`${mount}/portfolio?wallet=${wallet}`),
      read<PortfolioData>(`${mount}/portfolio`, wallet),
    ]),
  )
  for (const other of others) t.strictSame(other, byQuery, 'one’s own, by name or by token, at both mounts')
  return byQuery!.body.data
}

t.test('holdings are valued at the current price, and the creator earns a fee of each trade', async (t) => {
  const [first, second] = [parseEther('0.5'), parseEther('0.2')]
  await node.run(act.buy(bob, token, second))
  const bought = await balanceOf(bob)
  const before = await readCurve()
  const sold = bought / 4n + 1n
  await node.run(act.sell(bob, token, sold))
  const product = before.virtualQuote * before.virtualToken
  const gross = before.virtualQuote - ceilDiv(product, before.virtualToken + sold)
  const received = gross - feeOf(gross) - feeOf(gross, terms.protocolFeeBps)
  const soldCost = (second * sold) / bought

  const { virtualQuote, virtualToken } = await readCurve()
  const kept = bought - sold
  const worth = (kept * virtualQuote) / virtualToken
  const portfolio = await portfolioOf(bob)
  t.match(portfolio, {
    ...{ wallet: bob, totalValueNative: String(worth), holdingCount: 1, truncated: false, created: [] },
    realizedPnl: { native: String(received - soldCost) },
    unrealizedPnl: { native: String(worth - (second - soldCost)) },
    holdings: [
      {
        ...{ token, balance: String(kept), boughtAmount: String(kept), receivedAmount: '0' },
        ...{ valueNative: String(worth), costNative: String(second - soldCost) },
      },
    ],
  })
  const near = (usd: number | null, coins: bigint) => Math.abs(usd! - (Number(coins) / 1e18) * 3_000) < 1e-6
  t.ok(near(portfolio.totalValueUsd, worth))
  t.ok(near(portfolio.realizedPnl.usd, received - soldCost))
  t.ok(near(portfolio.unrealizedPnl.usd, worth - (second - soldCost)))

  const earned = feeOf(first) + feeOf(second) + feeOf(gross)
  t.equal((await readCurve()).creatorFees, earned)
  const figures = { feesEarned: earned, feesClaimed: 0n, feesClaimable: earned }
  const expectFees = async () => {
    const expected = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(value)]))
    t.match((await portfolioOf(ann)).created, [{ token, status: 'curve', ...expected }])
  }
  await expectFees()
  await node.run(act.claimCreatorFee(ann, token))
  Object.assign(figures, { feesClaimed: earned, feesClaimable: 0n })
  await expectFees()
  const third = parseEther('0.03') + 7n
  await node.run(act.buy(eve, token, third))
  Object.assign(figures, { feesEarned: earned + feeOf(third), feesClaimable: feeOf(third) })
  await expectFees()
})

t.test('a stake earns each second until unstaked, and then cools down', async (t) => {
  const [ofBob, ofAnn, out] = [parseEther('700') + 1n, parseEther('1100') + 3n, parseEther('200') + 7n]
  const reward = parseEther('3') + 11n
  const precision = 10n ** 36n
  const before = (await portfolioOf(bob)).holdings[0]!
  await node.run(stake.createPool(owner, token))
  await node.run(stake.stake(bob, 1n, ofBob), stake.stake(ann, 1n, ofAnn))
  await node.run(stake.fund(eve, 1n, reward))
  const funded = await readTime(node)
  const rate = (reward * precision) / 86_400n

  const expectStake = async (expected: object, earned: bigint, what: string) => {
    const portfolio = await portfolioOf(bob)
    const asOf = iso(await readTime(node))
    const terms = { poolId: pool, wallet: bob, stakingToken: token, rewardToken: `0x${'0'.repeat(40)}`, asOf }
    t.match(portfolio.staking, [{ ...terms, ...expected, earned: String(earned) }], what)
    t.equal(portfolio.staking.length, 1)
    t.equal(
      earned,
      await call({ address: stake.contract, abi: feeStakingAbi, functionName: 'earned', args: [1n, bob] }),
    )
    return portfolio
  }
  // What one staked unit has earned after so many seconds with so much staked, times `precision`.
  const growth = (seconds: bigint, staked: bigint) => (seconds * rate) / staked

  await node.mine(1_003)
  const first = growth(1_003n, ofBob + ofAnn)
  const idle = { pendingUnstake: '0', withdrawableAt: null, claimed: '0' }
  const staked = await expectStake(
    { ...idle, staked: String(ofBob) },
    (ofBob * first) / precision,
    'while all is staked',
  )
  t.equal(staked.holdings[0]?.balance, String(BigInt(before.balance) - ofBob), 'what is staked is held no more')
  t.equal(staked.holdings[0]?.boughtAmount, staked.holdings[0]?.balance)

  await node.run(stake.unstake(bob, 1n, out))
  const asked = await readTime(node)
  const settled = growth(asked - funded, ofBob + ofAnn)
  const rewards = (ofBob * settled) / precision
  const cooling = { staked: String(ofBob - out), pendingUnstake: String(out), withdrawableAt: iso(asked + 600n) }
  await expectStake({ ...cooling, claimed: '0' }, rewards, 'when it was taken out')
  await node.mine(599)
  const later = (seconds: bigint) => rewards + ((ofBob - out) * growth(seconds, ofBob + ofAnn - out)) / precision
  await expectStake({ ...cooling, claimed: '0' }, later(599n), 'a second before it can be withdrawn')

  await node.run(stake.claim(bob, 1n))
  const claimed = await readTime(node)
  const paid = later(claimed - asked)
  await expectStake({ ...cooling, claimed: String(paid) }, 0n, 'when it was claimed')
  await node.run(stake.withdraw(bob, 1n))
  const withdrawn = await readTime(node)
  const { balance, boughtAmount } = (await portfolioOf(bob)).holdings[0]!
  t.strictSame([balance, boughtAmount], Array(2).fill(String(BigInt(before.balance) - ofBob + out)), 'at its old cost')
  await node.mine(100_000)
  const since = (seconds: bigint) => ((ofBob - out) * growth(seconds, ofBob + ofAnn - out)) / precision
  const rest = since(withdrawn - claimed) + since(funded + 86_400n - withdrawn)
  const done = { ...idle, staked: String(ofBob - out), claimed: String(paid) }
  await expectStake(done, rest, 'no more than until the end of the stream')
})

t.test('commitments include claimable and refundable amounts', async (t) => {
  const tokenAmount = 1_000_003n
  const endAt = (await readTime(node)) + 1_000n
  const open = (choice: object = {}) => raise.create(ann, { token, endAt, tokenAmount, ...choice })
  // 1 is open, 2 is finalized and claimed, 3 finalized, 4 failed, 5 cancelled and paid back, 6 dissolved.
  await node.run(open({ endAt: endAt + 500_000n }), ...Array.from({ length: 5 }, () => open()))
  const commit = (number: bigint, ofBob: bigint, ofEve: bigint) => [
    raise.commit(bob, number, ofBob),
    ...(ofEve > 0n ? [raise.commit(eve, number, ofEve)] : []),
  ]
  const [six, two] = [parseEther('6') + 1n, parseEther('2')]
  await node.run(
    ...commit(1n, six, two),
    ...commit(2n, six, two),
    ...commit(3n, six, two),
    ...commit(4n, parseEther('1'), 5n),
    ...commit(5n, 3n, 0n),
    ...commit(6n, six, two),
  )
  await node.run(raise.cancel(ann, 5n))
  await reachTime(node, endAt)
  await node.run(raise.finalize(owner, 2n), raise.finalize(owner, 3n), raise.finalize(owner, 6n))
  const released = parseEther('2')
  await node.run(raise.claim(bob, 2n), raise.refund(bob, 5n), raise.propose(ann, 6n, released, ann))
  await node.run(raise.vote(bob, 1n, FOR))
  await node.mine(3_600 + EXIT_WINDOW)
  await node.run(raise.execute(eve, 1n), raise.proposeDissolution(bob, 6n))
  await node.run(raise.vote(bob, 2n, FOR))
  await node.mine(3_600)
  await node.run(raise.execute(eve, 2n))

  const total = six + two
  const shareOf = (amount: bigint) => (tokenAmount * amount) / total
  const backOf = (amount: bigint) => (amount * (total - released)) / total
  const givenUpBy = (amount: bigint) => ceilDiv(shareOf(amount) * (total - released), total)
  const nothing = {
    claimed: false,
    tokensClaimed: 0n,
    claimable: 0n,
    refunded: false,
    refundedAmount: 0n,
    refundable: 0n,
  }
  const expectOf = async (wallet: Address, expected: Record<number, object>) => {
    const { commitments } = await portfolioOf(wallet)
    const toText = (one: object) =>
      Object.fromEntries(
        Object.entries(one).map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value]),
      )
    t.equal(commitments.length, Object.keys(expected).length)
    for (const [number, figures] of Object.entries(expected)) {
      const found = commitments.find(({ raiseId }) => raiseId === idOf(Number(number)))
      t.match(
        found,
        { wallet, token, registered: false, title: 'A harbour for cats', ...toText({ ...nothing, ...figures }) },
        `raise ${number}`,
      )
    }
    return commitments
  }
  const dissolved = { status: 'finalized', amount: six, claimable: shareOf(six), refundable: backOf(six) }
  const others = {
    1: { status: 'active', amount: six },
    2: { status: 'finalized', amount: six, claimed: true, tokensClaimed: shareOf(six) },
    3: { status: 'finalized', amount: six, claimable: shareOf(six) },
    4: { status: 'failed', amount: parseEther('1'), refundable: parseEther('1') },
    5: { status: 'cancelled', amount: 3n, refunded: true, refundedAmount: 3n },
  }
  const listed = await expectOf(bob, { ...others, 6: dissolved })
  const ofTotal = Math.floor((Number(six) / Number(total)) * 1e8) / 1e6
  for (const { raiseId, sharePct } of listed)
    t.equal(sharePct, { [idOf(4)]: 99.999999, [idOf(5)]: 100 }[raiseId] ?? ofTotal)
  await node.run(raise.refund(bob, 6n))
  const refunded = { refunded: true, refundedAmount: backOf(six), refundable: 0n }
  const left = shareOf(six) - givenUpBy(six)
  await expectOf(bob, { ...others, 6: { ...dissolved, ...refunded, claimable: left } })

  const coins = await balanceOf(bob)
  await node.run(raise.claim(bob, 6n), raise.claim(bob, 3n))
  t.equal((await balanceOf(bob)) - coins, left + shareOf(six), 'a claim pays what was said')
  const { holdings } = await portfolioOf(bob)
  t.match(holdings, [{ balance: String(await balanceOf(bob)) }])
  const claims = { claimed: true, claimable: 0n }
  await expectOf(bob, {
    ...others,
    3: { ...others[3], ...claims, tokensClaimed: shareOf(six) },
    6: { ...dissolved, ...refunded, ...claims, tokensClaimed: left },
  })
  await expectOf(ann, {})
})
