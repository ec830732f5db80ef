// Tokens that violate ERC-20 harm only the wallets that use them.
import t from 'tap'
import { type Address, getContract, parseEther, zeroAddress } from 'viem'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { hostileTokenAbi } from '../../contracts/artifacts/abi/hostile-token.ts'
import hostileArtifact from '../../contracts/artifacts/HostileToken.json' with { type: 'json' }
import { never, rejectsWith } from './fixtures/chain.ts'
import { day, gas, startRaises, status } from './fixtures/raises.ts'

const mode = { obeys: 0, returnsFalse: 1, returnsNothing: 2, movesNothing: 3 }
const one = 10n ** 18n

const chain = await startRaises(t)
const { raises, token, accounts, send, clock } = chain
const [owner, creator, alice, bob] = accounts
const client = { public: chain.publicClient, wallet: chain.walletClient }
const staking = getContract({ address: chain.feeStaking, abi: feeStakingAbi, client })
for (const account of [alice, bob]) {
  await chain.mine(token.write.mint([account, 10n ** 20n], { account, gas }))
  await chain.mine(token.write.approve([staking.address, never], { account, gas }))
}

async function deployHostile() {
  const address = await chain.deploy(hostileTokenAbi, hostileArtifact)
  const hostile = getContract({ address, abi: hostileTokenAbi, client })
  for (const account of [creator, alice, bob])
    await chain.mine(hostile.write.mint([account, 10n ** 6n], { account, gas }))
  await clock.reach((await chain.publicClient.getBlock()).timestamp + 1n)
  return hostile
}
const createPool = async (stakingToken: Address, reward: Address = zeroAddress) => {
  await send(() => staking.write.createPool([stakingToken, reward, 0n, 1_000n], { account: owner, gas }))
  return staking.read.poolCount()
}
const stake = (pool: bigint, account: Address, amount: bigint) =>
  send(() => staking.write.stake([pool, amount], { account, gas }))
const requestUnstake = (pool: bigint, account: Address, amount: bigint) =>
  send(() => staking.write.requestUnstake([pool, amount], { account, gas }))
const withdraw = (pool: bigint, account: Address) => send(() => staking.write.withdraw([pool], { account, gas }))
const fund = (pool: bigint, amount: bigint, value = 0n) =>
  send(() => staking.write.fund([pool, amount], { account: creator, value, gas }))

t.test(
  'a token that returns false, moves nothing or rebases in a transfer is rejected; one without return data is not',
  async (t) => {
    const hostile = await deployHostile()
    const stakes = await createPool(hostile.address)
    const pays = await createPool(token.address, hostile.address)
    const refuses = async (error: string) => {
      await rejectsWith(t, staking.simulate.stake([stakes, 10n], { account: alice }), error, 'as a stake')
      await rejectsWith(t, staking.simulate.fund([pays, 10n], { account: alice }), error, 'as a reward')
      const parameters = {
        ...chain.parameters(),
        token: hostile.address,
        startAt: clock.now + day,
        endAt: clock.now + 2n * day,
      }
      await rejectsWith(t, raises.simulate.createRaise([parameters], { account: creator }), error, 'for sale')
    }
    await send(() => hostile.write.setMode([mode.returnsFalse], { account: creator, gas }))
    await refuses('SafeERC20FailedOperation')
    await send(() => hostile.write.setMode([mode.movesNothing], { account: creator, gas }))
    await refuses('TransferFee')
    await send(() => hostile.write.setMode([mode.obeys], { account: creator, gas }))
    for (const index of [one * 2n, one / 2n]) {
      await send(() => hostile.write.rebaseOnTransfer([index], { account: creator, gas }))
      await refuses('TransferFee')
    }
    await send(() => hostile.write.rebaseOnTransfer([0n], { account: creator, gas }))
    await send(() => hostile.write.setMode([mode.returnsNothing], { account: creator, gas }))
    await stake(stakes, alice, 10n)
    await fund(pays, 10n)
    const raise = await chain.create({ token: hostile.address })
    t.equal(await hostile.read.balanceOf([staking.address]), 20n)
    t.equal(await hostile.read.balanceOf([raises.address]), raise.tokenAmount)
  },
)

t.test('a payment whose token returns false changes no state, and succeeds once the token works', async (t) => {
  const hostile = await deployHostile()
  const pool = await createPool(hostile.address, hostile.address)
  await stake(pool, alice, 100n)
  await fund(pool, 1_000n)
  await requestUnstake(pool, alice, 100n)
  await send(() => hostile.write.setMode([mode.returnsFalse], { account: creator, gas }))
  const before = await staking.read.position([pool, alice])
  await rejectsWith(t, staking.simulate.withdraw([pool], { account: alice }), 'SafeERC20FailedOperation')
  await rejectsWith(t, staking.simulate.claim([pool], { account: alice }), 'SafeERC20FailedOperation')
  t.strictSame(await staking.read.position([pool, alice]), before)
  await send(() => hostile.write.setMode([mode.obeys], { account: creator, gas }))
  await withdraw(pool, alice)
  await send(() => staking.write.claim([pool], { account: alice, gas }))
  t.equal(await hostile.read.balanceOf([alice]), 10n ** 6n + before.rewards)
})

t.test('a stake token that shrinks or charges its sender is short only in its own pools', async (t) => {
  const hostile = await deployHostile()
  const shrinking = await createPool(hostile.address)
  const sound = await createPool(token.address)
  for (const account of [alice, bob]) {
    await stake(shrinking, account, 100n)
    await stake(sound, account, 100n)
  }
  for (const pool of [shrinking, sound]) await fund(pool, 1_000n, 1_000n)
  await send(() => hostile.write.setIndex([one / 2n], { account: creator, gas }))
  for (const account of [alice, bob]) await requestUnstake(shrinking, account, 100n)
  await withdraw(shrinking, alice)
  t.equal(await hostile.read.balanceOf([staking.address]), 0n, 'the first one gets all')
  await rejectsWith(t, staking.simulate.withdraw([shrinking], { account: bob }), 'TooFewTokens', 'the last one waits')
  for (const account of [alice, bob]) {
    await requestUnstake(sound, account, 100n)
    await withdraw(sound, account)
    for (const pool of [shrinking, sound]) await send(() => staking.write.claim([pool], { account, gas }))
    t.equal(await token.read.balanceOf([account]), 10n ** 20n)
  }
  await send(() => hostile.write.setSurcharge([500n], { account: creator, gas }))
  await send(() => hostile.write.mint([staking.address, 100n], { account: creator, gas }))
  await rejectsWith(
    t,
    staking.simulate.withdraw([shrinking], { account: bob }),
    'TooFewTokens',
    'five more are missing',
  )
  await send(() => hostile.write.mint([staking.address, 10n], { account: creator, gas }))
  await withdraw(shrinking, bob)
})

t.test('a stake token that grows leaves the growth in the contract, and pays at most the stake', async (t) => {
  const hostile = await deployHostile()
  const pool = await createPool(hostile.address)
  for (const account of [alice, bob]) await stake(pool, account, 100n)
  await send(() => hostile.write.setIndex([one * 3n], { account: creator, gas }))
  for (const account of [alice, bob]) {
    await requestUnstake(pool, account, 100n)
    const before = await hostile.read.balanceOf([account])
    await withdraw(pool, account)
    t.ok((await hostile.read.balanceOf([account])) - before <= 100n)
  }
  t.ok((await hostile.read.balanceOf([staking.address])) >= 400n)
})

t.test('commitments to a failed raise are refunded even if its tokens have vanished', async (t) => {
  const hostile = await deployHostile()
  const raise = await chain.create({ token: hostile.address, startAt: 0n })
  await chain.commit(raise.id, alice, parseEther('1'))
  const sound = await chain.succeed()
  await send(() => hostile.write.setIndex([one / 10_000n], { account: creator, gas }))
  t.equal(await raises.read.status([raise.id]), status.failed, 'it ended before the other one')
  await rejectsWith(t, raises.simulate.finalize([raise.id], { account: creator }), 'TooFewTokens')
  const refund = () => raises.write.refund([raise.id], { account: alice, gas })
  t.equal(await chain.gain(alice, refund), parseEther('1'))
  await send(() => raises.write.claim([sound.id], { account: bob, gas }))
})

t.test(
  'in a dissolved raise, a frozen token blocks only the refunds of wallets that have claimed their tokens',
  async (t) => {
    const hostile = await deployHostile()
    const raise = await chain.succeed({ token: hostile.address })
    await send(() => raises.write.claim([raise.id], { account: alice, gas }))
    await chain.execute((await chain.pass(raise.id, 'dissolve', alice)).id)
    await send(() => hostile.write.setMode([mode.returnsFalse], { account: creator, gas }))
    await rejectsWith(t, raises.simulate.refund([raise.id], { account: alice }), 'SafeERC20FailedOperation')
    const refund = (account: Address) => () => raises.write.refund([raise.id], { account, gas })
    t.equal(await chain.gain(bob, refund(bob)), parseEther('2'))
    await send(() => hostile.write.setMode([mode.movesNothing], { account: creator, gas }))
    t.equal(await chain.gain(alice, refund(alice)), parseEther('6'))
    t.match(
      await raises.read.raise([raise.id]),
      { tokensReclaimable: 250n },
      'the creator gets nothing that did not arrive',
    )
  },
)
