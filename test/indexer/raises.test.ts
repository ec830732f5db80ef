import t, { type Test } from 'tap'
import { type Address, decodeEventLog, type Hex, parseEther } from 'viem'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { parseLog, type RpcLog } from '../../chain/logs/log.ts'
import { decodeRaisesLog, raiseEventTopics, raisesTopics } from '../../chain/raises-events.ts'
import { follow } from '../../db/queries/follows.ts'
import { listNotifications } from '../../db/queries/notifications.ts'
import { listEvents } from '../../db/queries/outbox.ts'
import { findVotes } from '../../db/queries/raises/raise-proposals.ts'
import { AppError } from '../../errors.ts'
import { reindex } from '../../indexer/engine/reindex.ts'
import { modules } from '../../indexer/modules.ts'
import type { RaiseChainEvent } from '../../indexer/raises/events.ts'
import { refreshFigures } from '../../indexer/raises/refresh-figures.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { ABSTAIN, AGAINST, EXIT_WINDOW, FOR, readTime } from '../support/raises.ts'
import { startAudited } from './fixtures/audited.ts'
import { launchForRaises, playRaises, succeedRaise } from './fixtures/raises.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const raiseTables = ['raises', 'raise_commitments', 'raise_proposals', 'raise_events', 'readable_actions']

async function start(t: Test) {
  const audited = await startAudited(t)
  const raises = () => audited.db.selectFrom('raises').selectAll().orderBy('number').execute()
  return { ...audited, raises }
}

t.test('logs decode to the same values as with decodeEventLog of viem', async (t) => {
  const { test, node, deployed } = await start(t)
  await playRaises(test)
  const filter = { address: deployed.raises, fromBlock: '0x0', toBlock: 'latest', topics: [raisesTopics] }
  const logs = await node.call<RpcLog[]>('eth_getLogs', filter)
  const renamed: Record<string, string> = {
    ...{ raiseId: 'raiseNumber', proposalId: 'proposalNumber' },
    ...{ creator: 'wallet', caller: 'wallet', proposer: 'wallet', voter: 'wallet' },
    ...{ metadataURI: 'metadataUri', descriptionURI: 'descriptionUri' },
  }
  const normalise = (fields: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        renamed[name] ?? name,
        typeof value !== 'string' ? value : value.startsWith('0x') ? value.toLowerCase() : cleanLine(value),
      ]),
    )
  type Rules = Record<'exitWindow' | 'releasePeriod' | 'releaseBps', number>
  const pick = ({ exitWindow, releasePeriod, releaseBps }: Rules) => ({ exitWindow, releasePeriod, releaseBps })
  const seen = new Set<string>()
  for (const log of logs) {
    const { kind, contract, ...event } = decodeRaisesLog(parseLog(log))!
    const { eventName, args } = decodeEventLog({
      abi: raisesAbi,
      topics: log.topics as [Hex, ...Hex[]],
      data: log.data,
    })
    const { params, rules, status, token, ...others } = normalise(args as object) as Record<string, unknown>
    const expected = {
      ...others,
      ...(params !== undefined && normalise(params as object)),
      ...(rules !== undefined && pick(rules as Rules)),
      ...(status !== undefined && { succeeded: status === 6 }),
    }
    const { terms, ...own } = { terms: {}, ...event }
    t.strictSame({ ...own, ...terms }, expected, eventName)
    t.equal(contract, deployed.raises)
    seen.add(kind)
  }
  t.strictSame([...seen].sort(), Object.keys(raiseEventTopics).sort(), 'of every kind there is one')
  t.equal(decodeRaisesLog(parseLog({ ...logs[0]!, topics: [`0x${'00'.repeat(32)}`] })), undefined)
  const committed = logs.find((log) => log.topics[0] === raiseEventTopics.commit)!
  t.throws(() => decodeRaisesLog(parseLog({ ...committed, data: '0x' })), RangeError)
})

t.test('raises, commitments and proposals equal the contract state, and a rebuild restores them', async (t) => {
  const { test, db, index, raises, findDifferences, deployed } = await start(t)
  const { ann, bob, eve, token } = await playRaises(test)
  await index()
  t.strictSame(await findDifferences(), [])
  const eight = String(parseEther('8'))
  t.match(await raises(), [
    {
      ...{ id: `${deployed.raises}-1`, creator: ann, token, participant_count: 2, proposal_count: 3 },
      ...{ total_committed: eight, released: String(parseEther('2')) },
      ...{ exited_weight: String(parseEther('2')), exited_amount: String(parseEther('1.5')), release_bps: 2_500 },
    },
    { title: 'Not enough', registered_count: 2, cancelled_at: null, refunded: String(parseEther('1')) },
    { total_committed: String(parseEther('4')), refunded: String(parseEther('4')), finalized_at: null },
  ])
  const commitments = await db.selectFrom('raise_commitments').selectAll().where('amount', '>', '0').execute()
  t.strictSame(
    new Set(commitments.map(({ raise, wallet, amount }) => `${raise.slice(43)} ${wallet} ${amount}`)),
    new Set([
      `1 ${bob} ${parseEther('6')}`,
      `1 ${eve} ${parseEther('2')}`,
      `2 ${bob} ${parseEther('1')}`,
      `3 ${eve} ${parseEther('4')}`,
    ]),
  )
  const before = await readTables(db)
  await db.updateTable('raises').set({ total_committed: '1' }).execute()
  await db.deleteFrom('raise_events').execute()
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), before), [])
})

t.test('the total of a raise is found from whichever of its events are stored', async (t) => {
  const { test, db, index, raises } = await start(t)
  await playRaises(test)
  await index()
  const stored = await raises()
  const totals = stored.map(({ total_committed }) => total_committed)
  t.strictSame(
    totals,
    ['8', '1', '4'].map((coins) => String(parseEther(coins))),
  )
  for (const missing of [['commit'], ['finalize', 'cancel_raise'], ['commit', 'finalize', 'cancel_raise']]) {
    const rollback = new Error('rollback')
    const undone = db.transaction().execute(async (trx) => {
      await trx.deleteFrom('raise_events').where('kind', 'in', missing).execute()
      const touched = stored.map(({ id }) => ({ kind: 'propose', raise: id, proposal: null, wallet: '0x' }))
      await refreshFigures(trx, touched as unknown as RaiseChainEvent[], 1)
      const rows = await trx.selectFrom('raises').select('total_committed').orderBy('number').execute()
      const expected = missing.length === 3 ? ['0', '0', '0'] : totals
      t.strictSame(
        rows.map(({ total_committed }) => total_committed),
        expected,
        `without ${missing.join(' and ')}`,
      )
      throw rollback
    })
    await t.rejects(undone, rollback)
  }
})

t.test('a reorg undoes the events of a raise, then those of the new branch are applied', async (t) => {
  const { test, node, db, index, raises, expectFresh, accounts } = await start(t)
  const raising = await launchForRaises(test)
  const { raise, token, owner, ann, bob, eve } = raising
  await succeedRaise(test, raising)
  await node.run(raise.propose(ann, 1n, parseEther('1'), owner))
  await node.run(raise.vote(eve, 1n, FOR))
  await index()
  const before = await readTables(db)
  const endAt = (await readTime(node)) + 1_000n
  await node.run(raise.vote(bob, 1n, FOR), raise.claim(bob, 1n), raise.create(ann, { token, endAt }))
  await node.run(raise.commit(accounts[5]!, 2n, 5n), raise.cancelProposal(ann, 1n), raise.propose(bob, 1n, 1n, bob))
  await index()
  t.match(await raises(), [{ proposal_count: 2, tokens_claimed: '750' }, { total_committed: '5' }])

  await node.reorg(2)
  await index()
  const after = await readTables(db)
  for (const table of raiseTables) {
    const only = (tables: typeof before) => new Map([[table, tables.get(table)!]])
    t.ok(before.get(table)!.size > 0)
    t.strictSame(diffTables(only(after), only(before)), [], `${table} is as if it had never come`)
  }
  await node.run(raise.vote(bob, 1n, 0), raise.claim(eve, 1n))
  await expectFresh('the other branch')
  t.match(await raises(), [{ tokens_claimed: '250', proposal_count: 1 }])

  const [opened] = await raises()
  await node.reorg((await node.height()) - opened!.created_block! + 1)
  await expectFresh('without the raise')
  t.strictSame(await raises(), [])
})

t.test('a vote replaces the earlier one of its wallet, and undoing it restores the earlier one', async (t) => {
  const { test, node, db, index, sync, expectFresh, findDifferences, deployed } = await start(t)
  const raising = await launchForRaises(test)
  const { raise, ann, bob, eve, owner } = raising
  await succeedRaise(test, raising)
  const own = async (wallet: string) =>
    (await findVotes(db, { wallet, proposals: [`${deployed.raises}-1`] })).get(`${deployed.raises}-1`)?.support
  const sums = () => db.selectFrom('raise_proposals').selectAll().executeTakeFirstOrThrow()
  await node.run(raise.propose(ann, 1n, parseEther('1'), owner))
  const [first] = await node.run(raise.vote(bob, 1n, FOR), raise.vote(eve, 1n, FOR))
  await index()
  await node.run(raise.vote(bob, 1n, AGAINST))
  const [second] = await node.run(raise.vote(eve, 1n, AGAINST))
  await sync(second!.transactionHash, eve, 'vote', `${deployed.raises}-1`)
  t.match(await sums(), { voter_count: 2, against_votes: String(parseEther('8')), for_votes: '0' })
  await expectFresh('each wallet counts once')
  t.strictSame(await findDifferences(), [])
  await node.reorg(2)
  await node.run(raise.vote(eve, 1n, ABSTAIN))
  await index()
  t.match(await sums(), { voter_count: 2, for_votes: String(parseEther('6')), abstain_votes: String(parseEther('2')) })
  t.strictSame([await own(bob), await own(eve)], [FOR, ABSTAIN])
  await expectFresh('the other branch')
  await node.reorg((await node.height()) - Number(first!.blockNumber) + 1)
  await node.run(raise.vote(eve, 1n, AGAINST))
  await index()
  t.match(await sums(), { voter_count: 1, against_votes: String(parseEther('2')), for_votes: '0' }, 'no vote of Bob’s')
  await expectFresh('without a vote')
})

t.test('an exit reserves a share, reduces the release, and is undone by a reorg', async (t) => {
  const { test, node, db, index, raises, expectFresh, findDifferences } = await start(t)
  const raising = await launchForRaises(test)
  const { raise, ann, bob, eve, owner } = raising
  await succeedRaise(test, raising)
  await node.run(raise.claim(eve, 1n), raise.propose(ann, 1n, parseEther('2'), owner))
  await node.run(raise.vote(bob, 1n, FOR))
  await node.mine(3_600)
  await index()
  const before = await readTables(db)
  const commitment = () =>
    db.selectFrom('raise_commitments').selectAll().where('wallet', '=', eve).executeTakeFirstOrThrow()
  await node.run(raise.exit(eve, 1n))
  await index()
  t.match(await raises(), [{ exited_weight: String(parseEther('2')), exited_amount: String(parseEther('2')) }])
  t.match(await commitment(), { exited_amount: String(parseEther('2')), tokens_given_up: '250', refunded: null })
  t.strictSame(await findDifferences(), [])
  await node.reorg(1)
  await index()
  for (const table of raiseTables) {
    const only = (tables: typeof before) => new Map([[table, tables.get(table)!]])
    t.strictSame(diffTables(only(await readTables(db)), only(before)), [], `${table} is as if it had never come`)
  }
  await node.run(raise.exit(eve, 1n))
  await node.mine(EXIT_WINDOW)
  await node.run(raise.execute(bob, 1n), raise.refund(eve, 1n))
  await expectFresh('after the release')
  t.match(await raises(), [{ released: String(parseEther('1.5')), refunded: String(parseEther('2')) }])
  t.match(await db.selectFrom('raise_proposals').selectAll().execute(), [
    { amount: String(parseEther('2')), executed_amount: String(parseEther('1.5')) },
  ])
  t.match(await commitment(), { refunded: String(parseEther('2')), tokens_returned: '250' })
  t.strictSame(await findDifferences(), [])
})

t.test('a sync ahead of the indexer also stores the prerequisites of its event', async (t) => {
  const { test, node, db, sync, raises, expectFresh, deployed } = await start(t)
  const raising = await launchForRaises(test)
  const { raise, ann, bob, eve, owner } = raising
  await succeedRaise(test, raising)
  const [proposed] = await node.run(raise.propose(ann, 1n, parseEther('1'), owner))
  const [voted, claimed] = await node.run(raise.vote(bob, 1n, FOR), raise.claim(eve, 1n))
  await sync(voted!.transactionHash, bob, 'vote', `${deployed.raises}-1`)
  t.match(await raises(), [{ creator: ann, total_committed: String(parseEther('8')), finalized_at: Number }])
  t.match(await db.selectFrom('raise_proposals').selectAll().execute(), [
    { proposer: ann, for_votes: String(parseEther('6')), voter_count: 1 },
  ])
  await sync(claimed!.transactionHash, eve, 'claim_raise')
  await sync(proposed!.transactionHash, ann, 'propose', `${deployed.raises}-1`)
  for (const [wallet, subject, reason] of [
    [bob, `${deployed.raises}-1`, 'TRANSACTION_ALREADY_INDEXED'],
    [eve, `${deployed.raises}-1`, 'TRANSACTION_FOREIGN'],
    [bob, `${deployed.raises}-2`, 'EVENT_MISSING'],
  ] as const) {
    const error = await sync(voted!.transactionHash, wallet, 'vote', subject).catch((thrown: unknown) => thrown)
    t.equal(error instanceof AppError && error.reason, reason)
  }
  await expectFresh('after the indexer came')
})

t.test('a finalization that is synced ahead of the indexer notifies committers once it gets there', async (t) => {
  const { test, db, index, sync, deployed } = await start(t)
  const raising = await launchForRaises(test)
  await index()
  await succeedRaise(test, raising)
  const { transactions } = await test.node.call<{ transactions: Hex[] }>('eth_getBlockByNumber', 'latest', false)
  await sync(transactions[0]!, raising.owner, 'finalize', `${deployed.raises}-1`)
  const readNotified = async () => {
    const rows = await db.selectFrom('notifications').selectAll().where('type', '=', 'raise_finalized').execute()
    return rows.map(({ recipient }) => recipient).sort()
  }
  t.strictSame(await readNotified(), [], 'no commitment is known yet')
  await index()
  const committers = [raising.bob, raising.eve].sort()
  t.strictSame(await readNotified(), committers)
  const sent = (await listEvents(db, { after: 0, limit: 1_000 })).filter(({ type }) => type === 'notification')
  t.strictSame(
    sent.flatMap(({ rooms }) => rooms).sort(),
    committers.map((wallet) => `wallet:${wallet}`),
  )
  await test.node.mine()
  await index()
  t.strictSame(await readNotified(), committers)
})

t.test('a raise notifies followers once, and its outcome and proposals notify committers once', async (t) => {
  const { test, node, db, index } = await start(t)
  const raising = await launchForRaises(test)
  const { raise, ann, bob, eve, owner } = raising
  const notified = async (recipient: Address) =>
    (await listNotifications(db, { recipient, unread: false, limit: 100, after: null }))
      .filter(({ type }) => type.startsWith('raise_'))
      .map(({ type, actor, subject }) => [type, actor, subject])
  await db.transaction().execute((trx) => follow(trx, { follower: eve, followee: ann }))
  await index()
  await succeedRaise(test, raising)
  await index()
  await node.run(raise.propose(ann, 1n, parseEther('1'), owner))
  await node.run(raise.vote(bob, 1n, FOR))
  await index()
  await node.mine(3_600 + EXIT_WINDOW)
  await node.run(raise.execute(bob, 1n))
  await index()
  const id = `${raise.contract}-1`
  const ofAll = [
    ['raise_finalized', owner, id],
    ['raise_proposal_opened', ann, id],
  ]
  t.strictSame((await notified(bob)).reverse(), ofAll, 'no wallet is notified of its own actions')
  t.strictSame((await notified(eve)).reverse(), [
    ['raise_opened', ann, id],
    ...ofAll,
    ['raise_proposal_executed', bob, id],
  ])
  t.strictSame(await notified(owner), [])
  await reindex(db, modules)
  t.equal((await notified(eve)).length, 4, 'a rebuild notifies nobody again')
  await node.reorg(1)
  await node.mine()
  await index()
  const passed = ['raise_proposal_passed', null, id]
  t.strictSame(
    (await notified(eve)).reverse(),
    [['raise_opened', ann, id], ...ofAll, passed],
    'a reorg removes the execution',
  )
})

t.test('the audit reports damaged rows of raises', async (t) => {
  const { test, index, expectReports } = await start(t)
  await playRaises(test)
  await index()
  const damages: [statement: string, line: RegExp][] = [
    [`update raises set total_committed = total_committed + 1`, /raise 0x\S+ total_committed: stored/],
    [`update raises set end_at = end_at + 1`, /end_at: stored/],
    [`update raises set title = 'x'`, /raise created 0x\S+ title: stored x/],
    [`update raises set finalized_at = 1`, /finalized_at: stored 1/],
    [`update raises set cancelled_at = 1`, /cancelled: stored true/],
    [`update raises set tokens_returned = tokens_returned + 1`, /reclaimable: stored/],
    [`update raises set proposal_count = 9`, /proposal_count: stored 9/],
    [`delete from raises where number = 2`, /raises: stored 2, should be 3/],
    [`update raise_figures set committed = committed + 1`, /raise figures true committed: stored/],
    [`update raise_commitments set amount = amount + 1`, /commitment 0x\S+ amount: stored/],
    [`update raise_commitments set tokens_claimed = null`, /claimed: stored false, should be true/],
    [`update raise_commitments set refunded = 1`, /refunded: stored 1/],
    [`delete from raise_commitments where amount > 0`, /commitment of events 0x\S+: missing/],
    [`update raise_proposals set for_votes = for_votes + 1`, /proposal 0x\S+ for_votes: stored/],
    [`update raise_proposals set executed_at = null`, /executed: stored false/],
    [`update raise_proposals set voter_count = 9`, /voter_count: stored 9/],
    [`delete from raise_events where kind = 'vote'`, /raise event \d+\/\d+: missing/],
    [
      `update raise_events set wallet = '0x${'1'.repeat(40)}' where kind = 'vote'`,
      /raise event \d+\/\d+ wallet: stored 0x1111/,
    ],
    [`update raise_events set support = 0 where kind = 'vote'`, /vote 0x\S+: stored 0, should be/],
    [`update raises set exited_weight = exited_weight + 1`, /exited_weight: stored/],
    [`update raise_commitments set tokens_given_up = 1`, /tokens_given_up: stored 1/],
    [`update raise_proposals set expires_at = expires_at + 1`, /expires_at: stored/],
    [`delete from actions where type = 'vote'`, /action \d+\/\d+: missing/],
  ]
  await expectReports(t, damages)
})
