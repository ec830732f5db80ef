import fc from 'fast-check'
import t from 'tap'
import { type Address, getAddress, zeroAddress } from 'viem'
import {
  aprPercentAt,
  earnedAt,
  fundAt,
  periodFinishAt,
  rewardPrecision,
  type StakingPool,
  type StakingPosition,
  yearlyRewardsAt,
} from '../../chain/staking.ts'
import { gas, startStaking } from '../contracts/fixtures/staking.ts'

const seed = 20_261_121
type StakingEvent = ReturnType<Awaited<ReturnType<typeof startStaking>>['logs']>[number]
type Kind = 'stake' | 'requestUnstake' | 'withdraw' | 'claim' | 'fund'
type Step = { kind: Kind; who: number; amount: bigint; wait: number; look: number }

const amounts = fc.oneof(fc.bigInt(1n, 10n), fc.bigInt(1n, 10n ** 27n))
const step = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Kind>('stake') },
    { weight: 3, arbitrary: fc.constant<Kind>('requestUnstake') },
    { weight: 2, arbitrary: fc.constantFrom<Kind>('withdraw', 'claim') },
    { weight: 3, arbitrary: fc.constant<Kind>('fund') },
  ),
  who: fc.integer({ min: 0, max: 2 }),
  amount: amounts,
  wait: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5_000 })),
  look: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 3_000 })),
})
const stepsPerWalk = 24
const walk = fc.array(step, { minLength: stepsPerWalk, maxLength: stepsPerWalk })
const periods = fc.bigInt(1n, 5_000n)
const rewards = fc.constantFrom('native' as const, 'stake' as const, 'reward' as const)

/** What an indexer knows of a pool: the latest event's state of the pool, and that of each account's. */
class Follower {
  pool: StakingPool
  readonly periodSeconds: bigint
  readonly positions = new Map<Address, StakingPosition & { pendingUnstake: bigint }>()
  funded = 0n
  paid = 0n

  constructor(created: StakingPool, periodSeconds: bigint) {
    this.pool = pickPool(created)
    this.periodSeconds = periodSeconds
  }

  /** Demands that the pool is, after the event, what the model makes of it. */
  apply(event: StakingEvent | undefined, time: bigint) {
    if (event?.eventName === 'Funded') {
      const { amount } = event.args
      demandSame(pickPool(event.args), fundAt(this.pool, this.periodSeconds, amount, time))
      this.funded += amount
      this.pool = pickPool(event.args)
    } else if (event && 'account' in event.args) {
      const { account, staked, rewards, rewardPerToken, pendingUnstake, amount, periodFinish } = event.args
      if (periodFinish !== periodFinishAt(this.pool, time)) throw new Error('the model ends the stream otherwise')
      this.positions.set(account, { staked, rewards, rewardPerTokenPaid: rewardPerToken, pendingUnstake })
      if (event.eventName === 'RewardPaid') this.paid += amount
      this.pool = pickPool(event.args)
    } else throw new Error('no event of the pool')
  }

  allows({ kind }: Step, account: Address, time: bigint) {
    if (kind === 'stake' || kind === 'fund') return true
    const own = this.positions.get(account)
    if (own === undefined) return false
    if (kind === 'claim') return earnedAt(this.pool, own, time) > 0n
    return kind === 'withdraw' ? own.pendingUnstake > 0n : own.staked > 0n
  }

  sum(key: 'staked' | 'pendingUnstake') {
    return [...this.positions.values()].reduce((total, position) => total + position[key], 0n)
  }
}

t.test('earnings computed from events equal the contract exactly, and pools stay solvent', async (t) => {
  const chain = await startStaking(t)
  const { staking, clock, mine } = chain
  const actors = [chain.accounts[1], chain.accounts[2], chain.accounts[3]].map((account) => getAddress(account))
  const coins = { stake: await chain.deployToken(...actors), reward: await chain.deployToken(...actors) }
  const tally = { compared: 0, positive: 0, done: 0 }
  const followers: { poolId: bigint; reward: Address; of: Follower }[] = []

  const send = (poolId: bigint, follower: Follower, native: boolean, { kind, amount }: Step, account: Address) => {
    const value = kind === 'fund' && native ? amount / 10n ** 7n + 1n : 0n
    if (kind === 'fund') return staking.write.fund([poolId, value || amount], { account, value, gas })
    if (kind === 'stake') return staking.write.stake([poolId, amount], { account, gas })
    if (kind !== 'requestUnstake') return staking.write[kind]([poolId], { account, gas })
    const { staked } = follower.positions.get(account)!
    const part = amount % 3n === 0n || amount > staked ? staked : amount
    return staking.write.requestUnstake([poolId, part], { account, gas })
  }
  const readEarned = (poolId: bigint, { positions }: Follower) =>
    Promise.all([...positions.keys()].map((holder) => staking.read.earned([poolId, holder])))
  const compare = async (poolId: bigint, follower: Follower) => {
    const earned = await readEarned(poolId, follower)
    const expected = [...follower.positions.values()].map((own) => earnedAt(follower.pool, own, clock.now))
    if (earned.join() !== expected.join()) throw new Error(`earned ${earned}, the model says ${expected}`)
    if (follower.paid + total(earned) > follower.funded) throw new Error('more is owed than was funded')
    tally.compared += earned.length
    tally.positive += earned.filter((amount) => amount > 0n).length
  }

  const property = fc.asyncProperty(walk, periods, rewards, async (steps, period, kind) => {
    const reward = kind === 'native' ? zeroAddress : coins[kind].address
    const poolId = await chain.createPool(coins.stake.address, { reward, cooldown: 50n, period })
    const follower = new Follower(await staking.read.pool([poolId]), period)
    followers.push({ poolId, reward, of: follower })
    for (const step of steps) {
      const account = actors[step.who]!
      const wait = step.kind === 'withdraw' ? step.wait + 50 : step.wait
      if (!follower.allows(step, account, clock.now + BigInt(wait))) continue
      await clock.next(wait)
      const receipt = await mine(send(poolId, follower, kind === 'native', step, account))
      follower.apply(chain.logs(receipt)[0], clock.now)
      tally.done++
      await clock.pass(step.look)
      await compare(poolId, follower)
    }
    const stored = await staking.read.pool([poolId])
    demandSame(pickPool(stored), follower.pool)
    if (stored.totalFunded !== follower.funded || stored.totalPaid !== follower.paid) throw new Error('sums differ')
    if (follower.sum('staked') !== stored.totalStaked) throw new Error('the stakes do not add up')
  })
  await fc.assert(property, { seed, numRuns: 9, endOnFailure: true })
  t.ok(tally.done > 120 && tally.positive > 150, JSON.stringify(tally))

  // All pools share one balance of each coin: it is the stakes and the rewards not yet paid, to the unit.
  const unpaid = (reward: Address) =>
    total(followers.filter((item) => item.reward === reward).map(({ of }) => of.funded - of.paid))
  const stakes = total(followers.map(({ of }) => of.sum('staked') + of.sum('pendingUnstake')))
  t.equal(await coins.stake.read.balanceOf([staking.address]), stakes + unpaid(coins.stake.address))
  t.equal(await coins.reward.read.balanceOf([staking.address]), unpaid(coins.reward.address))
  t.equal(await chain.balance(staking.address), unpaid(zeroAddress))

  // When all streams have ended nothing is left but rounding: under two units an event.
  await clock.pass(200_000)
  for (const { poolId, of } of followers.filter((item) => item.of.pool.totalStaked > 0n)) {
    const lost = of.funded - of.paid - total(await readEarned(poolId, of))
    t.ok(lost >= 0n && lost < 2n * BigInt(stepsPerWalk), `pool ${poolId} keeps ${lost}`)
  }
})

const idle: StakingPool = {
  totalStaked: 0n,
  rewardRate: 0n,
  rewardPerToken: 0n,
  lastUpdateTime: 1_000n,
  periodFinish: 0n,
}

t.test('the APR is a year of rewards in percent of the stake, and 0 after the stream ends', async (t) => {
  const pool: StakingPool = { ...fundAt(idle, 1_000n, 5_000n, 2_000n), totalStaked: 10n }
  t.equal(pool.rewardRate, 5n * rewardPrecision)
  t.equal(yearlyRewardsAt(pool, 2_999n), 5n * 31_536_000n)
  t.equal(aprPercentAt(pool, 4n * 5n * 31_536_000n, 2_500n), 25)
  t.equal(yearlyRewardsAt(pool, 3_000n), 0n)
  t.equal(aprPercentAt(pool, 100n, 3_000n), 0)
  t.equal(aprPercentAt(pool, null, 2_500n), null, 'no price')
  t.equal(aprPercentAt(pool, 0n, 2_500n), null, 'no stake')
})

t.test('without stakes the end of the stream is postponed and nothing is earned', async (t) => {
  const pool = fundAt(idle, 1_000n, 5_000n, 2_000n)
  t.equal(periodFinishAt(pool, 2_000n), 3_000n)
  t.equal(periodFinishAt(pool, 9_000n), 10_000n)
  t.ok(yearlyRewardsAt(pool, 9_000n) > 0n)
  t.equal(earnedAt(pool, { staked: 0n, rewards: 7n, rewardPerTokenPaid: 0n }, 9_000n), 7n)
  t.equal(periodFinishAt({ ...pool, totalStaked: 1n }, 9_000n), 3_000n)
  t.equal(periodFinishAt({ ...pool, lastUpdateTime: 3_000n }, 9_000n), 3_000n, 'one that has ended stays ended')
})

function total(amounts: bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}

function pickPool({ totalStaked, rewardRate, rewardPerToken, lastUpdateTime, periodFinish }: StakingPool): StakingPool {
  return { totalStaked, rewardRate, rewardPerToken, lastUpdateTime, periodFinish }
}

function demandSame(actual: StakingPool, expected: StakingPool) {
  const [left, right] = [Object.entries(actual).join(' '), Object.entries(expected).join(' ')]
  if (left !== right) throw new Error(`the pool is ${left}, the model says ${right}`)
}
