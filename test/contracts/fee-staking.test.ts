import t from 'tap'
import { encodeFunctionData, getAddress, parseEther, toFunctionSelector, zeroAddress } from 'viem'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { reentererAbi } from '../../contracts/artifacts/abi/reenterer.ts'
import { testTokenAbi } from '../../contracts/artifacts/abi/test-token.ts'
import reentererArtifact from '../../contracts/artifacts/Reenterer.json' with { type: 'json' }
import { never, rejectsWith } from './fixtures/chain.ts'
import { gas, startStaking } from './fixtures/staking.ts'

const chain = await startStaking(t)
const { staking, clock, accounts, mine, act, take, fund, createPool } = chain
const [owner, alice, bob, carol] = accounts
const token = await chain.deployToken(alice, bob, carol, owner)
const earned = (poolId: bigint, account: typeof alice) => staking.read.earned([poolId, account])
const guard = toFunctionSelector('ReentrancyGuardReentrantCall()')

t.test('rewards accrue per second, in proportion to the stake', async (t) => {
  const pool = await createPool(token.address)
  await act('stake', pool, alice, 100n, 1)
  await fund(pool, 1_000_000n, 1)
  await clock.pass(10)
  t.equal(await earned(pool, alice), 10_000n, 'alone: 1,000 a second')
  await act('stake', pool, bob, 300n, 90)
  t.equal(await earned(pool, alice), 100_000n)
  await clock.pass(100)
  t.equal(await earned(pool, alice), 125_000n, 'a quarter')
  t.equal(await earned(pool, bob), 75_000n, 'three quarters')
  await clock.pass(10_000)
  t.equal(await earned(pool, alice), 325_000n, 'nothing after the end')
  t.equal(await earned(pool, bob), 675_000n)

  const before = await chain.balance(bob)
  const receipt = await take('claim', pool, bob, 1)
  const cost = receipt.gasUsed * receipt.effectiveGasPrice
  t.equal((await chain.balance(bob)) - before + cost, 675_000n)
  t.match(chain.logs(receipt)[0], {
    eventName: 'RewardPaid',
    args: { poolId: pool, account: bob, amount: 675_000n, staked: 300n, rewards: 0n },
  })
  t.match(await staking.read.position([pool, bob]), { rewards: 0n, claimed: 675_000n, staked: 300n })
  t.match(await staking.read.pool([pool]), { totalFunded: 1_000_000n, totalPaid: 675_000n })
  await rejectsWith(t, staking.simulate.claim([pool], { account: bob }), 'NothingToClaim')
})

t.test('rewards pause without stakers, and none is lost', async (t) => {
  const pool = await createPool(token.address)
  await fund(pool, 1_000_000n, 1)
  await act('stake', pool, alice, 8n, 5_000)
  t.equal((await staking.read.pool([pool])).periodFinish, clock.now + 1_000n, 'all of it is still to come')
  await act('requestUnstake', pool, alice, 8n, 400)
  t.equal(await earned(pool, alice), 400_000n)
  await fund(pool, 600_000n, 123)
  const { periodFinish, lastUpdateTime } = await staking.read.pool([pool])
  t.equal(periodFinish - lastUpdateTime, 800n, '600,000 over 600 s and 600,000 over 1,000 s')
  await act('stake', pool, bob, 1n, 77_777)
  await clock.pass(800)
  t.equal(await earned(pool, alice), 400_000n)
  t.equal(await earned(pool, bob), 1_200_000n)
})

t.test('repeated fundings of one wei do not delay the rewards', async (t) => {
  const pool = await createPool(token.address)
  await act('stake', pool, alice, 1n, 1)
  await fund(pool, parseEther('1'), 1)
  const before = await staking.read.pool([pool])
  t.equal(before.periodFinish, clock.now + 1_000n, 'a funding of an idle pool lasts one period')
  for (let i = 0; i < 5; i++) await fund(pool, 1n, 100, bob)
  const after = await staking.read.pool([pool])
  t.equal(after.periodFinish, before.periodFinish)
  t.ok(after.rewardRate >= before.rewardRate)
  await clock.pass(500)
  t.equal(await earned(pool, alice), parseEther('1') + 4n, 'one unit is lost to rounding, none is made')
})

t.test('an unstaked amount earns nothing, and each request restarts its cooldown', async (t) => {
  const pool = await createPool(token.address, { cooldown: 100n })
  const start = await token.read.balanceOf([carol])
  await act('stake', pool, carol, 50n, 1)
  await fund(pool, 1_000_000n, 1)
  await act('requestUnstake', pool, carol, 25n, 10)
  await act('stake', pool, alice, 75n, 1)
  await clock.pass(10)
  t.equal(await earned(pool, carol), 11_000n + 2_500n, 'a quarter of the last ten seconds')
  await rejectsWith(t, staking.simulate.requestUnstake([pool, 26n], { account: carol }), 'ExceedsStaked')

  const receipt = await act('requestUnstake', pool, carol, 25n, 80)
  t.match(chain.logs(receipt)[0], {
    eventName: 'UnstakeRequested',
    args: { amount: 25n, staked: 0n, totalStaked: 75n, pendingUnstake: 50n, withdrawableAt: clock.now + 100n },
  })
  await clock.pass(99)
  await rejectsWith(t, staking.simulate.withdraw([pool], { account: carol }), 'CoolingDown')
  await take('withdraw', pool, carol, 1)
  t.equal(await token.read.balanceOf([carol]), start)
  await rejectsWith(t, staking.simulate.withdraw([pool], { account: carol }), 'NothingToWithdraw')
  await rejectsWith(t, staking.simulate.withdraw([pool], { account: alice }), 'NothingToWithdraw')
  t.match(await staking.read.position([pool, carol]), { staked: 0n, pendingUnstake: 0n, withdrawableAt: 0n })
})

t.test('a pool may pay rewards in the staked token without using the stake', async (t) => {
  const coin = await chain.deployToken(alice, bob)
  const pool = await createPool(coin.address, { reward: coin.address, cooldown: 0n })
  await act('stake', pool, alice, 1_003n, 1)
  await clock.next(1)
  await mine(staking.write.fund([pool, 500n], { account: bob, gas }))
  await act('requestUnstake', pool, alice, 1_003n, 2_000)
  await take('withdraw', pool, alice, 1)
  await take('claim', pool, alice, 1)
  t.equal(await coin.read.balanceOf([alice]), 10n ** 30n + 499n, 'rounded down')
  t.equal(await coin.read.balanceOf([staking.address]), 1n)
})

t.test('invalid pools and calls are rejected with named errors', async (t) => {
  const pool = await createPool(token.address)
  const rewarded = await createPool(token.address, { reward: token.address })
  const create = (args: [typeof alice, typeof alice, bigint, bigint], account = owner) =>
    staking.simulate.createPool(args, { account })
  await rejectsWith(t, create([token.address, zeroAddress, 0n, 1n], alice), 'OwnableUnauthorizedAccount')
  await rejectsWith(t, create([bob, zeroAddress, 0n, 1n]), 'NotAToken')
  await rejectsWith(t, create([token.address, bob, 0n, 1n]), 'NotAToken')
  await rejectsWith(t, create([token.address, zeroAddress, 90n * 86_400n + 1n, 1n]), 'InvalidPeriod')
  await rejectsWith(t, create([token.address, zeroAddress, 0n, 0n]), 'InvalidPeriod')
  await rejectsWith(t, create([token.address, zeroAddress, 0n, 365n * 86_400n + 1n]), 'InvalidPeriod')
  for (const poolId of [0n, rewarded + 1n]) {
    await rejectsWith(t, staking.simulate.stake([poolId, 1n], { account: alice }), 'UnknownPool')
    await rejectsWith(t, staking.simulate.fund([poolId, 1n], { account: alice, value: 1n }), 'UnknownPool')
    await rejectsWith(t, staking.simulate.claim([poolId], { account: alice }), 'UnknownPool')
    await rejectsWith(t, staking.simulate.withdraw([poolId], { account: alice }), 'UnknownPool')
  }
  await rejectsWith(t, staking.simulate.stake([pool, 0n], { account: alice }), 'ZeroAmount')
  await rejectsWith(t, staking.simulate.requestUnstake([pool, 0n], { account: alice }), 'ZeroAmount')
  await rejectsWith(t, staking.simulate.requestUnstake([pool, 1n], { account: alice }), 'ExceedsStaked')
  await rejectsWith(t, staking.simulate.fund([pool, 0n], { account: alice }), 'ZeroAmount')
  await rejectsWith(t, staking.simulate.fund([pool, 2n], { account: alice, value: 1n }), 'WrongValue')
  await rejectsWith(t, staking.simulate.fund([rewarded, 1n], { account: alice, value: 1n }), 'WrongValue')
  await t.rejects(
    chain.publicClient.call({ account: alice, to: staking.address, value: 1n }),
    /execution reverted/,
    'no stray coins',
  )
})

t.test('a token with a transfer fee is rejected as stake and as reward', async (t) => {
  const taxed = await chain.deployToken(alice)
  const pool = await createPool(taxed.address)
  const rewarded = await createPool(token.address, { reward: taxed.address })
  await act('stake', pool, alice, 10_000n, 1)
  await mine(taxed.write.setFee([1n], { account: alice, gas }))
  await rejectsWith(t, staking.simulate.stake([pool, 10_000n], { account: alice }), 'TransferFee')
  await rejectsWith(t, staking.simulate.fund([rewarded, 10_000n], { account: alice }), 'TransferFee')
})

t.test('a transfer of coins or tokens cannot re-enter the contract', async (t) => {
  const coin = await chain.deployToken(alice)
  const pool = await createPool(coin.address, { cooldown: 0n })
  const encodeClaim = encodeFunctionData({ abi: feeStakingAbi, functionName: 'claim', args: [pool] })
  const thief = await chain.deploy(reentererAbi, reentererArtifact)
  const as = { address: thief, abi: reentererAbi, account: alice } as const
  const execute = (target: typeof alice, data: `0x${string}`) =>
    mine(chain.walletClient.writeContract({ ...as, functionName: 'execute', args: [target, 0n, data], gas }))
  await mine(coin.write.mint([thief, 100n], { account: alice, gas }))
  await execute(
    coin.address,
    encodeFunctionData({ abi: testTokenAbi, functionName: 'approve', args: [staking.address, never] }),
  )
  await execute(staking.address, encodeFunctionData({ abi: feeStakingAbi, functionName: 'stake', args: [pool, 100n] }))
  const { timestamp } = await chain.publicClient.getBlock()
  await fund(pool, 1_000_000n, timestamp - clock.now + 1n)
  await clock.next(500)
  await mine(
    chain.walletClient.writeContract({ ...as, functionName: 'arm', args: [staking.address, 0n, encodeClaim], gas }),
  )
  await clock.next(1)
  await execute(staking.address, encodeClaim)
  const read = (functionName: 'attempted' | 'succeeded' | 'result') =>
    chain.publicClient.readContract({ ...as, functionName })
  t.strictSame([await read('attempted'), await read('succeeded'), await read('result')], [true, false, guard])
  t.equal(await chain.balance(thief), 501_000n, 'paid once')

  await act('stake', pool, alice, 5n, 1)
  await act('requestUnstake', pool, alice, 5n, 1)
  await mine(coin.write.arm([staking.address, encodeClaim], { account: alice, gas }))
  await clock.pass(10)
  await take('withdraw', pool, alice, 1)
  t.equal(await coin.read.attempted(), true)
  t.equal(await coin.read.result(), guard)
})

t.test('the stake can be withdrawn even if the reward token is broken', async (t) => {
  const broken = await chain.deployToken(owner)
  const pool = await createPool(token.address, { reward: broken.address, cooldown: 0n })
  await act('stake', pool, alice, 10n, 1)
  await clock.next(1)
  await mine(staking.write.fund([pool, 1_000_000n], { account: owner, gas }))
  await mine(broken.write.setBlocked([true], { account: alice, gas }))
  await clock.pass(100)
  await rejectsWith(t, staking.simulate.claim([pool], { account: alice }), 'Blocked')
  await act('requestUnstake', pool, alice, 10n, 1)
  const receipt = await take('withdraw', pool, alice, 1)
  t.match(chain.logs(receipt), [{ eventName: 'Withdrawn', args: { account: getAddress(alice), amount: 10n } }])
})
