import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { DATA_CHANGED, EVENTS_MISSING, listEvents } from '../../db/queries/outbox.ts'
import { tokenId } from '../../db/token-ids.ts'
import { openLiveBus } from '../../features/live/live-bus.ts'
import type { Applied } from '../../indexer/engine/apply.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { reindex } from '../../indexer/engine/reindex.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { modules } from '../../indexer/modules.ts'
import { startIndexer } from '../../indexer/start.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createTestApp } from '../support/app.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { readTokenId } from '../support/readable-rows.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { createFollower } from './fixtures/follower.ts'
import { indexToHead } from './fixtures/indexing.ts'

t.setTimeout(300_000)

interface ReceivedEvent {
  type: string
  rooms: readonly string[]
  data: string
}

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** A token as lists and events have it. The risk of the launch comes last. */
const withoutRisk = (token: string) => token.replace(/,"risk":.*/, '}')

/** Ann has launched a token; nothing is indexed yet. read: the JSON text of `data` as the API answers it. */
async function startMarket(t: Test) {
  const test = await startChain(t)
  const [, ann, bob, eve] = test.accounts as [Address, Address, Address, Address]
  const act = makeActions(test.deployed)
  const { db } = await createTestDatabase(t)
  const { app } = await createTestApp({ config: test.config, services: { db, chain: test.chain } })
  t.teardown(() => app.close())
  const [launch] = await test.node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  const read = async (url: string, wallet?: string) => {
    const headers = wallet ? { authorization: `Bearer ${app.issueToken(wallet)}` } : {}
    const { body } = await app.inject({ url, headers })
    return body.slice('{"success":true,"data":'.length, -1)
  }
  /** The items of a list, each as the text that it was served as. */
  const readItems = async (url: string, wallet?: string) =>
    (JSON.parse(await read(url, wallet)) as { items: object[] }).items.map((item) => JSON.stringify(item))
  let seen = 0
  /** The events sent since the last call. */
  const readEvents = async (): Promise<ReceivedEvent[]> => {
    const events = await listEvents(db, { after: seen, limit: 1_000 })
    seen = events.at(-1)?.seq ?? seen
    return events.filter(({ type }) => type !== DATA_CHANGED)
  }
  const index = () => indexToHead(db, test)
  return { ...test, test, act, db, token, launch: launch!, ann, bob, eve, index, readEvents, read, readItems }
}

const ofType = (events: readonly ReceivedEvent[], type: string) => events.filter((event) => event.type === type)
const dataAndRooms = ({ data, rooms }: ReceivedEvent) => [data, rooms]
const typesOf = (events: readonly ReceivedEvent[]) => events.map(({ type }) => type)

t.test('the data of each event equal the API response after the same commit, byte for byte', async (t) => {
  const { node, act, ann, bob, token, index, readEvents, read, readItems } = await startMarket(t)
  await node.run(act.buy(bob, token, parseEther('0.5')), act.buy(ann, token, parseEther('0.2')))
  await index()
  const events = await readEvents()
  t.strictSame(typesOf(events), [
    'token.created',
    'trade',
    'trade',
    'trade',
    'candle',
    'token.updated',
    'transaction',
    'transaction',
    'transaction',
    'transaction',
    'notification',
    'stats',
  ])
  const record = withoutRisk(await read(`/tokens/${token}`))
  t.strictSame(ofType(events, 'token.created').map(dataAndRooms), [[record, ['tokens', 'feed']]])
  t.strictSame(ofType(events, 'token.updated').map(dataAndRooms), [[record, [`token:${token}`]]])
  const trades = ofType(events, 'trade')
  t.strictSame(
    trades.map(({ data }) => data),
    (await readItems(`/tokens/${token}/trades`)).reverse(),
  )
  for (const trade of trades) t.strictSame(trade.rooms, ['trades', 'feed', `token:${token}`])
  t.strictSame(
    ofType(events, 'transaction').map(({ data }) => data),
    (await readItems('/transactions')).reverse(),
  )
  t.strictSame(
    ofType(events, 'transaction').map(({ rooms }) => rooms),
    [[`wallet:${ann}`], [`wallet:${ann}`], [`wallet:${bob}`], [`wallet:${ann}`]],
  )
  t.strictSame(ofType(events, 'notification').map(dataAndRooms), [
    [(await readItems('/notifications', ann))[0], [`wallet:${ann}`]],
  ])
  t.strictSame(ofType(events, 'stats').map(dataAndRooms), [[await read('/stats'), ['stats']]])
  const candle = JSON.parse(ofType(events, 'candle')[0]!.data) as { token: string; candles: Record<string, object> }
  t.match(candle, { token, quote: { symbol: 'ETH', decimals: 18 } })
  t.strictSame(Object.keys(candle.candles), ['1m', '5m', '15m', '30m', '1h', '4h', '1d'])
  for (const [interval, current] of Object.entries(candle.candles)) {
    const chart = JSON.parse(await read(`/tokens/${token}/chart?interval=${interval}&limit=1`))
    t.equal(JSON.stringify(current), JSON.stringify(chart.candles[0]), interval)
  }
})

t.test('events of a transaction are emitted once, by the receipt sync or by the indexer', async (t) => {
  const { test, node, act, db, bob, token, index, readEvents } = await startMarket(t)
  const services = { db, chain: test.chain, getContracts: async () => test.contracts }
  const [buy] = await node.run(act.buy(bob, token, parseEther('0.5')))
  await index()
  t.equal(ofType(await readEvents(), 'trade').length, 2)
  await syncTransaction(services, { txHash: buy!.transactionHash, wallet: bob, kind: 'buy' })
  t.strictSame(await readEvents(), [])
  const [second] = await node.run(act.buy(bob, token, parseEther('0.1')))
  let woken = 0
  const live = { notifyCommitted: () => void woken++ }
  await syncTransaction({ ...services, live }, { txHash: second!.transactionHash, wallet: bob, kind: 'buy' })
  t.equal(woken, 1)
  t.strictSame(typesOf(await readEvents()), [
    'trade',
    'candle',
    'token.updated',
    'transaction',
    'notification',
    'stats',
  ])
  await index()
  t.strictSame(await readEvents(), [])
})

t.test('a reorg retracts the trades it undoes, then sends those of the new branch', async (t) => {
  const { node, act, bob, eve, token, index, readEvents, readItems } = await startMarket(t)
  await index()
  await readEvents()
  await node.run(act.buy(bob, token, parseEther('0.5')))
  await node.run(act.buy(eve, token, parseEther('0.2')))
  await index()
  const before = ofType(await readEvents(), 'trade').map(({ data }) => JSON.parse(data))
  await node.reorg(2, [{ action: act.buy(bob, token, parseEther('0.5')), block: 1 }])
  await index()
  const events = await readEvents()
  const retracted = ofType(events, 'trade.retracted')
  t.strictSame(
    retracted.map(({ data }) => JSON.parse(data)),
    before.map(({ id, token, trader, side, blockNumber, txHash, logIndex }) => ({
      ...{ id, token, trader, side, blockNumber, txHash, logIndex },
    })),
  )
  for (const { rooms } of retracted) t.strictSame(rooms, ['trades', 'feed', `token:${token}`])
  t.strictSame(
    ofType(events, 'transaction.retracted').map(({ data, rooms }) => [JSON.parse(data).id, rooms]),
    before.map(({ id, trader }) => [id, [`wallet:${trader}`]]),
    'the wallets that traded are notified',
  )
  const sent = ofType(events, 'trade').map(({ data }) => data)
  t.strictSame(sent, (await readItems(`/tokens/${token}/trades`)).slice(0, 1), 'the one that is in both branches')
  t.ok(typesOf(events).lastIndexOf('trade.retracted') < typesOf(events).indexOf('trade'))
  t.equal(ofType(events, 'token.updated').length, 1)
  await node.reorg(4)
  await index()
  t.strictSame(
    typesOf(await readEvents()),
    [
      ...['trade.retracted', 'trade.retracted', 'token.created.retracted'],
      ...['transaction.retracted', 'transaction.retracted', 'transaction.retracted', 'notification.retracted', 'stats'],
    ],
    'the token went with its launch',
  )
})

t.test('a graduation is sent to the channel of its token, to `tokens` and to `feed`', async (t) => {
  const { node, act, bob, eve, token, index, readEvents, read } = await startMarket(t)
  await node.run(act.buy(eve, token, parseEther('100')))
  await node.run(act.graduate(bob, token))
  await index()
  const graduated = ofType(await readEvents(), 'token.graduated')
  t.strictSame(graduated.map(dataAndRooms), [
    [withoutRisk(await read(`/tokens/${token}`)), ['tokens', 'feed', `token:${token}`]],
  ])
})

t.test('a trade of a hidden token is sent to the channel of that token only', async (t) => {
  const { node, act, db, ann, bob, token, index, readEvents } = await startMarket(t)
  await index()
  await readEvents()
  await db
    .insertInto('token_metadata')
    .values({ token_id: await readTokenId(db, token), hidden: true, updated_by: ann })
    .execute()
  await db.updateTable('token_figures').set({ hidden: true }).where('token_id', '=', tokenId(token)).execute()
  await node.run(act.buy(bob, token, parseEther('0.5')))
  await index()
  t.strictSame(
    ofType(await readEvents(), 'trade').map(({ rooms }) => rooms),
    [[`token:${token}`]],
  )
})

t.test('old blocks and a rebuild emit no events of their own', async (t) => {
  const { node, act, db, bob, token, index, readEvents } = await startMarket(t)
  await node.run(act.buy(bob, token, parseEther('0.5')))
  await node.mine(601)
  await index()
  t.strictSame(
    (await readEvents()).map(({ type }) => type),
    [EVENTS_MISSING],
  )
  await node.run(act.buy(bob, token, parseEther('0.1')))
  await index()
  t.equal(ofType(await readEvents(), 'trade').length, 1)
  await reindex(db, modules)
  t.strictSame(await readEvents(), [])
})

t.test('subscribers read the state again once the events after a gap are recent', async (t) => {
  const { test, node, act, db, bob, token, index } = await startMarket(t)
  await index()
  const live = await openLiveBus({ db, redis: null, log: silent, pollMs: 3_600_000 })
  t.teardown(() => live.close())
  const heard: string[] = []
  live.subscribe(
    ({ type, rooms }) => void (rooms.includes('trades') && heard.push(type)),
    () => void heard.push('loss'),
  )
  const last = live.head
  await node.run(act.buy(bob, token, parseEther('0.5')))
  for (let n = 0; n < 20; n++) await node.mine()
  await node.mine(601)
  const sizes = { range: 5, least: 0, most: 0, total: 5, ahead: 5, rangesAhead: 1 }
  const contracts = await prepareChainState(db, test.chain, test.contracts, test.config)
  const { finality } = test.config
  const follower = createFollower({ db, chain: test.chain, contracts, finality, batchSizes: sizes, bulkLogs: 0 })
  const lacksEvents = async () =>
    (await db.selectFrom('chain_state').select('lacks_events').executeTakeFirstOrThrow()).lacks_events
  const gaps: boolean[] = []
  while ((await follower.step()) === 'again') gaps.push(await lacksEvents())
  t.strictSame([gaps[0], gaps.at(-1)], [true, false], 'from the first batch to the last')
  await node.run(act.buy(bob, token, parseEther('0.1')))
  await index()
  live.notifyCommitted()
  await waitUntil('the new trade is heard', async () => heard.includes('trade'))
  t.strictSame(heard, ['loss', 'trade'])
  t.equal((await live.replay('trades', last, 10)).complete, false)
  t.equal((await live.replay('trades', live.head, 10)).complete, true)
})

t.test('the active indexer sends new events to subscribers, and deletes old events', async (t) => {
  const { test, node, act, bob, token } = await startMarket(t)
  const database = await createTestDatabase(t)
  const { db } = database
  await indexToHead(db, test)
  await sql`update outbox set created_at = created_at - interval '2 hours'`.execute(db)
  const old = (await listEvents(db, { after: 0, limit: 1_000 })).at(-1)!.seq
  const live = await openLiveBus({ db, redis: null, log: silent, pollMs: 3_600_000 })
  t.teardown(() => live.close())
  const trades: string[] = []
  live.subscribe(({ type, data }) => {
    if (type === 'trade') trades.push((JSON.parse(data) as { txHash: string }).txHash)
  })
  const onApplied = ({ change }: Applied) => {
    live.notifyCommitted(change)
  }
  const getContracts = async () => test.contracts
  const indexer = startIndexer({
    database,
    chain: test.chain,
    config: test.config,
    log: silent,
    getContracts,
    onApplied,
  })
  t.teardown(() => indexer.stop())
  const [buy] = await node.run(act.buy(bob, token, parseEther('0.5')))
  await waitUntil('the trade is heard', async () => trades.length > 0)
  t.strictSame(trades, [buy!.transactionHash])
  const oldest = async () => (await listEvents(db, { after: 0, limit: 1 }))[0]?.seq ?? 0
  await waitUntil('what is old is trimmed', async () => (await oldest()) > old)
  t.equal((await live.replay('trades', 0, 10)).complete, false)
  t.equal((await live.replay('trades', live.head, 10)).complete, true)
})
