import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { type Address, parseEther } from 'viem'
import type { HolderList } from '../../../schemas/holders.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { GRADUATING_GAS } from '../../support/chain-fixture.ts'

/* After each block of a token's life its holders are listed; afterwards the same lists are asked for by the block. */
const { node, deployed, accounts, db, test, read } = await createChainApp(t)
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

t.test('blocks that are not indexed, too long ago or archived are refused', async (t) => {
  const head = await node.height()
  const ask = async (block: number | string) => {
    const { status, body } = await read(`/tokens/${token}/holders?at=${block}`)
    return [status, (body as unknown as { error?: string }).error]
  }
  t.same(await ask(head + 1), [422, `Block ${head + 1} is not indexed yet; the last one is ${head}`])
  for (const block of ['-1', 'latest', '1e30']) t.equal((await ask(block))[0], 400, block)
  await sql`update blocks set log_count = 20001 where number = ${head}`.execute(db)
  t.same(await ask(head - 1), [422, 'Too much has happened to this token since that block'])
  t.equal((await ask(head))[0], 200)
  await sql`insert into archives (partition, parent, first, stop, state) values ('p', 'trades', 0, 9, 'archived')`.execute(
    db,
  )
  await sql`insert into archived_tokens (token_id, first, trades, volume, volume_usd, protocol_fees, creator_fees, trend_sum,
      trend_exponent, last_block, last_log, last_at)
    select id, 0, 1, 1, 1, 0, 0, 0, 0, 8, 0, 0 from tokens where address = ${token}`.execute(db)
  t.same(await ask(7), [422, 'The trades of these blocks are archived'])
  t.equal((await ask(head))[0], 200, 'nothing later is archived')
})
