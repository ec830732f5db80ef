import t from 'tap'
import { encodeFunctionData, getAddress, parseEther, toFunctionSelector, zeroAddress } from 'viem'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { reentererAbi } from '../../contracts/artifacts/abi/reenterer.ts'
import reentererArtifact from '../../contracts/artifacts/Reenterer.json' with { type: 'json' }
import { rejectsWith } from './fixtures/chain.ts'
import { abstain, against, day, forIt, gas, hour, startRaises, state } from './fixtures/raises.ts'

const chain = await startRaises(t)
const { raises, clock, accounts, create, send, commit, succeed, gain, vote, execute, propose, pass, stateOf } = chain
const [, creator, alice, bob, carol] = accounts
const ether = parseEther
type Account = typeof alice

const simulatePropose = (id: bigint, amount: bigint, account: Account, recipient: Account = carol) =>
  raises.simulate.propose([id, amount, recipient, 'Pay', 'ipfs://why'], { account })

t.test('a proposal is voted on by weight, and pays its recipient once', async (t) => {
  const raise = await succeed()
  const proposal = await propose(raise.id, ether('3'))
  t.match(proposal, { raiseId: raise.id, proposer: getAddress(creator), amount: ether('3'), title: 'Pay' })
  t.match(proposal, { recipient: getAddress(carol), descriptionURI: 'ipfs://why', quorum: ether('3.2') })
  t.equal(proposal.voteStart, clock.now + hour)
  t.equal(proposal.voteEnd, clock.now + hour + day)
  t.match(proposal, { executableAt: proposal.voteEnd + hour, expiresAt: proposal.voteEnd + hour + 14n * day })
  t.equal(proposal.totalWeight, ether('8'))
  await clock.reach(proposal.voteStart - 2n)
  t.equal(await stateOf(proposal.id), state.pending)
  await rejectsWith(t, raises.simulate.vote([proposal.id, forIt], { account: alice }), 'WrongState', 'too early')
  await vote(proposal.id, bob, against, proposal.voteStart)
  t.equal(await stateOf(proposal.id), state.active)
  const receipt = await vote(proposal.id, alice, forIt, proposal.voteEnd - 1n)
  t.match(chain.logs(receipt)[0], {
    eventName: 'VoteCast',
    args: { raiseId: raise.id, voter: getAddress(alice), support: forIt, weight: ether('6'), forVotes: ether('6') },
  })
  t.match(chain.logs(receipt)[0], { args: { againstVotes: ether('2'), abstainVotes: 0n } })
  await rejectsWith(t, raises.simulate.execute([proposal.id]), 'WrongState', 'before the vote is over')
  await clock.reach(proposal.voteEnd)
  t.equal(await stateOf(proposal.id), state.succeeded)
  await rejectsWith(t, raises.simulate.vote([proposal.id, against], { account: carol }), 'WrongState', 'too late')
  await clock.reach(proposal.executableAt - 1n)
  await rejectsWith(t, raises.simulate.execute([proposal.id]), 'ExitWindowOpen', 'others may still leave')

  const paid = await gain(carol, () => raises.write.execute([proposal.id], { account: bob, gas }))
  t.equal(paid, ether('3'))
  t.equal(await stateOf(proposal.id), state.executed)
  t.match(await raises.read.raise([raise.id]), { released: ether('3'), lastReleaseAt: clock.now })
  await rejectsWith(t, raises.simulate.execute([proposal.id]), 'WrongState', 'once only')
  await rejectsWith(t, raises.simulate.cancelProposal([proposal.id], { account: creator }), 'WrongState')
})

t.test('votes for and abstentions count towards the quorum, and a tie is a defeat', async (t) => {
  // 8 coins, quorum 3.2: dave's 0.2 make the difference of an abstention.
  const raise = await create({ goalMax: ether('8') })
  const [dave, erin] = [accounts[5]!, accounts[6]!]
  const shares = [
    [alice, '3'],
    [bob, '3'],
    [dave, '0.2'],
    [erin, '1.8'],
  ] as const
  for (const [index, [account, value]] of shares.entries()) {
    await commit(raise.id, account, ether(value), raise.startAt + BigInt(index))
  }
  await send(() => raises.write.finalize([raise.id], { gas }))
  const cases: [votes: [Account, number][], expected: number, what: string][] = [
    [[[alice, forIt]], state.defeated, '3 of 3.2'],
    [
      [
        [alice, forIt],
        [dave, abstain],
      ],
      state.succeeded,
      'exactly the quorum',
    ],
    [
      [
        [alice, forIt],
        [dave, against],
      ],
      state.defeated,
      'who is against does not help to reach it',
    ],
    [
      [
        [alice, forIt],
        [bob, against],
        [erin, abstain],
      ],
      state.defeated,
      'a tie',
    ],
    [
      [
        [alice, forIt],
        [bob, against],
        [dave, forIt],
      ],
      state.succeeded,
      'a majority by 0.2',
    ],
    [
      [
        [bob, abstain],
        [erin, abstain],
      ],
      state.defeated,
      'abstentions alone',
    ],
    [[], state.defeated, 'nobody'],
  ]
  for (const [votes, expected, what] of cases) {
    const proposal = await propose(raise.id, 1n)
    await clock.set(proposal.voteStart)
    for (const [index, [account, support]] of votes.entries()) {
      await vote(proposal.id, account, support, proposal.voteStart + BigInt(index))
    }
    await clock.reach(proposal.voteEnd)
    t.equal(await stateOf(proposal.id), expected, what)
    await clock.reach(proposal.voteEnd + day)
  }
})

t.test('the quorum is rounded up', async (t) => {
  const raise = await create({ goalMin: 1n, goalMax: 7n, quorumBps: 5_000 })
  await commit(raise.id, alice, 7n, raise.startAt)
  await send(() => raises.write.finalize([raise.id], { gas }))
  t.equal((await propose(raise.id, 7n)).quorum, 4n)
})

t.test('only committers vote, and a vote can be changed until the end', async (t) => {
  const raise = await succeed()
  const { id, voteStart, voteEnd } = await propose(raise.id, 1n)
  await clock.reach(voteStart)
  const simulate = (account: Account, support: number) => raises.simulate.vote([id, support], { account })
  await rejectsWith(t, simulate(carol, forIt), 'NoWeight')
  await rejectsWith(t, simulate(creator, forIt), 'NoWeight', 'who created the raise and committed nothing')
  await rejectsWith(t, simulate(alice, 3), 'InvalidSupport')
  await vote(id, alice, abstain)
  await vote(id, bob, forIt)
  await rejectsWith(t, simulate(alice, abstain), 'AlreadyVoted', 'the same again')
  await vote(id, alice, forIt)
  const changed = await vote(id, alice, against, voteEnd - 1n)
  t.match(chain.logs(changed)[0], {
    eventName: 'VoteCast',
    args: { support: against, weight: ether('6'), forVotes: ether('2'), againstVotes: ether('6'), abstainVotes: 0n },
  })
  t.strictSame(await raises.read.votes([id, alice]), [true, against])
  t.strictSame(await raises.read.votes([id, carol]), [false, 0])
  await rejectsWith(t, raises.simulate.vote([id + 1n, forIt], { account: alice }), 'UnknownProposal')
})

t.test('the creator and committers of at least one percent may have one open proposal each', async (t) => {
  const raise = await create({ goalMax: ether('100') })
  await rejectsWith(t, simulatePropose(raise.id, 1n, creator), 'WrongStatus', 'not before the raise is finalized')
  await commit(raise.id, alice, ether('98') + 1n, raise.startAt)
  await commit(raise.id, bob, ether('1'))
  await commit(raise.id, carol, ether('1') - 1n)
  await rejectsWith(t, simulatePropose(raise.id, 1n, creator), 'WrongStatus', 'full, but not finalized')
  await send(() => raises.write.finalize([raise.id], { gas }))
  await rejectsWith(t, simulatePropose(raise.id, 1n, carol), 'NoWeight', 'a wei below one percent')
  await rejectsWith(t, simulatePropose(raise.id, 1n, accounts[5]!), 'NoWeight')
  const first = await propose(raise.id, 1n, bob)
  await rejectsWith(t, simulatePropose(raise.id, 1n, bob), 'ProposalStillOpen', 'pending')
  await clock.reach(first.voteStart)
  await rejectsWith(t, simulatePropose(raise.id, 1n, bob), 'ProposalStillOpen', 'under vote')
  await t.resolves(simulatePropose(raise.id, 1n, creator), 'each has their own')
  await clock.reach(first.voteEnd + day - 1n)
  await rejectsWith(t, simulatePropose(raise.id, 1n, bob), 'ProposedTooSoon', 'defeated a day ago, less a second')
  await clock.reach(first.voteEnd + day)
  await t.resolves(simulatePropose(raise.id, 1n, bob), 'a day after the vote')
  await rejectsWith(t, simulatePropose(raise.id, 0n, creator), 'ExceedsEscrow')
  await rejectsWith(t, simulatePropose(raise.id, ether('100') + 1n, creator), 'ExceedsEscrow')
  await rejectsWith(t, simulatePropose(raise.id, 1n, creator, zeroAddress), 'InvalidRecipient')
  await rejectsWith(t, simulatePropose(raise.id, 1n, creator, raises.address), 'InvalidRecipient')
  const untitled = raises.simulate.propose([raise.id, 1n, carol, '', ''], { account: creator })
  await rejectsWith(t, untitled, 'InvalidText')
})

t.test('a proposer may cancel a proposal', async (t) => {
  const raise = await succeed()
  const { id } = await pass(raise.id, ether('1'), alice)
  await rejectsWith(t, raises.simulate.cancelProposal([id], { account: creator }), 'OnlyProposer')
  const receipt = await send(() => raises.write.cancelProposal([id], { account: alice, gas }))
  t.match(chain.logs(receipt)[0], { eventName: 'ProposalCancelled', args: { proposalId: id, raiseId: raise.id } })
  t.equal(await stateOf(id), state.cancelled)
  await rejectsWith(t, raises.simulate.execute([id]), 'WrongState')
  await rejectsWith(t, simulatePropose(raise.id, 1n, alice), 'ProposedTooSoon', 'cancelled after its vote')
  await clock.reach(clock.now + day)
  const mistyped = await propose(raise.id, 1n, alice)
  await send(() => raises.write.cancelProposal([mistyped.id], { account: alice, gas }))
  const next = await propose(raise.id, 1n, alice)
  await clock.reach(next.voteEnd)
  await rejectsWith(t, raises.simulate.cancelProposal([next.id], { account: alice }), 'WrongState', 'defeated')
})

t.test('a proposal that exceeds the remaining escrow cannot be executed', async (t) => {
  const raise = await succeed()
  const first = await propose(raise.id, ether('5'), creator)
  const second = await propose(raise.id, ether('5'), alice)
  await vote(first.id, alice, forIt, second.voteStart)
  await vote(second.id, alice, forIt)
  await execute(second.id, second.executableAt)
  await rejectsWith(t, raises.simulate.execute([first.id]), 'ExceedsEscrow')
  const rest = await pass(raise.id, ether('3'))
  await execute(rest.id)
  t.match(await raises.read.raise([raise.id]), { released: ether('8') })
  await rejectsWith(t, simulatePropose(raise.id, 1n, creator), 'ExceedsEscrow')
})

t.test('a proposal that passed expires two weeks after its exit window', async (t) => {
  const raise = await succeed()
  const { id, expiresAt } = await pass(raise.id, ether('1'))
  await clock.reach(expiresAt - 1n)
  t.equal(await stateOf(id), state.succeeded)
  await t.resolves(raises.simulate.execute([id]))
  await clock.reach(expiresAt)
  t.equal(await stateOf(id), state.expired)
  await rejectsWith(t, raises.simulate.execute([id]), 'WrongState')
  await rejectsWith(t, raises.simulate.exit([id], { account: bob }), 'WrongState')
  await rejectsWith(t, raises.simulate.cancelProposal([id], { account: creator }), 'WrongState')
  await t.resolves(simulatePropose(raise.id, 1n, creator), 'another may follow at once')
  const dissolution = await pass(raise.id, 'dissolve', alice)
  t.equal(dissolution.executableAt, dissolution.voteEnd, 'a dissolution has no exit window')
  await execute(dissolution.id)
  t.equal(await stateOf(id), state.expired, 'for good')
})

t.test('a recipient that rejects coins is not paid, and one that re-enters is paid once', async (t) => {
  const thief = await chain.deploy(reentererAbi, reentererArtifact)
  const as = { address: thief, abi: reentererAbi, account: bob } as const
  await clock.reach(clock.now + 60n)
  const raise = await succeed()
  const { id } = await pass(raise.id, ether('1'), creator, thief)
  const data = encodeFunctionData({ abi: raisesAbi, functionName: 'execute', args: [id] })
  await send(() => chain.walletClient.writeContract({ ...as, functionName: 'setRefusing', args: [true], gas }))
  await rejectsWith(t, raises.simulate.execute([id]), 'Refused')
  t.equal(await stateOf(id), state.succeeded)
  await send(() => chain.walletClient.writeContract({ ...as, functionName: 'setRefusing', args: [false], gas }))
  await send(() =>
    chain.walletClient.writeContract({ ...as, functionName: 'arm', args: [raises.address, 0n, data], gas }),
  )
  await execute(id)
  const result = await chain.publicClient.readContract({ ...as, functionName: 'result' })
  t.equal(result, toFunctionSelector('ReentrancyGuardReentrantCall()'))
  t.equal(await chain.balance(thief), ether('1'))
})
