import t from 'tap'
import { encodeFunctionData, getAddress, parseEther, toFunctionSelector } from 'viem'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { reentererAbi } from '../../contracts/artifacts/abi/reenterer.ts'
import reentererArtifact from '../../contracts/artifacts/Reenterer.json' with { type: 'json' }
import { rejectsWith } from './fixtures/chain.ts'
import { day, gas, hour, startRaises, status } from './fixtures/raises.ts'

const chain = await startRaises(t)
const { raises, token, clock, accounts, create, send, commit, succeed, gain } = chain
const [, creator, alice, bob, carol] = accounts
const ether = parseEther
const read = (id: bigint) => raises.read.raise([id])
const statusOf = (id: bigint) => raises.read.status([id])
const finalize = (id: bigint, time = clock.now + 1n) =>
  send(() => raises.write.finalize([id], { account: carol, gas }), time)

t.test('a raise takes its tokens, goes from upcoming to finalized, and distributes the tokens', async (t) => {
  const before = await token.read.balanceOf([creator])
  const raise = await create()
  t.equal(before - (await token.read.balanceOf([creator])), 1_000n)
  t.match(chain.logs(raise.receipt)[0], {
    args: { creator: getAddress(creator), token: getAddress(token.address), params: { title: 'A raise' } },
  })
  t.equal(raise.walletMax, raise.goalMax, 'the event says what no limit means')
  t.equal(await statusOf(raise.id), status.upcoming)
  await clock.reach(raise.startAt - 2n)
  await rejectsWith(t, raises.simulate.commit([raise.id], { account: alice, value: 1n }), 'WrongStatus')
  await commit(raise.id, alice, ether('1'), raise.startAt)
  const second = await commit(raise.id, alice, ether('2'))
  t.match(chain.logs(second)[0], {
    eventName: 'Committed',
    args: { amount: ether('2'), walletTotal: ether('3'), totalCommitted: ether('3'), participantCount: 1n },
  })
  await commit(raise.id, bob, ether('4'), raise.endAt - 1n)
  await rejectsWith(t, raises.simulate.finalize([raise.id]), 'WrongStatus', 'not before the end')
  await clock.reach(raise.endAt)
  t.equal(await statusOf(raise.id), status.succeeded)
  await rejectsWith(t, raises.simulate.commit([raise.id], { account: alice, value: 1n }), 'WrongStatus')
  await rejectsWith(t, raises.simulate.claim([raise.id], { account: alice }), 'WrongStatus')

  t.match(chain.logs(await finalize(raise.id))[0], {
    eventName: 'Finalized',
    args: { caller: getAddress(carol), status: status.finalized, totalCommitted: ether('7') },
  })
  await rejectsWith(t, raises.simulate.finalize([raise.id]), 'AlreadyFinalized')
  for (const [account, share] of [
    [alice, 428n],
    [bob, 571n],
  ] as const) {
    await send(() => raises.write.claim([raise.id], { account, gas }))
    t.equal(await token.read.balanceOf([account]), share, 'rounded down')
    await rejectsWith(t, raises.simulate.claim([raise.id], { account }), 'NothingToClaim')
    await rejectsWith(t, raises.simulate.refund([raise.id], { account }), 'RefundNotOpen')
  }
  await rejectsWith(t, raises.simulate.claim([raise.id], { account: carol }), 'NothingToClaim')
  t.equal(await chain.balance(raises.address), ether('7'), 'the money stays')
})

t.test('registration ends at the start of the raise, and only registered wallets may commit', async (t) => {
  const start = clock.now + 1_000n
  const raise = await create({ registrationRequired: true, registrationStart: start, startAt: start + 500n })
  const register = (account: typeof alice) => raises.simulate.register([raise.id], { account })
  await clock.reach(start - 1n)
  t.equal(await statusOf(raise.id), status.upcoming)
  await rejectsWith(t, register(alice), 'WrongStatus')
  await send(() => raises.write.register([raise.id], { account: alice, gas }), start)
  t.equal(await statusOf(raise.id), status.registration)
  await rejectsWith(t, register(alice), 'AlreadyRegistered')
  const receipt = await send(() => raises.write.register([raise.id], { account: bob, gas }), raise.startAt - 1n)
  t.match(chain.logs(receipt)[0], { eventName: 'Registered', args: { wallet: getAddress(bob), registeredCount: 2n } })
  await clock.reach(raise.startAt)
  await rejectsWith(t, register(carol), 'WrongStatus')
  await rejectsWith(t, raises.simulate.commit([raise.id], { account: carol, value: 1n }), 'NotRegistered')
  await commit(raise.id, alice, 1n)
  t.match(await raises.read.commitment([raise.id, alice]), { registered: true, amount: 1n })
})

t.test('registering for a raise without registration is rejected', async (t) => {
  const raise = await create()
  await rejectsWith(t, raises.simulate.register([raise.id], { account: alice }), 'WrongStatus')
})

t.test('amounts above the goal or the wallet maximum are returned, and a full raise ends at once', async (t) => {
  const raise = await create({ walletMin: ether('2'), walletMax: ether('5'), startAt: 0n })
  t.equal(raise.startAt, clock.now, 'zero is now')
  const spend = (account: typeof alice, value: string) =>
    gain(account, () => raises.write.commit([raise.id], { account, value: ether(value), gas }))
  const refuses = (account: typeof alice, value: string, error: string) =>
    rejectsWith(t, raises.simulate.commit([raise.id], { account, value: ether(value) }), error)
  await refuses(alice, '1.99', 'BelowWalletMinimum')
  await refuses(alice, '0', 'NothingAccepted')
  t.equal(await spend(alice, '2'), -ether('2'))
  t.equal(await spend(alice, '7'), -ether('3'), 'up to the wallet’s maximum')
  await refuses(alice, '1', 'NothingAccepted')
  t.equal(await spend(bob, '4'), -ether('4'))
  await refuses(carol, '0.5', 'BelowWalletMinimum')
  t.equal(await spend(carol, '3'), -ether('1'), 'who fills the goal may stay below the minimum')
  t.match(await read(raise.id), { totalCommitted: ether('10'), participantCount: 3 })
  t.equal(await statusOf(raise.id), status.succeeded)
  await refuses(bob, '1', 'WrongStatus')
  await rejectsWith(t, raises.simulate.cancel([raise.id], { account: creator }), 'WrongStatus')
  await finalize(raise.id)
  t.equal(await statusOf(raise.id), status.finalized, 'long before its end')
})

t.test('a raise that misses its minimum refunds every wallet, whether finalized or not', async (t) => {
  const raise = await create()
  const before = await token.read.balanceOf([creator])
  await commit(raise.id, alice, ether('2.5'), raise.startAt)
  await commit(raise.id, bob, ether('4') - ether('2.5') - 1n)
  await clock.reach(raise.endAt - 1n)
  await rejectsWith(t, raises.simulate.refund([raise.id], { account: alice }), 'RefundNotOpen')
  const refund = (account: typeof alice) => gain(account, () => raises.write.refund([raise.id], { account, gas }))
  await clock.reach(raise.endAt)
  t.equal(await statusOf(raise.id), status.failed)
  t.equal(await refund(alice), ether('2.5'))
  await rejectsWith(t, raises.simulate.refund([raise.id], { account: alice }), 'NothingToRefund')
  await rejectsWith(t, raises.simulate.refund([raise.id], { account: carol }), 'NothingToRefund')
  await rejectsWith(t, raises.simulate.cancel([raise.id], { account: creator }), 'WrongStatus')
  t.match(chain.logs(await finalize(raise.id))[0], { args: { status: status.failed } })
  t.equal((await token.read.balanceOf([creator])) - before, 1_000n, 'the tokens go home')
  await rejectsWith(t, raises.simulate.finalize([raise.id]), 'AlreadyFinalized')
  await rejectsWith(t, raises.simulate.claim([raise.id], { account: bob }), 'WrongStatus')
  t.equal(await refund(bob), ether('1.5') - 1n)
  t.match(await read(raise.id), { refunded: ether('4') - 1n })
})

t.test('only the creator may cancel a raise', async (t) => {
  const before = await token.read.balanceOf([creator])
  const raise = await create()
  await commit(raise.id, alice, ether('5'), raise.startAt)
  await rejectsWith(t, raises.simulate.cancel([raise.id], { account: alice }), 'OnlyCreator')
  await send(() => raises.write.cancel([raise.id], { account: creator, gas }))
  t.equal(await token.read.balanceOf([creator]), before)
  t.equal(await gain(alice, () => raises.write.refund([raise.id], { account: alice, gas })), ether('5'))
  await clock.reach(raise.endAt)
  t.equal(await statusOf(raise.id), status.cancelled)
  await rejectsWith(t, raises.simulate.finalize([raise.id]), 'WrongStatus')
  await rejectsWith(t, raises.simulate.cancel([raise.id], { account: creator }), 'WrongStatus')
})

t.test('invalid parameters and unknown raises are rejected', async (t) => {
  const refuses = (error: string, changes: Partial<ReturnType<typeof chain.parameters>>) =>
    rejectsWith(t, raises.simulate.createRaise([{ ...chain.parameters(), ...changes }], { account: creator }), error)
  const { now } = clock
  const start = now + hour
  await refuses('NotAToken', { token: alice })
  await refuses('InvalidGoals', { goalMin: 0n })
  await refuses('InvalidGoals', { goalMin: ether('11') })
  await refuses('InvalidGoals', { tokenAmount: 0n })
  await refuses('InvalidGoals', { walletMin: 2n, walletMax: 1n })
  await refuses('InvalidGoals', { walletMax: ether('11') })
  await refuses('InvalidTimes', { startAt: now - 1n })
  await refuses('InvalidTimes', { startAt: now + 366n * day, endAt: now + 367n * day })
  await refuses('InvalidTimes', { endAt: start })
  await refuses('InvalidTimes', { endAt: start + 90n * day + 1n })
  await refuses('InvalidTimes', { registrationStart: now })
  await refuses('InvalidTimes', { registrationRequired: true, registrationStart: start })
  await refuses('InvalidTimes', { registrationRequired: true, startAt: 0n })
  await refuses('InvalidVoting', { quorumBps: 999 })
  await refuses('InvalidVoting', { quorumBps: 10_001 })
  await refuses('InvalidVoting', { votingPeriod: 3_599 })
  await refuses('InvalidVoting', { votingPeriod: 30 * 86_400 + 1 })
  await refuses('InvalidVoting', { votingDelay: 7 * 86_400 + 1 })
  await refuses('InvalidText', { title: '' })
  await refuses('InvalidText', { title: 'x'.repeat(121) })
  await refuses('InvalidText', { metadataURI: 'x'.repeat(513) })
  const { id } = await create()
  for (const unknown of [0n, id + 1n]) {
    await rejectsWith(t, raises.simulate.commit([unknown], { account: alice, value: 1n }), 'UnknownRaise')
    await rejectsWith(t, raises.simulate.refund([unknown], { account: alice }), 'UnknownRaise')
    await rejectsWith(t, raises.simulate.cancel([unknown], { account: alice }), 'UnknownRaise')
  }
})

t.test('a token with a transfer fee is rejected, and one that breaks later does not block refunds', async (t) => {
  await chain.mine(token.write.setFee([1n], { account: creator, gas }))
  const parameters = { ...chain.parameters(), tokenAmount: 10_000n }
  await rejectsWith(t, raises.simulate.createRaise([parameters], { account: creator }), 'TransferFee')
  await chain.mine(token.write.setFee([0n], { account: creator, gas }))
  await clock.reach((await chain.publicClient.getBlock()).timestamp + 1n)
  const raise = await create()
  await commit(raise.id, alice, ether('1'), raise.startAt)
  await chain.mine(token.write.setBlocked([true], { account: creator, gas }))
  await clock.reach(raise.endAt)
  t.equal(await gain(alice, () => raises.write.refund([raise.id], { account: alice, gas })), ether('1'))
  await chain.mine(token.write.setBlocked([false], { account: creator, gas }))
  await clock.reach((await chain.publicClient.getBlock()).timestamp + 1n)
})

t.test('a transfer of coins or tokens cannot re-enter the contract', async (t) => {
  const thief = await chain.deploy(reentererAbi, reentererArtifact, [], ether('20'))
  const guard = toFunctionSelector('ReentrancyGuardReentrantCall()')
  const as = { address: thief, abi: reentererAbi, account: bob } as const
  const write = (functionName: 'arm' | 'execute', value: bigint, data: `0x${string}`) =>
    send(() => chain.walletClient.writeContract({ ...as, functionName, args: [raises.address, value, data], gas }))
  const call = (functionName: 'commit' | 'refund' | 'claim', id: bigint) =>
    encodeFunctionData({ abi: raisesAbi, functionName, args: [id] })
  const result = (functionName: 'attempted' | 'succeeded' | 'result') =>
    chain.publicClient.readContract({ ...as, functionName })
  await clock.reach((await chain.publicClient.getBlock()).timestamp + 1n)
  const raise = await create({ startAt: 0n, walletMax: ether('3') })
  await write('arm', ether('1'), call('commit', raise.id))
  await write('execute', ether('5'), call('commit', raise.id))
  t.strictSame([await result('attempted'), await result('result')], [true, guard], 'commit in a clipped commit')
  await send(() => raises.write.cancel([raise.id], { account: creator, gas }))
  await write('arm', 0n, call('refund', raise.id))
  await write('execute', 0n, call('refund', raise.id))
  t.strictSame([await result('attempted'), await result('result')], [true, guard], 'refund in a refund')
  t.equal(await chain.balance(thief), ether('20'))

  const done = await succeed()
  await chain.mine(token.write.arm([raises.address, call('claim', done.id)], { account: bob, gas }))
  await clock.reach((await chain.publicClient.getBlock()).timestamp + 1n)
  await send(() => raises.write.claim([done.id], { account: alice, gas }))
  t.strictSame([await token.read.attempted(), await token.read.result()], [true, guard], 'claim in a claim')
})
