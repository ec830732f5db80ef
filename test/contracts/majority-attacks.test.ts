// Each way in which a majority took the money of the others before exits, paces and pauses existed, under the rules of
// `npm run deploy`. Amounts are in ether; the victims do what a person does who looks once a day.
import t from 'tap'
import { type Address, parseEther } from 'viem'
import { raiseRules } from '../../contracts/deploy/creations.ts'
import { never, rejectsWith } from './fixtures/chain.ts'
import { against, day, forIt, gas, hour, startRaises, state, status } from './fixtures/raises.ts'

const chain = await startRaises(t, raiseRules)
const { raises, token, clock, accounts, create, send, commit, gain, vote, execute, propose, stateOf } = chain
const [, creator, alice, bob, carol] = accounts
const [mallory, trudy, oscar] = accounts.slice(5, 8) as [Address, Address, Address]
const ether = parseEther
/** What the form of the client and the SDK chose by default. */
const defaults = { votingDelay: Number(day), votingPeriod: 3 * Number(day), quorumBps: 4_000, goalMax: ether('100') }
const timeOut = { ...defaults, votingPeriod: Number(day) }

const finalize = (raise: { id: bigint; endAt: bigint }) =>
  send(() => raises.write.finalize([raise.id], { gas }), clock.now >= raise.endAt ? clock.now + 1n : raise.endAt)
const exit = (proposal: bigint, account: Address) =>
  gain(account, () => raises.write.exit([proposal], { account, gas }))
/** A proposal of `proposer` that `voters` pass; others may leave now. */
async function passBy(raise: bigint, amount: bigint, proposer: Address, voters: Address[]) {
  const proposal = await propose(raise, amount, proposer, proposer)
  await clock.set(proposal.voteStart)
  for (const [index, voter] of voters.entries())
    await vote(proposal.id, voter, forIt, proposal.voteStart + BigInt(index))
  await clock.reach(proposal.voteEnd)
  t.equal(await stateOf(proposal.id), state.succeeded)
  return proposal
}
async function dissolveIdle(raise: bigint) {
  await send(() => raises.write.dissolve([raise], { account: carol, gas }), clock.now + 180n * day)
}
const refund = (raise: bigint, account: Address) => gain(account, () => raises.write.refund([raise], { account, gas }))

t.test('a wallet that commits a majority in the last seconds gets nothing from the others', async (t) => {
  const raise = await create({ ...defaults, goalMin: ether('20') })
  await commit(raise.id, alice, ether('20'), raise.startAt)
  await commit(raise.id, bob, ether('10'))
  await commit(raise.id, mallory, ether('31'), raise.endAt - 10n)
  await finalize(raise)
  const all = raises.simulate.propose([raise.id, ether('61'), mallory, 'All', ''], { account: mallory })
  await rejectsWith(t, all, 'ExceedsReleaseLimit')
  const proposal = await passBy(raise.id, ether('15.25'), mallory, [mallory])
  await rejectsWith(t, raises.simulate.execute([proposal.id]), 'ExitWindowOpen', 'not the second the vote is over')
  t.equal(await exit(proposal.id, alice), ether('20'), 'who did not vote')
  t.equal(await exit(proposal.id, bob), ether('10'))
  await rejectsWith(t, raises.simulate.exit([proposal.id], { account: mallory }), 'VotedFor')
  const paid = await gain(
    mallory,
    () => raises.write.execute([proposal.id], { account: carol, gas }),
    proposal.executableAt,
  )
  t.equal(paid, ether('7.75'), 'a quarter of the attacker’s own 31')
  await dissolveIdle(raise.id)
  t.equal(paid + (await refund(raise.id, mallory)), ether('31'), 'no more than it brought')
})

t.test('a majority by one coin gets only its own tokens when the others exit', async (t) => {
  const raise = await create({ ...defaults, tokenAmount: 1_000_000n })
  await commit(raise.id, alice, ether('45'), raise.startAt)
  await commit(raise.id, mallory, ether('46'), raise.endAt - 1n)
  await finalize(raise)
  const before = await token.read.balanceOf([creator])
  const proposal = await passBy(raise.id, ether('22'), mallory, [mallory])
  t.equal(await exit(proposal.id, alice), ether('45'))
  await send(() => raises.write.claim([raise.id], { account: mallory, gas }))
  t.equal(await token.read.balanceOf([mallory]), 505_494n)
  await rejectsWith(t, raises.simulate.claim([raise.id], { account: alice }), 'NothingToClaim')
  await send(() => raises.write.reclaimTokens([raise.id], { account: carol, gas }))
  t.equal((await token.read.balanceOf([creator])) - before, 494_505n, 'the tokens of who left go back to the creator')
})

t.test('a creator who fills the goal from their other wallets gets nothing from other committers', async (t) => {
  const raise = await create({ ...defaults, goalMin: ether('50'), goalMax: ether('60'), walletMax: ether('10') })
  await commit(raise.id, alice, ether('6'), raise.startAt)
  await commit(raise.id, bob, ether('4'))
  const own = [mallory, trudy, oscar, accounts[8]!]
  for (const account of own) await commit(raise.id, account, ether('10'))
  const self = raises.simulate.commit([raise.id], { account: creator, value: 1n })
  await rejectsWith(t, self, 'CreatorCannotCommit', 'neither towards the goal nor to vote')
  await finalize(raise)
  t.equal(await raises.read.status([raise.id]), status.finalized)
  const proposal = await passBy(raise.id, ether('12.5'), creator, own)
  t.equal((await exit(proposal.id, alice)) + (await exit(proposal.id, bob)), ether('10'))
  await execute(proposal.id, proposal.executableAt)
  t.match(await raises.read.raise([raise.id]), { released: ether('10'), exitedAmount: ether('10') })
})

t.test('a voting delay or period below one day, or a quorum below 10 %, is rejected', async (t) => {
  const refuses = (changes: object) =>
    rejectsWith(
      t,
      raises.simulate.createRaise([{ ...chain.parameters(), ...timeOut, ...changes }], { account: creator }),
      'InvalidVoting',
    )
  await refuses({ votingDelay: 0 })
  await refuses({ votingDelay: Number(day) - 1 })
  await refuses({ votingPeriod: Number(hour) })
  await refuses({ votingPeriod: Number(day) - 1 })
  await refuses({ quorumBps: 999 })
})

t.test('a proposer waits a day after each vote, and an opponent of a passed proposal can exit', async (t) => {
  const raise = await create({ ...timeOut, quorumBps: 1_000 })
  await commit(raise.id, alice, ether('6'), raise.startAt)
  await commit(raise.id, mallory, ether('5'))
  await finalize(raise)
  const again = () => raises.simulate.propose([raise.id, ether('2'), mallory, 'Pay', ''], { account: mallory })
  const began = clock.now
  for (let attempt = 0; attempt < 2; attempt++) {
    const { id, voteStart, voteEnd } = await propose(raise.id, ether('2'), mallory, mallory)
    await vote(id, mallory, forIt, voteStart)
    await vote(id, alice, against)
    if (attempt === 1) await send(() => raises.write.cancelProposal([id], { account: mallory, gas }))
    await clock.reach(voteEnd)
    await rejectsWith(t, again(), 'ProposedTooSoon')
    await clock.reach(voteEnd + day - 1n)
    await rejectsWith(t, again(), 'ProposedTooSoon', attempt === 1 ? 'cancelling it is no way around' : 'defeated')
    await clock.reach(voteEnd + day)
  }
  t.ok(clock.now - began >= 6n * day, 'three days each')
  const missed = await passBy(raise.id, ether('2'), mallory, [mallory])
  t.equal(await exit(missed.id, alice), ether('6'), 'and who misses a vote has another day to leave')
})

t.test('an inactive opponent loses at most a quarter in seven days', async (t) => {
  const raise = await create({ ...timeOut, quorumBps: 1_000, goalMax: ether('40') })
  const wallets = [mallory, trudy, oscar]
  await commit(raise.id, alice, ether('10'), raise.startAt)
  for (const account of wallets) await commit(raise.id, account, ether('10'))
  await finalize(raise)
  const proposals: Awaited<ReturnType<typeof propose>>[] = []
  for (const account of wallets) proposals.push(await propose(raise.id, ether('10'), account, mallory))
  for (const { id, voteStart } of proposals)
    await vote(id, mallory, forIt, clock.now >= voteStart ? clock.now + 1n : voteStart)
  const [first, second] = proposals as [(typeof proposals)[number], (typeof proposals)[number]]
  await execute(first.id, proposals.at(-1)!.executableAt)
  const releasedAt = clock.now
  await clock.reach(releasedAt + 7n * day - 1n)
  await rejectsWith(t, raises.simulate.execute([second.id]), 'ExceedsReleaseLimit')
  t.equal(await exit(second.id, alice), ether('7.5'), 'who wakes up leaves with the rest')
  t.match(await raises.read.raise([raise.id]), { releasedInPeriod: ether('10'), lastReleaseAt: releasedAt })
  await execute(second.id, releasedAt + 7n * day)
  t.match(await raises.read.raise([raise.id]), { released: ether('17.5') }, 'of what remains: 10 * 30 / 40')
})

t.test('the release limit holds for any period of seven days', async (t) => {
  const raise = await create({ ...timeOut, goalMax: ether('40') })
  await commit(raise.id, mallory, ether('40'), raise.startAt)
  await finalize(raise)
  const small = await passBy(raise.id, ether('4'), mallory, [mallory])
  await execute(small.id, small.executableAt)
  const start = clock.now
  const two = [await propose(raise.id, ether('6'), mallory), await propose(raise.id, ether('10'), creator)]
  for (const { id, voteStart } of two)
    await vote(id, mallory, forIt, clock.now >= voteStart ? clock.now + 1n : voteStart)
  await execute(two[0]!.id, start + 7n * day - 1n)
  await clock.reach(start + 13n * day)
  await rejectsWith(t, raises.simulate.execute([two[1]!.id]), 'ExceedsReleaseLimit', '6 + 10 within seven days')
  await execute(two[1]!.id, start + 14n * day - 1n)
})

t.test('a token frozen by its creator does not block exits', async (t) => {
  const raise = await create({ ...timeOut, goalMax: ether('20') })
  await commit(raise.id, alice, ether('4'), raise.startAt)
  await commit(raise.id, bob, ether('2'))
  await commit(raise.id, mallory, ether('14'))
  await finalize(raise)
  for (const account of [alice, bob]) await send(() => raises.write.claim([raise.id], { account, gas }))
  const first = await passBy(raise.id, ether('5'), creator, [mallory])
  await execute(first.id, first.executableAt)
  const second = await passBy(raise.id, ether('5'), creator, [mallory])
  await chain.mine(token.write.setBlocked([true], { account: creator, gas }))
  await clock.reach((await chain.publicClient.getBlock()).timestamp + 1n)
  t.equal(await exit(second.id, alice), 0n, 'the money of who has claimed is set aside')
  t.match(await raises.read.commitment([raise.id, alice]), {
    ...{ exited: true, refunded: false, refundDue: ether('3'), tokensGivenUp: 150n },
  })
  await rejectsWith(t, raises.simulate.refund([raise.id], { account: alice }), 'ERC20InsufficientAllowance')
  t.match(await raises.read.raise([raise.id]), { exitedWeight: ether('4'), exitedAmount: ether('3'), refunded: 0n })
  await rejectsWith(t, raises.simulate.exit([second.id], { account: alice }), 'NoWeight', 'once only')
  await execute(second.id, first.executableAt + 7n * day)
  t.match(await raises.read.raise([raise.id]), { released: ether('9') }, '5 * 16 / 20')
  await dissolveIdle(raise.id)
  await chain.mine(token.write.setBlocked([false], { account: creator, gas }))
  await chain.mine(token.write.approve([raises.address, never], { account: alice, gas }))
  await clock.reach((await chain.publicClient.getBlock()).timestamp + 1n)
  t.equal(await refund(raise.id, alice), ether('3'), 'nobody else could take it')
  await rejectsWith(t, raises.simulate.refund([raise.id], { account: alice }), 'NothingToRefund')
  t.equal(await token.read.balanceOf([alice]), 50n, 'for the coin that was released, of 200')
})

t.test('a wallet that exited cannot vote, propose, claim or share in a dissolution', async (t) => {
  const raise = await create({ ...timeOut, goalMax: ether('20') })
  await commit(raise.id, alice, ether('4'), raise.startAt)
  await commit(raise.id, mallory, ether('16'))
  await finalize(raise)
  const first = await passBy(raise.id, ether('4'), mallory, [mallory])
  const open = await propose(raise.id, ether('4'), creator)
  await vote(open.id, alice, against, open.voteStart)
  t.equal(await exit(first.id, alice), ether('4'))
  await rejectsWith(t, raises.simulate.vote([open.id, forIt], { account: alice }), 'NoWeight')
  const propose1 = raises.simulate.propose([raise.id, 1n, alice, 'Pay', ''], { account: alice })
  await rejectsWith(t, propose1, 'NoWeight')
  await rejectsWith(t, raises.simulate.claim([raise.id], { account: alice }), 'NothingToClaim')
  await rejectsWith(t, raises.simulate.exit([open.id], { account: mallory }), 'WrongState', 'only once a vote passed')
  const next = await propose(raise.id, ether('4'), mallory)
  t.match(next, { totalWeight: ether('16'), quorum: ether('6.4') })
  await dissolveIdle(raise.id)
  await rejectsWith(t, raises.simulate.refund([raise.id], { account: alice }), 'NothingToRefund')
  t.equal(await refund(raise.id, mallory), ether('16'))
})
