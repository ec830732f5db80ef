import type { Static } from '@sinclair/typebox'
import { type KyselyPlugin, sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { cacheTagOf } from '../../../lib/cache/data-versions.ts'
import type { HolderList } from '../../../schemas/holders.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { GRADUATING_GAS } from '../../support/chain-fixture.ts'
import type { Answer } from '../../support/client.ts'

/* After each block of a token's life its holders are listed; afterwards the same lists are asked for by the block. */
const { node, deployed, accounts, db, app, test, read } = await createChainApp(t)
const [, ann, sam, lea] = accounts as [Address, Address, Address, Address]
const act = makeActions(deployed)
type Holders = Static<typeof HolderList>
const known = new Map<number, [wallet: string, balance: string][]>()

const before = await node.height()
const [launch] = await node.run(act.launch(ann, 'PAST', parseEther('0.2')))
const token = launchedToken(launch!)
const list = async (query: string) =>
  (await read<Holders>(`/tokens/${token}/holders?limit=100${query}`)).body.data.items
const toPairs = (items: Holders['items']) => items.map(({ address, balance }) => [address, balance] as [string, string])
const record = async () => {
  await indexToHead(db, test)
  known.set(await node.height(), toPairs(await list('')))
}
await record()
const amount = 10n ** 24n
for (const actions of [
  [act.buy(sam, token, parseEther('0.1')), act.buy(lea, token, parseEther('0.1'))],
  [act.transfer(sam, token, lea, amount), act.transfer(lea, token, sam, 2n * amount)],
  [act.sell(lea, token, amount)],
  [act.transfer(ann, token, deployed.raises.toLowerCase() as Address, amount)],
  [{ ...act.buy(lea, token, parseEther('1000')), gas: GRADUATING_GAS }],
  [act.swapBuy(sam, token, parseEther('0.2')), act.approve(sam, token, deployed.uniswapRouter)],
  [act.transfer(sam, token, ann, amount)],
  [act.swapSell(sam, token, amount)],
  [act.addLiquidity(sam, token, amount, parseEther('1'))],
]) {
  await node.run(...actions)
  await record()
}

t.test('the holders after any block are those that were listed then', async (t) => {
  for (const [block, holders] of known) t.same(toPairs(await list(`&at=${block}`)), holders, `block ${block}`)
  t.ok(new Set([...known.values()].map((holders) => JSON.stringify(holders))).size > 7, 'they changed')
  t.same(await list(`&at=${before}`), [], 'before the launch')
})

t.test('pages continue at the same block', async (t) => {
  for (const [block, holders] of known) {
    const paged: [string, string][] = []
    let next: string | null = ''
    while (next !== null) {
      const url: string = `/tokens/${token}/holders?limit=1&at=${block}${next && `&cursor=${next}`}`
      const { items, nextCursor }: Holders = (await read<Holders>(url)).body.data
      paged.push(...toPairs(items))
      next = nextCursor
    }
    t.same(paged, holders, `block ${block}`)
  }
  const { nextCursor } = (await read<Holders>(`/tokens/${token}/holders?limit=1`)).body.data
  t.equal((await read(`/tokens/${token}/holders?at=${before}&cursor=${nextCursor}`)).status, 400, 'of another list')
})

/** An app that counts how often stored logs are read. */
async function countReplays(t: Test, env: Record<string, string> = {}) {
  const state = { replays: 0, release: undefined as (() => void) | undefined }
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind === 'RawNode' && node.sqlFragments[0]?.includes('select logs from blocks')) state.replays++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const config = testConfig({ RATE_LIMITS: 'off', ...env })
  const { app } = await createTestApp({ config, services: { db: db.withPlugin(counter) } })
  t.teardown(() => app.close())
  return { app, state }
}

t.test('transfers are summed once for all pages of a block, until the token changes', async (t) => {
  const { app, state } = await countReplays(t)
  const at = [...known.keys()][4] as number
  const ask = async (query: string, mount = '') =>
    (await app.inject(`${mount}/tokens/${token}/holders?at=${at}${query}`)).json<Answer<Holders>['body']>().data
  const pages = await Promise.all([ask('&limit=1'), ask('&limit=2'), ask('&limit=100'), ask('&x=1', '/api')])
  t.same(toPairs(pages[2].items), known.get(at))
  await ask(`&limit=2&cursor=${pages[0].nextCursor}`)
  t.equal(state.replays, 1)
  const change = (...cacheTags: string[]) => app.transactionWithEvents(async () => {}, cacheTags)
  await change('market', cacheTagOf(`0x${'1'.repeat(40)}`))
  t.same(toPairs((await ask('&limit=50')).items), known.get(at))
  t.equal(state.replays, 1, 'after changes of other tokens')
  await change(cacheTagOf(token))
  t.same(toPairs((await ask('&limit=50')).items), known.get(at))
  t.equal(state.replays, 2, 'after a change of the token')
  await node.run(act.transfer(sam, token, lea, amount))
  await record()
  t.same(toPairs((await ask('&limit=50')).items), known.get(at))
  t.equal(state.replays, 3, 'after a block with a transfer')
  await change('token')
  t.same(toPairs((await ask('&limit=50')).items), known.get(at))
  t.equal(state.replays, 4, 'after a change of all tokens, such as a reorg')
})

t.test('pages of a block count against the quota of expensive reads', async (t) => {
  const { app } = await countReplays(t, { RATE_LIMITS: 'on', RATE_LIMIT_READ_HEAVY: '2/60' })
  const ask = async (query: string) => (await app.inject(`/tokens/${token}/holders?limit=1${query}`)).statusCode
  for (const status of [200, 200, 429]) t.equal(await ask(`&at=${before}`), status)
  t.equal(await ask(''), 200, 'the present holders do not')
})

t.test('blocks that are not indexed, too long ago or archived are refused', async (t) => {
  const head = await node.height()
  const ask = async (block: number | string) => {
    const { status, body } = await read(`/tokens/${token}/holders?at=${block}`)
    return [status, (body as unknown as { error?: string }).error]
  }
  t.same(await ask(head + 1), [422, `Block ${head + 1} is not indexed yet; the last one is ${head}`])
  for (const block of ['-1', 'latest', '1e30']) t.equal((await ask(block))[0], 400, block)
  await sql`update blocks set log_count = 20001 where number = ${head}`.execute(db)
  await app.transactionWithEvents(async () => {})
  t.same(await ask(head - 1), [422, 'Too much has happened to this token since that block'])
  t.equal((await ask(head))[0], 200)
  await sql`insert into archives (partition, parent, first, stop, state) values ('p', 'trades', 0, 9, 'archived')`.execute(
    db,
  )
  await sql`insert into archived_tokens (token_id, first, trades, volume, volume_usd, protocol_fees, creator_fees, trend_sum,
      trend_exponent, last_block, last_log, last_at)
    select id, 0, 1, 1, 1, 0, 0, 0, 0, 8, 0, 0 from tokens where address = ${token}`.execute(db)
  await app.transactionWithEvents(async () => {})
  t.same(await ask(7), [422, 'The trades of these blocks are archived'])
  t.equal((await ask(head))[0], 200, 'nothing later is archived')
})
