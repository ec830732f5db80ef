import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { type Address, parseEther } from 'viem'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import { backfillDeployments } from '../../../indexer/engine/deployments/backfill-deployments.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import type { Deployment } from '../../../schemas/operators/deployments.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createTestApp } from '../../support/app.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { GRADUATING_GAS } from '../../support/chain-fixture.ts'
import { createClient, headersOf } from '../../support/client.ts'
import { deployClankerV31 } from '../../support/launchpads/clanker-v31.ts'
import { deployNadFun } from '../../support/launchpads/nad-fun.ts'
import { deployVenue } from '../../support/launchpads/venue.ts'
import { ADMIN, failure } from '../../support/people.ts'

t.setTimeout(400_000)

type Listed = Static<typeof Deployment>
type Page = { items: { address: string; hidden: boolean }[]; total: number }

const chainApp = await createChainApp(t)
const { app, ask, db, read, post, test, node, chain, config, accounts, deployed } = chainApp
const [, ann, bob] = accounts as [Address, Address, Address]
const act = makeActions(deployed)
const venue = await deployVenue(test, deployed.weth)
const before = await node.height()
const nadFun = await deployNadFun(test, venue)
const clanker = await deployClankerV31(test, venue)
const nadFunBlock = await findCreation(nadFun.address, before)

async function findCreation(address: Address, from: number): Promise<number> {
  for (let block = from; ; block++)
    if ((await chain.client.getCode({ address, blockNumber: BigInt(block) })) !== undefined) return block
}

const url = '/admin/deployments'
const list = async () => (await read<{ items: Listed[] }>(url, ADMIN)).body.data.items
const listed = async (address: string) => (await list()).find((one) => one.address === address)
const add = (payload: object, wallet = ADMIN) => post<Listed>(url, payload, wallet)
const remove = (address: string, wallet = ADMIN) =>
  ask<Listed>({ method: 'DELETE', url: `${url}/${address}`, headers: headersOf(app, wallet) })
const nadFunAt = (startBlock: number) => ({ kind: 'nad-fun', address: nadFun.address, startBlock })
const log = { info: () => {}, warn: () => {} }

/** What the process that indexes does. */
async function index() {
  const source = { chain, config, contracts: test.contracts }
  await indexToHead(db, source)
  const contracts = await prepareChainState(db, chain, test.contracts, config)
  const { signal } = new AbortController()
  await backfillDeployments({ db, chain, contracts, transact: (work) => db.transaction().execute(work), log, signal })
  await indexToHead(db, source)
}
const newest = async () => (await read<Page>('/tokens?sort=newest&limit=100')).body.data.items.map((one) => one.address)

const [launch] = await node.run(act.launch(ann, 'OURS', parseEther('0.1')))
const ours = launchedToken(launch!).toLowerCase()
const first = await nadFun.createToken(ann, { value: parseEther('10') })
const second = await nadFun.createToken(bob, { name: 'Yawl', symbol: 'YAWL', value: parseEther('10') })
for (let left = 30; left > 0; left--) await node.mine()
await index()

t.test('only operators manage deployments', async (t) => {
  for (const answer of [await add(nadFunAt(0), ann), await remove(nadFun.address, ann), await read(url, ann)])
    t.same(answer, failure(403, 'This wallet is not an operator'))
})

t.test('what DEPLOYMENTS names is listed, can be added as it is, and not be removed', async (t) => {
  const items = await list()
  t.match(items, [
    {
      ...{ kind: 'launchpad', address: deployed.launchpad, source: 'settings', state: 'complete', progressPct: 100 },
      ...{ removed: false, addedBy: null, indexedBlock: await node.height() },
    },
    { kind: 'price-feed', state: 'complete', indexedBlock: null },
    { kind: 'wrapped-native' },
    { kind: 'staking' },
    { kind: 'raises' },
  ])
  t.equal(items.length, 5)
  const { kind, address, startBlock } = items[0]!
  t.same((await add({ kind, address, startBlock })).body.data, items[0])
  t.same(
    await add({ kind: 'nad-fun', address, startBlock }),
    failure(409, `This contract is followed as launchpad from block ${startBlock}`),
  )
  t.match(await remove(address), {
    status: 409,
    body: { error: /^This contract is named in DEPLOYMENTS: leave it out/ },
  })
})

t.test('a contract that cannot be followed is refused', async (t) => {
  const head = await node.height()
  const refused: [payload: object, problem: string][] = [
    [{ ...nadFunAt(0), address: ann }, 'has no code on this chain'],
    [{ ...nadFunAt(0), kind: 'uniswap-v3-factory', address: ours }, 'is a token or a pool of one'],
    [{ ...nadFunAt(0), kind: 'launchpad' }, 'does not answer '],
    [
      { ...nadFunAt(0), kind: 'price-feed' },
      'cannot be added as price-feed: its kind must be one of launchpad, nad-fun',
    ],
    [nadFunAt(head + 1), `cannot start at block ${head + 1}: the newest block is ${head}`],
    [nadFunAt(nadFunBlock + 1), `exists since before block ${nadFunBlock + 1}`],
    [{ kind: 'clanker-v31', address: clanker.address, startBlock: 0 }, 'needs a uniswap-v3-factory'],
  ]
  for (const [payload, problem] of refused) {
    const { status, body } = await add(payload)
    t.equal(status, 422, problem)
    t.ok((body as unknown as { error: string }).error.startsWith(`This contract ${problem}`), problem)
  }
  for (const payload of [{ ...nadFunAt(0), kind: 'Price feed' }, nadFunAt(-1), { kind: 'nad-fun' }])
    t.equal((await add(payload)).status, 400)
  t.equal((await list()).length, 5, 'nothing was added')
})

t.test('while no node answers, nothing is added', async (t) => {
  const { app: cut } = await createTestApp({ config: { ...app.settings, rpcUrls: [] }, services: { db } })
  t.teardown(() => cut.close())
  const answer = await createClient(cut)({ method: 'POST', url, headers: headersOf(cut, ADMIN), payload: nadFunAt(0) })
  t.equal(answer.status, 503)
})

t.test('a launchpad is added, and its history is indexed', async (t) => {
  const answer = await add({ ...nadFunAt(nadFunBlock), reason: 'Asked for.' })
  t.match(answer, { status: 200, body: { data: { state: 'waiting', source: 'api', addedBy: ADMIN, progressPct: 0 } } })
  t.same((await add(nadFunAt(nadFunBlock))).body.data, answer.body.data, 'twice is once')
  t.match(await add(nadFunAt(0)), failure(409, `This contract is followed as nad-fun from block ${nadFunBlock}`))
  const synced = await post('/buy', { txHash: first.receipt.transactionHash }, ann)
  t.equal(synced.status, 425, 'receipt syncs wait until the indexer follows it')
  await prepareChainState(db, chain, test.contracts, config)
  t.match(await listed(nadFun.address), { state: 'backfilling', progressPct: 0, indexedBlock: null })
  await db
    .insertInto('indexer_lease')
    .values({ token: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await sql`update indexer_lease set heartbeat_at = clock_timestamp()`.execute(db)
  const health = await read<{ indexer: object }>('/health')
  t.match(health.body.data.indexer, { backfills: [{ address: nadFun.address, kind: 'nad-fun', progressPct: 0 }] })
  await index()
  t.match(await listed(nadFun.address), { state: 'complete', progressPct: 100, removed: false })
  t.same(await newest(), [second.token, first.token, ours])
  const buy = await post<{ trade: object }>('/buy', { txHash: first.receipt.transactionHash }, ann)
  t.equal(buy.status, 200, 'its receipts are synced')
  const { launchpads, contracts } = (await read<{ launchpads: Listed[]; contracts: Listed[] }>('/config')).body.data
  t.match(launchpads.at(-1), { kind: 'nad-fun', address: nadFun.address, name: 'nad.fun', startBlock: nadFunBlock })
  t.equal(contracts.at(-1)!.address, nadFun.address)
  t.equal((await read<Page>('/tokens?launchpad=nad-fun')).body.data.total, 2)
})

t.test(
  'a removed launchpad hides its tokens, also later ones, and shows those again that operators have not hidden',
  async (t) => {
    await post(`/admin/tokens/${second.token}/hide`, { reason: 'Spam' }, ADMIN)
    const removed = await remove(nadFun.address)
    t.match(removed, { status: 200, body: { data: { removed: true, state: 'complete' } } })
    t.same((await remove(nadFun.address)).body.data, removed.body.data, 'twice is once')
    const third = await nadFun.createToken(ann, { value: parseEther('1') })
    await index()
    const visible = async () => ({
      tokens: await newest(),
      search: (await read<{ tokens: { address: string }[] }>('/search?q=ketch')).body.data.tokens.length,
      feed: JSON.stringify((await read('/feed')).body.data).includes(first.token),
      statistics: (await read<{ items: { kind: string }[] }>('/stats/launchpads')).body.data.items.map(
        (one) => one.kind,
      ),
      config: (await read<{ launchpads: Listed[] }>('/config')).body.data.launchpads.length,
    })
    const hidden = { tokens: [ours], search: 0, feed: false, statistics: ['slipway'], config: 1 }
    t.same(await visible(), hidden)
    t.match((await read<{ hidden: boolean }>(`/tokens/${first.token}`)).body.data, { hidden: true })
    const unhidden = await post<{ hidden: boolean }>(`/admin/tokens/${first.token}/unhide`, {}, ADMIN)
    t.equal(unhidden.body.data.hidden, true, 'it stays hidden with its launchpad')
    await reindex(db, modules)
    t.same(await visible(), hidden, 'after a rebuild')

    t.match((await add(nadFunAt(nadFunBlock))).body.data, { removed: false, state: 'complete' })
    const shown = {
      ...{ tokens: [third.token, first.token, ours], search: 2, feed: true, config: 2 },
      statistics: ['nad-fun', 'slipway'],
    }
    t.same(await visible(), shown)
    await reindex(db, modules)
    t.same(await visible(), shown, 'after a rebuild')
    t.match((await read<{ hidden: boolean }>(`/tokens/${second.token}`)).body.data, { hidden: true })
  },
)

t.test('DEPLOYMENTS shows a removed launchpad again that it names', async (t) => {
  const shown = await newest()
  await remove(nadFun.address)
  t.same(await newest(), [ours])
  const named = {
    ...config,
    deployments: [...config.deployments, { ...nadFunAt(nadFunBlock), kind: 'nad-fun' as const }],
  }
  await prepareChainState(db, chain, test.contracts, named)
  t.same(await newest(), shown)
  t.match(await listed(nadFun.address), { removed: false })
})

t.test('one that DEPLOYMENTS has named before is removed as others are', async (t) => {
  const first = (await list())[0]!
  const { app: later } = await createTestApp({ config: { ...app.settings, deployments: [] }, services: { db, chain } })
  t.teardown(() => later.close())
  const request = { method: 'DELETE' as const, url: `${url}/${first.address}`, headers: headersOf(later, ADMIN) }
  t.match((await createClient(later)<Listed>(request)).body.data, {
    kind: 'launchpad',
    removed: true,
    state: 'complete',
  })
  t.notOk((await newest()).includes(ours))
  await prepareChainState(db, chain, test.contracts, config)
  t.ok((await newest()).includes(ours), 'until it is named again')
})

t.test('what a launchpad needs is added first, and removed last', async (t) => {
  const startBlock = 0
  const factory = { kind: 'uniswap-v3-factory', address: venue.factory, startBlock }
  t.match((await add(factory)).body.data, { state: 'waiting' })
  t.match(await add({ ...factory, address: deployed.launchpad }), { status: 409 })
  t.match(await add({ ...factory, address: nadFun.address }), { status: 409 })
  t.match(await add({ ...factory, address: clanker.address }), {
    status: 422,
    body: { error: /another uniswap-v3-factory/ },
  })
  t.equal((await add({ kind: 'clanker-v31', address: clanker.address, startBlock })).status, 200)
  t.match(await remove(venue.factory), failure(409, `This contract is needed by clanker-v31 ${clanker.address}`))
  await index()
  t.match(await listed(venue.factory), { state: 'complete' })
  t.match(await listed(clanker.address), { state: 'complete' })
  t.equal((await remove(clanker.address)).status, 200)
  t.equal((await remove(venue.factory)).status, 200)
  t.match(await remove(ann), { status: 404 })
})

t.test('an added router is that of quotes', async (t) => {
  const [created] = await node.run(act.launch(ann, 'FAST'))
  const fast = launchedToken(created!)
  await node.run({ ...act.buy(bob, fast, parseEther('10')), gas: GRADUATING_GAS })
  await index()
  const quote = () =>
    read<{ call: { to: string } | null }>(`/tokens/${fast}/quote?side=buy&amount=1000000000&recipient=${bob}`)
  const unknown = failure(409, 'This token cannot be traded: no router is known for its pool')
  t.same(await quote(), unknown)
  const router = { kind: 'uniswap-router', address: deployed.uniswapRouter, startBlock: 0 }
  t.match((await add(router)).body.data, { state: 'complete', progressPct: 100, indexedBlock: null })
  t.equal((await quote()).body.data.call!.to, deployed.uniswapRouter)
  await remove(deployed.uniswapRouter)
  t.same(await quote(), unknown)
})

t.test('decisions are in the audit log', async (t) => {
  const { items } = (
    await read<{ items: { action: string; reason: string | null; actor: string }[] }>(
      `/admin/audit-log?subject=${nadFun.address}`,
      ADMIN,
    )
  ).body.data
  t.match(items, [
    { action: 'deployment.remove', actor: ADMIN },
    { action: 'deployment.add', actor: ADMIN },
    { action: 'deployment.remove', actor: ADMIN },
    { action: 'deployment.add', actor: ADMIN, reason: 'Asked for.' },
  ])
  t.equal(items.length, 4)
})
