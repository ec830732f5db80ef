import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import type { LeaderboardList } from '../../../schemas/leaderboard.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { startNadFun } from '../fixtures/launchpads/nad-fun.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const DAY = 86_400
const KINDS = ['slipway', 'nad-fun'] as const
/** Of reorgs, in blocks. */
const MAX_DEPTH = 3

const { db, node, chain, deployed, index, accounts, contracts, environment, nadFun, ...audited } = await startNadFun(t)
const { expectFresh, expectReports, ann, bob, eve } = audited
const zoe = accounts[4] as Address
const act = makeActions(deployed)
const { app } = await createTestApp({
  config: testConfig({ ...environment, RATE_LIMITS: 'off' }),
  services: { db, chain, getContracts: async () => contracts },
})
t.teardown(() => app.close())

type Leaders = Static<typeof LeaderboardList>['items']

async function list(query: string): Promise<Leaders> {
  const found: Leaders = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const response = await app.inject(`/leaderboard?limit=2${query}${cursor && `&cursor=${cursor}`}`)
    const { data } = response.json() as { data: { items: Leaders; nextCursor: string | null } }
    found.push(...data.items)
    cursor = data.nextCursor
  }
  return found
}

/** The same from all trades. Its newest 200 trades are all that a wallet has. */
async function rank(period: string, by: 'volume' | 'pnl', kind: string | undefined) {
  const days = { '24h': 1, '7d': 7, '30d': 30 }[period]
  const { rows } = await sql<{ wallet: string; volume: string; pnl: string; trades: number; rate: number | null }>`
    select r.trader as wallet, sum(coalesce(r.value_native, r.quote_amount))::text as volume,
      coalesce(sum(coalesce(r.realized_native, r.realized)), 0)::text as pnl, count(*)::int as trades,
      trunc(100.0 * count(*) filter (where r.realized > 0) / nullif(count(r.realized), 0), 6)::float8 as rate
    from readable_trades r join tokens k on k.address = r.token cross join chain_state s
    where r.block_time >= ${days === undefined ? sql`0` : sql`s.clock_time - ${days * DAY}::integer`}
      and ${kind === undefined ? sql`true` : sql`k.launchpad_kind = ${kind}`}
    group by r.trader`.execute(db)
  const compare = (a: (typeof rows)[number], b: (typeof rows)[number]) =>
    BigInt(b[by]) > BigInt(a[by]) || (b[by] === a[by] && b.wallet < a.wallet) ? 1 : -1
  return rows.sort(compare).map((row, at) => ({
    ...{ rank: at + 1, wallet: row.wallet, volumeNative: row.volume, tradeCount: row.trades },
    ...{ realizedPnl: { native: row.pnl }, winRatePct: row.rate, period, by },
  }))
}

async function expectRanks(t: Test, message: string) {
  await index()
  for (const period of ['24h', '7d', '30d', 'all'])
    for (const by of ['volume', 'pnl'] as const)
      for (const kind of [undefined, ...KINDS]) {
        const listed = await list(`&period=${period}&by=${by}${kind ? `&launchpad=${kind}` : ''}`)
        const expected = await rank(period, by, kind)
        t.match(listed, expected, `${message}: ${kind ?? 'all'} by ${by} in ${period}`)
        t.equal(listed.length, expected.length)
      }
}

const readKinds = async (wallet: Address) => {
  const key = wallet.toLowerCase()
  const row = await sql<{ kind: string | null; parts: string[] }>`
    select launchpad_kind as kind,
      array(select launchpad_kind || ' ' || trades_total from wallet_launchpad_figures p where p.wallet = w.wallet order by 1) as parts
    from wallet_figures w where wallet = decode(${key.slice(2)}, 'hex')`.execute(db)
  return row.rows[0]
}

const [launch] = await node.run(act.launch(ann, 'OURS', parseEther('0.5')))
const ours = launchedToken(launch!)

t.test('with one launchpad, its leaderboard is that of all', async (t) => {
  await node.run(act.buy(bob, ours, parseEther('0.2')))
  await index()
  t.same(await readKinds(ann), { kind: 'slipway', parts: [] })
  const all = await list('&period=all')
  t.same(
    all.map(({ wallet }) => wallet),
    [ann, bob].map((wallet) => wallet.toLowerCase()),
  )
  t.same(await list('&period=all&launchpad=slipway'), all)
  t.same(await list('&period=all&launchpad=nad-fun'), [])
  t.same(await list('&period=all&launchpad=unheard-of'), [], 'as lists of tokens answer')
  t.equal((await app.inject('/leaderboard?launchpad=slipway,nad-fun')).statusCode, 400)
  await expectFresh('the audit agrees')
})

t.test('figures are divided while a wallet has traded on several, and a reorg joins them', async (t) => {
  const snapshot = await node.call<Hex>('evm_snapshot')
  const { token } = await nadFun.createToken(eve, { value: parseEther('40') })
  await nadFun.buy(bob, token, parseEther('30'))
  await node.run(act.buy(zoe, ours, parseEther('0.1')))
  await nadFun.buy(zoe, token, parseEther('7'))
  await nadFun.sell(bob, token, parseEther('100'))
  await index()
  t.same(await readKinds(ann), { kind: 'slipway', parts: [] })
  t.same(await readKinds(eve), { kind: 'nad-fun', parts: [] })
  t.same(await readKinds(bob), { kind: null, parts: ['nad-fun 2', 'slipway 1'] })
  t.same(await readKinds(zoe), { kind: null, parts: ['nad-fun 1', 'slipway 1'] }, 'both in one batch')
  await expectRanks(t, 'on two launchpads')
  await expectFresh('on two launchpads')
  const { nextCursor } = (await app.inject('/leaderboard?limit=1&launchpad=slipway')).json().data
  t.equal((await app.inject(`/leaderboard?limit=1&launchpad=slipway&cursor=${nextCursor}`)).statusCode, 200)
  for (const other of ['', '&launchpad=nad-fun'])
    t.equal((await app.inject(`/leaderboard?limit=1${other}&cursor=${nextCursor}`)).statusCode, 400)

  await node.call('evm_revert', snapshot)
  for (let left = 12; left > 0; left--) await node.mine()
  await index()
  t.same(await readKinds(bob), { kind: 'slipway', parts: [] })
  t.equal(await readKinds(zoe), undefined)
  t.equal(await readKinds(eve), undefined)
  await expectFresh('after the reorg')
})

t.test(`random trades on two launchpads are ranked as by a query over all trades (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const wallets = accounts.slice(1) as Address[]
  const { token } = await nadFun.createToken(eve, { value: parseEther('1') })
  await node.run(
    ...wallets.flatMap((wallet) => [
      act.approve(wallet, ours, deployed.launchpad),
      act.approve(wallet, token, nadFun.address),
    ]),
  )
  for (let block = 0; block < MAX_DEPTH; block++) await node.mine()
  // A sale of more than a wallet has is reverted.
  const trade = (wallet: Address) => {
    const part = BigInt(1 + random(9))
    const trades = [
      () => act.buy(wallet, ours, parseEther('0.001') * part),
      () => act.sell(wallet, ours, parseEther('10000') * part),
      () => nadFun.actions.buy(wallet, token, parseEther('1') * part),
      () => nadFun.actions.sell(wallet, token, parseEther('1000') * part),
    ]
    return trades[random(trades.length)]!()
  }
  for (let round = 0; round < 20; round++) {
    await node.send(wallets.filter(() => random(3) === 0).map(trade))
    await node.mine([60, DAY, 3 * DAY, 9 * DAY][random(4)])
    if (random(2) === 0) await index()
    if (random(4) === 0) await node.reorg(1 + random(MAX_DEPTH))
  }
  await index()
  const { rows: counts } = await sql`
    select count(*) as wallets, count(*) filter (where launchpad_kind is null) as divided from wallet_figures`.execute(
    db,
  )
  const { rows: sales } = await sql`select count(*) as sales from trades where realized is not null`.execute(db)
  t.comment(JSON.stringify({ ...counts[0]!, ...sales[0]! }))
  await expectRanks(t, 'at the end')
  await expectFresh('at the end')
})

t.test('a rebuild gives equal rows, and the audit reports wrong ones', async (t) => {
  await nadFun.buy(ann, (await nadFun.createToken(eve, { value: parseEther('1') })).token, parseEther('5'))
  await index()
  t.equal((await readKinds(ann))?.kind, null)
  const before = await readTables(db)
  t.ok(before.get('wallet_launchpad_figures')!.size > 1)
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), before), [])
  const wallet = `decode('${ann.slice(2)}', 'hex')`
  await expectReports(t, [
    [
      `update wallet_launchpad_figures set trades_d7 = 99 where launchpad_kind = 'slipway' and wallet = ${wallet}`,
      /wallet 0x\w+\/slipway trades_d7: stored 99/,
    ],
    [`delete from wallet_launchpad_figures where wallet = ${wallet}`, /wallet 0x\w+\/nad-fun: missing/],
    [
      `update wallet_figures set launchpad_kind = 'x' where wallet = ${wallet}`,
      /wallet 0x\w+ launchpad_kind: stored x/,
    ],
  ])
})

t.test('wallets that a version before has inserted stay unknown until a rebuild', async (t) => {
  await sql`update wallet_figures set launchpad_kind = null where wallet = decode(${ann.slice(2)}, 'hex')`.execute(db)
  await sql`delete from wallet_launchpad_figures where wallet = decode(${ann.slice(2)}, 'hex')`.execute(db)
  await node.run(act.buy(ann, ours, parseEther('0.01')))
  await index()
  t.same(await readKinds(ann), { kind: null, parts: [] })
  const { test } = audited
  await prepareChainState(db, chain, contracts, test.config)
  const { rules } = await db.selectFrom('chain_state').select('rules').executeTakeFirstOrThrow()
  t.equal(rules, 0)
  await reindex(db, modules)
  t.match(await readKinds(ann), { kind: null, parts: { length: 2 } })
  await expectFresh('after the rebuild')
})
