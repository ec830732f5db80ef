import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import type { LaunchpadStatisticsList } from '../../../schemas/statistics/launchpad-statistics.ts'
import type { Statistics } from '../../../schemas/statistics/statistics.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { startNadFun } from '../fixtures/launchpads/nad-fun.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const { db, node, chain, deployed, index, accounts, contracts, environment, nadFun, venue, ...audited } =
  await startNadFun(t)
const { expectFresh, expectReports, ann, bob, eve } = audited
const zoe = accounts[4] as Address
const act = makeActions(deployed)
const { app } = await createTestApp({
  config: testConfig({ ...environment, RATE_LIMITS: 'off' }),
  services: { db, chain, getContracts: async () => contracts },
})
t.teardown(() => app.close())

type Listed = Static<typeof LaunchpadStatisticsList>['items']
async function read() {
  await index()
  const get = async (path: string) => (await app.inject(path)).json().data
  const { items } = (await get('/stats/launchpads')) as { items: Listed }
  return {
    items: new Map(items.map((item) => [item.kind, item])),
    all: (await get('/stats')) as Static<typeof Statistics>,
  }
}
/** Sums of all trades of the tokens of a kind. */
async function sumTrades(kind: string) {
  const trades = await db
    .selectFrom('readable_trades as r')
    .innerJoin('tokens as k', 'k.address', 'r.token')
    .select(['r.quote_amount', 'r.value_usd', 'r.protocol_fee', 'r.creator_fee'])
    .where('k.launchpad_kind', '=', kind as 'slipway')
    .execute()
  const sum = (column: 'quote_amount' | 'protocol_fee' | 'creator_fee') =>
    String(trades.reduce((total, trade) => total + BigInt(trade[column] ?? 0), 0n))
  const volumeUsd = trades.reduce((total, trade) => total + Number(trade.value_usd), 0)
  const fees = { protocolFees: sum('protocol_fee'), creatorFees: sum('creator_fee') }
  return { trades: trades.length, volume: sum('quote_amount'), volumeUsd, fees }
}

const [launch] = await node.run(act.launch(ann, 'OURS', parseEther('0.5')))
const ours = launchedToken(launch!)

t.test('a service with one launchpad lists it alone', async (t) => {
  const { items, all } = await read()
  t.same([...items.keys()], ['slipway'])
  const { traders, ...total } = all.total
  t.equal(traders, 1)
  t.match(items.get('slipway'), { name: 'Slipway', tokens: all.tokens, total, h24: total })
})

t.test('figures of each launchpad are the sums of its tokens, and together those of the platform', async (t) => {
  const { token, pool } = await nadFun.createToken(bob, { value: parseEther('1000') })
  await nadFun.buy(eve, token, parseEther('600000'))
  await nadFun.graduate(eve, token)
  await venue.swapBuy(zoe, pool, parseEther('10'))
  await node.run(act.buy(zoe, ours, parseEther('0.03') + 7n), act.launch(eve, 'MORE'))
  const { items, all } = await read()
  t.same([...items.keys()].sort(), ['nad-fun', 'slipway'])
  for (const kind of ['slipway', 'nad-fun']) {
    const { fees, volumeUsd, ...sums } = await sumTrades(kind)
    t.ok(sums.trades > 1)
    const { total, h24 } = items.get(kind)!
    t.match(total, { ...sums, ...(kind === 'slipway' ? fees : { protocolFees: null, creatorFees: null }) })
    t.ok(Math.abs(total.volumeUsd! - volumeUsd) < 0.01)
    t.same(h24, total, 'all of the last day')
  }
  t.match(items.get('slipway')!.tokens, { total: 2, graduated: 0, onCurve: 2, created24h: 2 })
  t.match(items.get('nad-fun'), { name: 'nad.fun', tokens: { total: 1, graduated: 1, onCurve: 0, created24h: 1 } })
  const volume = [...items.values()].reduce((sum, { total }) => sum + BigInt(total.volume), 0n)
  t.equal(String(volume), all.total.volume)
  await expectFresh('the audit agrees')
})

t.test('trades leave the last day, with their fees', async (t) => {
  await node.mine(2 * 86_400)
  const { items } = await read()
  for (const { h24, total, tokens } of items.values()) {
    t.match(h24, { trades: 0, volume: '0', volumeUsd: 0 })
    t.ok(total.trades > 1)
    t.equal(tokens.created24h, 0)
  }
  t.match(items.get('slipway')!.h24, { protocolFees: '0', creatorFees: '0' })
  await node.run(act.buy(zoe, ours, parseEther('0.05')))
  t.match((await read()).items.get('slipway')!.h24, { trades: 1, volume: String(parseEther('0.05')) })
  await expectFresh('the audit agrees')
})

t.test('a rebuild gives equal rows, and the audit reports wrong ones', async (t) => {
  const before = await readTables(db)
  t.equal(before.get('launchpad_figures')!.size, 2)
  t.ok(before.get('launchpad_days')!.size >= 2)
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), before), [])
  await expectReports(t, [
    [`update launchpad_figures set trades_h24 = 99 where kind = 'slipway'`, /launchpad 0x\w+ trades_h24: stored 99/],
    [`update launchpad_figures set volume_total = 5 where kind = 'nad-fun'`, /launchpad 0x\w+ volume_total: stored 5/],
    [`delete from launchpad_figures where kind = 'nad-fun'`, /launchpad 0x\w+: missing/],
    [`insert into launchpad_figures select 'x', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'x'`, /launchpad x: stored, but/],
    [`update launchpad_days set protocol_fees = 5`, /day 0x\w+\/\d+ protocol_fees: stored 5/],
    [`delete from launchpad_days`, /day 0x\w+\/\d+: missing/],
    [`insert into launchpad_days values (86400, 'x', 1, 1, 1, 1, 1)`, /day x\/86400: stored, but/],
  ])
})

t.test('a reorg takes trades, launches and the last token of a launchpad back', async (t) => {
  const other = await startNadFun(t)
  const play = makeActions(other.deployed)
  const [first] = await other.node.run(play.launch(other.ann, 'ONE', parseEther('0.5')))
  await other.index()
  const snapshot = await other.node.call<Hex>('evm_snapshot')
  const { token } = await other.nadFun.createToken(other.bob, { value: parseEther('10') })
  await other.nadFun.buy(other.eve, token, parseEther('20'))
  await other.node.run(play.buy(other.eve, launchedToken(first!), parseEther('0.1')), play.launch(other.eve, 'TWO'))
  await other.expectFresh('before')
  const rows = () =>
    other.db.selectFrom('launchpad_figures').select(['kind', 'tokens_total', 'trades_total']).orderBy('kind').execute()
  t.same(await rows(), [
    { kind: 'nad-fun', tokens_total: 1, trades_total: 2 },
    { kind: 'slipway', tokens_total: 2, trades_total: 2 },
  ])
  await other.node.call('evm_revert', snapshot)
  for (let left = 6; left > 0; left--) await other.node.mine()
  await other.expectFresh('after')
  t.same(await rows(), [{ kind: 'slipway', tokens_total: 1, trades_total: 1 }])
  t.same(await other.db.selectFrom('launchpad_days').select('trades').execute(), [{ trades: 1 }])
})

t.test('a receipt sync ahead of the indexer counts its launchpad once', async (t) => {
  const { token, receipt } = await nadFun.createToken(bob, { value: parseEther('7') })
  await audited.sync(receipt.transactionHash, bob, 'create', token)
  const row = await db
    .selectFrom('launchpad_figures')
    .selectAll()
    .where('kind', '=', 'nad-fun')
    .executeTakeFirstOrThrow()
  t.equal(row.tokens_total, 2)
  await expectFresh('when the indexer has caught up')
})
