import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import type { Db } from '../../../db/client.ts'
import { follow } from '../../../db/queries/follows.ts'
import { notifyOfPassedVotes } from '../../../indexer/raises/notify-of-votes.ts'
import { createTestDatabase } from '../../support/database.ts'
import { EXIT_WINDOW, FOR, reachTime, readTime } from '../../support/raises.ts'
import { startAudited } from '../fixtures/audited.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { launchForRaises, succeedRaise } from '../fixtures/raises.ts'

t.setTimeout(300_000)

const DAY = 86_400

async function start(t: Test) {
  const audited = await startAudited(t)
  const { test, db } = audited
  const raising = await launchForRaises(test)
  const idOf = (number: number) => `${raising.raise.contract}-${number}`
  /** The number of notifications of a type by recipient. */
  const count = async (type: string, from: Db = db) => {
    const rows = await from.selectFrom('notifications').selectAll().where('type', '=', type).execute()
    const counts: Record<string, number> = {}
    for (const { recipient } of rows) counts[recipient] = (counts[recipient] ?? 0) + 1
    return counts
  }
  return { ...audited, ...raising, idOf, count }
}

const TYPE = 'raise_proposal_opened'

t.test('proposals of a wallet that are cancelled at once notify committers once a day', async (t) => {
  const { test, node, index, raise, ann, bob, eve, owner, count, ...raising } = await start(t)
  await succeedRaise(test, { raise, ann, bob, eve, owner, ...raising }, { votingDelay: DAY })
  await index()
  let number = 0n
  const flood = async (pairs: number) => {
    for (let pair = 0; pair < pairs; pair++)
      await node.run(raise.propose(ann, 1n, 1n, owner), raise.cancelProposal(ann, ++number))
  }
  await flood(2)
  await index()
  await flood(2)
  await index()
  t.strictSame(await count(TYPE), { [bob]: 1, [eve]: 1 })
  await node.run(raise.propose(bob, 1n, 1n, owner))
  await index()
  t.strictSame(await count(TYPE), { [bob]: 1, [eve]: 2 }, 'another wallet notifies of its own')
  const { db: fresh } = await createTestDatabase(t)
  await indexToHead(fresh, test)
  t.strictSame(await count(TYPE, fresh), { [bob]: 1, [eve]: 2 }, 'also in one batch')

  await node.mine(DAY)
  number++
  await flood(2)
  await index()
  t.strictSame(await count(TYPE), { [bob]: 2, [eve]: 3 }, 'and the next day again')
  await node.reorg(1)
  await node.mine()
  await index()
  t.strictSame(await count(TYPE), { [bob]: 2, [eve]: 3 }, 'a reorg of what notified nobody changes nothing')
  await node.reorg(3)
  number -= 2n
  await flood(1)
  await index()
  t.strictSame(await count(TYPE), { [bob]: 2, [eve]: 3 }, 'as on the new branch')
})

t.test('raises of a wallet notify its followers once a day', async (t) => {
  const { node, index, db, raise, token, ann, eve, count } = await start(t)
  await db.transaction().execute((trx) => follow(trx, { follower: eve, followee: ann }))
  await index()
  const open = async (number: bigint) => {
    const endAt = (await readTime(node)) + 1_000n
    await node.run(raise.create(ann, { token, endAt }), raise.cancel(ann, number))
  }
  for (const number of [1n, 2n, 3n]) await open(number)
  await index()
  await open(4n)
  await index()
  t.strictSame(await count('raise_opened'), { [eve]: 1 })
  await node.mine(DAY)
  await open(5n)
  await index()
  t.strictSame(await count('raise_opened'), { [eve]: 2 })
})

t.test(
  'a wallet that has left is not notified of proposals, executions and, once paid, of the dissolution',
  async (t) => {
    const { node, index, raise, token, ann, bob, eve, owner, accounts, count } = await start(t)
    const dan = accounts[4]!
    const endAt = (await readTime(node)) + 1_000n
    await node.run(raise.create(ann, { token, endAt, goalMax: parseEther('20') }))
    await node.run(raise.commit(bob, 1n, parseEther('6')), raise.commit(eve, 1n, parseEther('2')))
    await node.run(raise.commit(dan, 1n, parseEther('1')))
    await reachTime(node, endAt)
    // Eve leaves after claiming tokens, so her money is set aside until she returns them.
    await node.run(raise.finalize(owner, 1n), raise.claim(eve, 1n))
    await node.run(raise.propose(ann, 1n, parseEther('1'), owner))
    await node.run(raise.vote(bob, 1n, FOR))
    await index()
    t.strictSame(await count(TYPE), { [bob]: 1, [eve]: 1, [dan]: 1 })
    await node.mine(3_600)
    await node.run(raise.propose(bob, 1n, 1n, bob))
    await node.run(raise.exit(eve, 1n), raise.exit(dan, 1n))
    await index()
    t.strictSame(await count(TYPE), { [bob]: 1, [eve]: 2, [dan]: 2 }, 'those who left after the proposal are')
    await node.mine(EXIT_WINDOW)
    await node.run(raise.execute(ann, 1n))
    await index()
    t.strictSame(await count('raise_proposal_executed'), { [bob]: 1 })
    await node.mine(DAY)
    await node.run(raise.proposeDissolution(ann, 1n))
    await node.run(raise.vote(bob, 3n, FOR))
    await index()
    t.strictSame(await count(TYPE), { [bob]: 2, [eve]: 2, [dan]: 2 })
    await node.mine(3_600)
    await node.run(raise.execute(owner, 3n))
    await index()
    t.strictSame(await count('raise_dissolved'), { [bob]: 1, [eve]: 1 })
  },
)

t.test('the oldest events of a batch notify nobody if there are too many recipients', async (t) => {
  const { test, node, index, db, raise, ann, bob, eve, owner, idOf, ...raising } = await start(t)
  for (const number of [1n, 2n]) await succeedRaise(test, { raise, ann, bob, eve, owner, ...raising }, { number })
  await index()
  for (const number of [1, 2])
    await sql`insert into raise_commitments (raise, wallet, state_block, state_log, registered, amount)
      select ${idOf(number)}, '0x' || md5(n::text) || '00000000', 1, 1, false, 1 from generate_series(1, 10000) n`.execute(
      db,
    )
  for (const number of [1n, 2n])
    for (const wallet of [ann, bob, eve]) await node.run(raise.propose(wallet, number, parseEther('1'), owner))
  await index()
  const { rows } = await sql<{
    proposal: string
    count: number
  }>`select payload ->> 'proposal' as proposal, count(*)::int as count
    from notifications where type = ${TYPE} group by 1 order by min(id)`.execute(db)
  t.strictSame(
    rows.map(({ proposal, count }) => [proposal, count]),
    // Of the largest 10,000, who are Bob, Eve and others; a proposer is not notified.
    [
      [idOf(1), 4],
      [idOf(2), 9_999],
      [idOf(3), 9_999],
      [idOf(4), 10_000],
      [idOf(5), 9_999],
      [idOf(6), 9_999],
    ],
  )
})

t.test('of many votes that end at once, those beyond the recipients of a batch notify with the next one', async (t) => {
  const { db } = await createTestDatabase(t)
  await sql`insert into raises (id, contract, number, total_committed) values ('r', '0x', 1, 10001)`.execute(db)
  await sql`insert into raise_commitments (raise, wallet, state_block, state_log, registered, amount)
    select 'r', '0x' || md5(n::text) || '00000000', 1, 1, false, 1 from generate_series(1, 10001) n`.execute(db)
  await sql`insert into raise_proposals (id, contract, number, raise, created_block, vote_end, executable_at, expires_at, quorum,
      total_weight, for_votes)
    select 'r-' || n, '0x', n, 'r', 1, 10, 20, 30, 1, 10001, 1 from generate_series(1, 6) n`.execute(db)
  const notified: number[] = []
  for (const number of [5, 6, 7]) {
    const checkpoint = { number, time: 10, clock: 10 }
    const refs = await db.transaction().execute((trx) => notifyOfPassedVotes(trx, checkpoint))
    notified.push(refs.length)
  }
  t.strictSame(notified, [50_000, 10_000, 0])
})
