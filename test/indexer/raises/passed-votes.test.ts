import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { listNotifications } from '../../../db/queries/notifications.ts'
import { listEvents } from '../../../db/queries/outbox.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { createTestDatabase } from '../../support/database.ts'
import { ABSTAIN, AGAINST, EXIT_WINDOW, FOR, reachTime, readTime } from '../../support/raises.ts'
import { startAudited } from '../fixtures/audited.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { launchForRaises } from '../fixtures/raises.ts'

t.setTimeout(300_000)

const TYPE = 'raise_proposal_passed'
const VOTING = 3_600

/** A finalized raise with commitments of Bob (6 coins), Eve (2), Dan (1) and Fay (0.5), and an open proposal of Ann's to pay 1 coin. */
async function startVote(t: Test) {
  const audited = await startAudited(t)
  const { test, node, accounts, db } = audited
  const raising = await launchForRaises(test)
  const { raise, token, ann, bob, eve, owner } = raising
  const [dan, fay] = [accounts[4]!, accounts[5]!]
  const endAt = (await readTime(node)) + 1_000n
  await node.run(raise.create(ann, { token, endAt, goalMax: parseEther('20') }))
  const amounts: [Address, string][] = [
    [bob, '6'],
    [eve, '2'],
    [dan, '1'],
    [fay, '0.5'],
  ]
  await node.run(...amounts.map(([wallet, coins]) => raise.commit(wallet, 1n, parseEther(coins))))
  await reachTime(node, endAt)
  await node.run(raise.finalize(owner, 1n))
  await node.run(raise.propose(ann, 1n, parseEther('1'), owner))
  /** Wallets that were notified of a proposal that passed, with the proposal. */
  const readNotified = async (from = db) => {
    const rows = await from.selectFrom('notifications').selectAll().where('type', '=', TYPE).orderBy('id').execute()
    return rows.map(({ recipient, payload }) => [recipient, (payload as { proposal: string }).proposal])
  }
  const idOf = (number: number) => `${raise.contract}-${number}`
  return { ...audited, ...raising, dan, fay, readNotified, idOf }
}

t.test('committers who did not vote for a release are notified once it has passed', async (t) => {
  const { node, raise, index, db, bob, eve, dan, fay, owner, ann, readNotified, idOf } = await startVote(t)
  await node.run(raise.vote(bob, 1n, FOR), raise.vote(eve, 1n, AGAINST))
  await node.run(raise.vote(dan, 1n, FOR), raise.vote(fay, 1n, ABSTAIN))
  await node.run(raise.vote(dan, 1n, AGAINST), raise.vote(fay, 1n, FOR))
  await index()
  const { vote_end: voteEnd } = await db.selectFrom('raise_proposals').select('vote_end').executeTakeFirstOrThrow()
  await reachTime(node, BigInt(voteEnd!) - 1n)
  await index()
  t.strictSame(await readNotified(), [], 'not before the end of the vote')
  const before = await listEvents(db, { after: 0, limit: 1_000 })
  await node.mine(1)
  await index()
  const expected = [
    [eve, idOf(1)],
    [dan, idOf(1)],
  ]
  t.strictSame(await readNotified(), expected, 'those whose last vote is not for it, the largest first')
  const [own] = await listNotifications(db, { recipient: eve, unread: true, limit: 1, after: null })
  const toIso = (seconds: number) => new Date(seconds * 1_000).toISOString()
  t.match(own, { type: TYPE, actor: null, subject: idOf(1), read_at: null })
  t.strictSame(own!.payload, {
    ...{ proposal: idOf(1), title: 'Build the pier', amount: parseEther('1').toString(), recipient: owner },
    ...{ voteEnd: toIso(voteEnd!), executableAt: toIso(voteEnd! + EXIT_WINDOW) },
  })
  const sent = (await listEvents(db, { after: before.at(-1)!.seq, limit: 1_000 })).filter(
    ({ type }) => type === 'notification',
  )
  t.strictSame(
    sent.map(({ rooms }) => rooms),
    [[`wallet:${eve}`], [`wallet:${dan}`]],
    'subscribers receive them at once',
  )

  await node.mine()
  await index()
  await reindex(db, modules)
  await node.mine()
  await index()
  t.strictSame(await readNotified(), expected, 'neither the next blocks nor a rebuild notify again')

  await node.run(raise.exit(dan, 1n), raise.proposeDissolution(bob, 1n))
  await node.run(raise.vote(bob, 2n, FOR))
  await node.run(raise.propose(ann, 1n, parseEther('1'), owner))
  await node.run(raise.vote(bob, 3n, AGAINST), raise.vote(fay, 3n, FOR), raise.vote(eve, 3n, FOR))
  await node.mine(VOTING)
  await index()
  t.strictSame(await readNotified(), expected, 'of neither a dissolution nor a release that was defeated')
  await node.run(raise.propose(fay, 1n, parseEther('1'), owner))
  await node.run(raise.vote(bob, 4n, FOR))
  await node.mine(VOTING)
  await index()
  const ofNext = [
    [eve, idOf(4)],
    [fay, idOf(4)],
  ]
  t.strictSame(await readNotified(), [...expected, ...ofNext], 'a wallet that has left is not notified')
})

t.test('a reorg of the end of a vote removes its notifications, and the vote is evaluated again', async (t) => {
  const { node, raise, index, db, bob, eve, dan, fay, readNotified, idOf } = await startVote(t)
  await node.run(raise.vote(bob, 1n, FOR))
  await node.mine(VOTING)
  await index()
  const all = [eve, dan, fay].map((wallet) => [wallet, idOf(1)])
  t.strictSame(await readNotified(), all)
  await node.mine()
  await index()
  await node.reorg(1)
  await node.mine()
  await index()
  t.strictSame(await readNotified(), all, 'a reorg above it changes nothing')
  const { seq } = (await listEvents(db, { after: 0, limit: 1_000 })).at(-1)!
  await node.reorg(3, [{ action: raise.vote(eve, 1n, FOR), block: 0 }])
  await index()
  t.strictSame(await readNotified(), [], 'the vote is open again')
  const retracted = (await listEvents(db, { after: seq, limit: 1_000 })).filter(
    ({ type }) => type === 'notification.retracted',
  )
  t.equal(retracted.length, all.length)
  await node.mine(VOTING)
  await index()
  t.strictSame(await readNotified(), all.slice(1), 'by the votes of the new branch')
})

t.test('a vote that is indexed late notifies committers only while they can exit', async (t) => {
  const { test, node, raise, bob, eve, dan, fay, readNotified, idOf } = await startVote(t)
  await node.run(raise.vote(bob, 1n, FOR))
  await node.mine(VOTING)
  await node.mine(EXIT_WINDOW)
  const late = await createTestDatabase(t)
  await indexToHead(late.db, test)
  t.strictSame(
    await readNotified(late.db),
    [eve, dan, fay].map((wallet) => [wallet, idOf(1)]),
  )
  await node.run(raise.execute(bob, 1n))
  const tooLate = await createTestDatabase(t)
  await indexToHead(tooLate.db, test)
  t.strictSame(await readNotified(tooLate.db), [])
})
