import type { Static } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { raisesAbi } from '../../../chain/abi/raises.ts'
import { type ProposalState, proposalStateOf, proposalStates } from '../../../chain/raises.ts'
import type { Proposal } from '../../../schemas/proposals.ts'
import type { SyncedProposal, SyncedProposals, SyncedRaise } from '../../../schemas/raise-events.ts'
import type { Raise } from '../../../schemas/raises.ts'
import type { TransactionList } from '../../../schemas/trading.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchForRaises, succeedRaise } from '../../indexer/fixtures/raises.ts'
import { Random } from '../../indexer/fixtures/random.ts'
import { createChainApp } from '../../support/chain-app.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { mounts } from '../../support/client.ts'
import { createQueryCounter, failure, readAll } from '../../support/people.ts'
import { ABSTAIN, AGAINST, EXIT_WINDOW, FOR } from '../../support/raises.ts'

type Transactions = Static<typeof TransactionList>
type ProposalData = Static<typeof Proposal>
interface Proposals {
  items: ProposalData[]
  nextCursor: string | null
}

t.setTimeout(400_000)

const HOUR = 3_600
const DAY = 24 * HOUR

const service = await createChainApp(t)
const { node, deployed, read, post, db, test, chain } = service
const index = () => indexToHead(db, test)
const raising = await launchForRaises(test)
const { raise, owner, ann, bob, eve } = raising
await succeedRaise(test, raising)
const idOf = (number: bigint | number) => `${raise.contract}-${number}`
const run = async (action: Action): Promise<Hex> => (await node.run(action))[0]!.transactionHash
const readProposal = async (number: bigint, wallet?: string) =>
  (await read<ProposalData>(`/proposals/${idOf(number)}`, wallet)).body.data
let proposals = 0n
const readProposalCount = () =>
  chain.client.readContract({ address: deployed.raises, abi: raisesAbi, functionName: 'proposalCount' })
const propose = async (proposer: Address, amount: bigint, recipient: Address) => {
  const hash = await run(raise.propose(proposer, 1n, amount, recipient))
  return { number: ++proposals, hash }
}

for (const mount of mounts) {
  t.test(`a proposal is synced from creation to execution with the indexer stopped (mount '${mount}')`, async (t) => {
    const { number, hash } = await propose(ann, parseEther('1'), owner)
    const made = { txHash: hash, description: 'Timber and nails.' }
    const proposed = await post<Static<typeof SyncedProposals>>(`${mount}/raises/${idOf(1)}/propose`, made, ann)
    t.equal(proposed.status, 200)
    t.match(proposed.body.data.proposals, [
      {
        ...{ id: idOf(number), raiseId: idOf(1), proposer: ann, kind: 'release', title: 'Build the pier' },
        ...{ description: 'Timber and nails.', amount: String(parseEther('1')), recipient: owner, state: 'active' },
        ...{ quorum: String(parseEther('3.2')), forVotes: '0', voterCount: 0, myVote: null },
      },
    ])
    // As the version before left of a proposal with this id on a branch that is gone.
    await db
      .insertInto('raise_proposal_texts')
      .values({ proposal: idOf(number), proposer: bob, description: 'Gone.' })
      .execute()
    t.equal((await readProposal(number)).description, 'Timber and nails.')
    const { items } = (await read<{ items: ProposalData[] }>(`${mount}/raises/${idOf(1)}/proposals`)).body.data
    t.equal(items.length, Number(number), 'each proposal is listed once')
    t.match(items[0], { id: idOf(number), description: 'Timber and nails.' })
    const url = `${mount}/proposals/${idOf(number)}`
    const sync = async (act: string, txHash: Hex, wallet: Address) => {
      const { status, body } = await post<Static<typeof SyncedProposal>>(`${url}/${act}`, { txHash }, wallet)
      t.equal(status, 200, act)
      t.match(body.data.events, [{ type: act, raiseId: idOf(1), proposalId: idOf(number), wallet, txHash }])
      return body.data
    }
    const voted = await sync('vote', await run(raise.vote(bob, number, FOR)), bob)
    t.match(voted.events, [{ support: 'for', amount: String(parseEther('6')) }])
    t.match(voted.proposal, {
      ...{ forVotes: String(parseEther('6')), voterCount: 1 },
      myVote: { support: 'for', weight: String(parseEther('6')) },
    })
    await run(raise.vote(eve, number, AGAINST))
    const changed = await sync('vote', await run(raise.vote(eve, number, ABSTAIN)), eve)
    t.match(changed.proposal, { againstVotes: '0', voterCount: 2 }, 'the later vote replaces the earlier one')
    t.match(await readProposal(number, eve), { abstainVotes: String(parseEther('2')), myVote: { support: 'abstain' } })
    t.equal((await readProposal(number)).myVote, null)
    t.equal((await readProposal(number, ann)).myVote, null)
    await node.mine(3_600)
    await index()
    const passed = await readProposal(number)
    t.match(passed, { state: 'succeeded', payout: passed.amount }, 'without anybody’s write')
    t.equal(Date.parse(passed.executableAt) - Date.parse(passed.voteEnd), EXIT_WINDOW * 1_000)
    await node.mine(EXIT_WINDOW)
    const executed = await sync('execute', await run(raise.execute(eve, number)), eve)
    t.match(executed.proposal, { state: 'executed', executedAt: String })
    const { body } = await read<Static<typeof Raise>>(`${mount}/raises/${idOf(1)}`)
    const released = mount === '' ? '1' : '2'
    t.match(body.data, {
      released: String(parseEther(released)),
      escrow: String(parseEther('8') - parseEther(released)),
    })
    const done = await read<Transactions>(`${mount}/transactions?proposal=${idOf(number)}`)
    t.match(
      done.body.data.items.map(({ type, raise, proposal, wallet }) => ({ type, raise, proposal, wallet })),
      [
        { type: 'execute', wallet: eve },
        { type: 'vote', wallet: eve },
        { type: 'vote', wallet: eve },
        { type: 'vote', wallet: bob },
        { type: 'propose', wallet: ann },
      ].map((item) => ({ ...item, raise: idOf(1), proposal: idOf(number) })),
    )
    const votes = await read<Transactions>(`${mount}/transactions?proposal=${idOf(number)}&type=vote&limit=1`)
    t.match(votes.body.data, { items: [{ type: 'vote', wallet: eve }], nextCursor: String })
    t.match((await read<Proposals>(`${mount}/raises/${idOf(1)}/proposals?limit=1`, bob)).body.data.items, [
      { id: idOf(number), myVote: { support: 'for' } },
    ])
  })
}

/** The list of a state holds what is in it of the whole list, in the same order. */
async function checkFilter(t: Test, state: ProposalState, lists: readonly { body: { data: Proposals } }[]) {
  for (const [index, { body }] of lists.entries()) {
    const expected = body.data.items.filter((item) => item.state === state)
    const url = `/raises/${idOf(index + 1)}/proposals?state=${state}`
    t.strictSame((await read<Proposals>(`${url}&limit=100`)).body.data, { items: expected, nextCursor: null })
    t.strictSame(await readAll<ProposalData>({ read: (url) => read(url) }, `${url}&limit=1`), expected, 'one by one')
  }
}

t.test('the state equals the contract’s at the same time', async (t) => {
  await succeedRaise(test, raising, { number: 2n, votingDelay: 1_200 })
  const random = new Random(7)
  const seen = new Set<string>()
  for (let round = 0; round < 16; round++) {
    await node.send([raise.propose(random.pick([ann, bob, eve]), random.pick([1n, 2n]), 9n, bob)])
    await node.mine()
    const count = await chain.client.readContract({
      ...{ address: deployed.raises, abi: raisesAbi, functionName: 'proposalCount' },
    })
    const pick = () => BigInt(random.between(Math.max(1, Number(count) - 2), Number(count)))
    await node.send([
      raise.vote(bob, pick(), random.pick([AGAINST, FOR, FOR])),
      raise.vote(eve, pick(), random.pick([AGAINST, FOR, ABSTAIN])),
      ...(random.next() < 0.4 ? [raise.execute(eve, pick())] : []),
      ...(random.next() < 0.3 ? [raise.cancelProposal(ann, pick())] : []),
    ])
    await node.mine()
    // Long enough for a second proposal after a defeat, and once for what passed to expire.
    await node.mine(round === 12 ? 16 * DAY : round % 4 === 3 ? DAY + HOUR : random.between(1, 2_500))
    await index()
    const lists = await Promise.all([1, 2].map((of) => read<Proposals>(`/raises/${idOf(of)}/proposals?limit=100`)))
    const items = lists.flatMap(({ body }) => body.data.items)
    t.equal(items.length, Number(count))
    for (const state of proposalStates) await t.test(`round ${round}, ${state}`, (t) => checkFilter(t, state, lists))
    for (const { number, state } of items) {
      const code = await chain.client.readContract({
        ...{ address: deployed.raises, abi: raisesAbi, functionName: 'proposalState', args: [BigInt(number)] },
      })
      t.equal(state, proposalStateOf(code), `round ${round}, ${number}`)
      t.equal((await readProposal(BigInt(number))).state, state, 'alone as in the list')
      seen.add(state)
    }
  }
  t.strictSame([...seen].sort(), [...proposalStates].sort(), 'every state occurred')
})

for (const mount of mounts) {
  t.test(`proposals are listed newest first, page by page (mount '${mount}')`, async (t) => {
    const url = `${mount}/raises/${idOf(1)}/proposals`
    const all = (await read<Proposals>(`${url}?limit=100`)).body.data.items.map(({ number }) => Number(number))
    t.strictSame(
      all,
      [...all].sort((a, b) => b - a),
    )
    const seen: number[] = []
    let cursor: string | null = null
    do {
      const next: string = cursor ? `&cursor=${cursor}` : ''
      const { data }: { data: Proposals } = (await read<Proposals>(`${url}?limit=3${next}`)).body
      seen.push(...data.items.map(({ number }) => Number(number)))
      cursor = data.nextCursor
    } while (cursor !== null)
    t.strictSame(seen, all)
    const wrong = 'query.state must be one of pending, active, defeated, succeeded, executed, cancelled, expired'
    t.strictSame(await read(`${url}?state=won`), failure(400, wrong))
    const nowhere = `${mount}/raises/${idOf(9_999)}/proposals?state=active`
    t.strictSame(await read(nowhere), failure(404, `Raise ${idOf(9_999)} not found`))
    const unknown = `${mount}/proposals/${idOf(9_999)}`
    t.strictSame(await read(unknown), failure(404, `Proposal ${idOf(9_999)} not found`))
    const expects = 'path.id must be the id of a proposal: an address, a dash and a number'
    t.strictSame(await read(`${mount}/proposals/1`), failure(400, expects))
  })
}

t.test('the number of queries of a list does not depend on its rows', async (t) => {
  const count = await createQueryCounter(t, service)
  const url = `/raises/${idOf(1)}/proposals`
  for (const [wallet, queries] of [
    [undefined, 1],
    [bob, 2],
  ] as const) {
    const [one, all] = [await count(`${url}?limit=1`, wallet), await count(`${url}?limit=100`, wallet)]
    t.ok(one.items < all.items)
    t.strictSame([one.queries, all.queries], [queries, queries])
  }
})

t.test('a committer leaves before a release, and exchanges the tokens for a refund', async (t) => {
  await succeedRaise(test, raising, { number: 3n })
  await run(raise.claim(eve, 3n))
  const made = { txHash: await run(raise.propose(ann, 3n, parseEther('2'), owner)) }
  const { data } = (await post<Static<typeof SyncedProposals>>(`/raises/${idOf(3)}/propose`, made, ann)).body
  const number = BigInt(data.proposals[0]!.number)
  await run(raise.vote(bob, number, FOR))
  await node.mine(HOUR)
  await index()
  const url = `/raises/${idOf(3)}`
  const readRaise = async () => (await read<Static<typeof Raise>>(url, eve)).body.data
  const two = String(parseEther('2'))
  t.match((await readRaise()).myCommitment, { exited: false, exitable: two, refundable: '0' })
  const txHash = await run(raise.exit(eve, number))
  const left = await post<Static<typeof SyncedProposal>>(`/proposals/${idOf(number)}/exit`, { txHash }, eve)
  t.equal(left.status, 200)
  t.match(left.body.data.events, [{ type: 'exit', amount: two, wallet: eve }])
  t.match(left.body.data.proposal, { amount: two, payout: String(parseEther('1.5')) }, 'the release shrinks')
  t.match(await readRaise(), {
    ...{ exited: two, escrow: String(parseEther('6')), remainingCommitted: String(parseEther('6')), refunded: '0' },
    myCommitment: { exited: true, exitable: '0', refundable: two, tokensOwed: '250', claimable: '0' },
  })
  const refund = await run(raise.refund(eve, 3n))
  const refunded = await post<Static<typeof SyncedRaise>>(`${url}/refund`, { txHash: refund }, eve)
  t.match(refunded.body.data.events, [{ type: 'refund', amount: two }])
  t.match(refunded.body.data.raise, { refunded: two, tokensReclaimable: '250' })
  t.match(refunded.body.data.raise.myCommitment, { refunded: true, refundable: '0', tokensOwed: '0' })
  await node.mine(EXIT_WINDOW)
  await run(raise.execute(bob, number))
  await index()
  t.match(await readProposal(number), { state: 'executed', amount: two, payout: String(parseEther('1.5')) })
})

t.test('a description is stored only before the first vote', async (t) => {
  await succeedRaise(test, raising, { number: 4n })
  for (const [proposer, voted] of [
    [ann, false],
    [bob, true],
  ] as const) {
    const txHash = await run(raise.propose(proposer, 4n, parseEther('1'), owner))
    const number = await readProposalCount()
    if (voted) await run(raise.vote(eve, number, FOR))
    await index()
    const made = { txHash, description: 'All of it.' }
    const url = `/raises/${idOf(4)}/propose`
    const { status, body } = await post<Static<typeof SyncedProposals>>(url, made, proposer)
    const description = voted ? null : 'All of it.'
    t.equal(status, 200)
    t.match(body.data.proposals, [{ id: idOf(number), description }])
    t.equal((await readProposal(number)).description, description)
    t.strictSame(await post(url, made, proposer), failure(409, 'Transaction already indexed'))
  }
})

t.test('a dissolved raise refunds the rest in exchange for tokens', async (t) => {
  await node.mine(DAY + HOUR)
  const txHash = await run(raise.proposeDissolution(bob, 1n))
  const { data } = (await post<Static<typeof SyncedProposals>>(`/raises/${idOf(1)}/propose`, { txHash }, bob)).body
  const [proposal] = data.proposals
  t.match(proposal, { kind: 'dissolve', recipient: null, amount: '0' })
  const number = BigInt(proposal!.number)
  await run(raise.vote(bob, number, FOR))
  await node.mine(3_600)
  const executed = await run(raise.execute(bob, number))
  const { status } = await post(`/proposals/${idOf(number)}/execute`, { txHash: executed }, bob)
  t.equal(status, 200)
  await index()
  const all = await read<Proposals>(`/raises/${idOf(1)}/proposals?limit=100`)
  for (const state of proposalStates) await checkFilter(t, state, [all])
  const before = (await read<Static<typeof Raise>>(`/raises/${idOf(1)}`, eve)).body.data
  t.match(before, { status: 'finalized', dissolvedAt: String, myCommitment: { tokensOwed: '0' } })
  const refund = await run(raise.refund(eve, 1n))
  const refunded = await post<Static<typeof SyncedRaise>>(`/raises/${idOf(1)}/refund`, { txHash: refund }, eve)
  t.match(refunded.body.data.events, [{ type: 'refund', amount: before.myCommitment!.refundable }])
  const { myCommitment } = refunded.body.data.raise
  t.match(myCommitment, { refunded: true, refundable: '0', refundedAmount: before.myCommitment!.refundable })
  const claim = await run(raise.claim(eve, 1n))
  const claimed = await post<Static<typeof SyncedRaise>>(`/raises/${idOf(1)}/claim`, { txHash: claim }, eve)
  t.match(claimed.body.data.events, [{ amount: myCommitment!.claimable }], 'what a claim pays is what was said')
  await run(raise.claim(bob, 1n))
  await index()
  const ofBob = (await read<Static<typeof Raise>>(`/raises/${idOf(1)}`, bob)).body.data.myCommitment!
  const returned = await run(raise.refund(bob, 1n))
  await index()
  const event = await db
    .selectFrom('raise_events')
    .selectAll()
    .where('tx_hash', '=', returned)
    .executeTakeFirstOrThrow()
  t.not(ofBob.tokensOwed, '0')
  t.match(ofBob, { tokensOwed: event.tokens_returned, refundable: event.amount }, 'the refund takes what was owed')
  const after = (await read<Static<typeof Raise>>(`/raises/${idOf(1)}`, bob)).body.data.myCommitment
  t.match(after, { refunded: true, tokensOwed: '0' })
})
