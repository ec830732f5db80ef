import t from 'tap'
import { type Address, parseEther } from 'viem'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { startNadFun } from '../../indexer/fixtures/launchpads/nad-fun.ts'
import { diffTables, readTables } from '../../indexer/fixtures/tables.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { approve } from '../../support/launchpads/venue.ts'
import { createRandom } from '../../support/seeded-random.ts'

t.setTimeout(0)

const ROUNDS = 300
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

t.test(`a random market on nad.fun, with reorgs, is indexed as by a fresh database (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const { nadFun, venue, node, accounts, index, db, test, findDifferences } = await startNadFun(t, {
    syncFirst: random(100) < 50,
  })
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const wallets = accounts.slice(1, 5) as Address[]
  const tokens: { token: Address; pool: Address }[] = []
  const create = async () =>
    tokens.push(await nadFun.createToken(pick(wallets), { value: parseEther('10'), isFirst: random(100) < 50 }))
  await create()
  // One is in its pool, and another will be sold out now and then.
  await nadFun.buy(wallets[0]!, tokens[0]!.token, parseEther('600000'))
  await nadFun.graduate(wallets[0]!, tokens[0]!.token)
  await create()

  /** Transactions of one block: some revert, and have no effect. */
  const play = (): Action[] => {
    const { token, pool } = pick(tokens)
    const from = pick(wallets)
    const some = parseEther(String(1 + random(20_000)))
    return pick([
      () => [nadFun.actions.buy(from, token, some, pick(wallets))],
      () => [nadFun.actions.buy(from, token, parseEther('200000'), from)],
      () => [approve(from, token, nadFun.address, some), nadFun.actions.sell(from, token, some, pick(wallets))],
      () => [nadFun.actions.graduate(from, token)],
      () => {
        const swap = { pool, tokenIn: venue.weth, amountIn: some, recipient: pick(wallets) }
        return [
          venue.actions.wrap(from, some),
          venue.actions.approve(from, venue.weth, some),
          venue.actions.swap(from, swap),
        ]
      },
      () => {
        const sells = [some, some / 3n].map((amountIn) => ({ pool, tokenIn: token, amountIn }))
        return [venue.actions.approve(from, token, some * 2n), venue.actions.swapAll(from, ...sells)]
      },
    ])()
  }
  let reorgs = 0
  for (let round = 0; round < ROUNDS; round++) {
    if (random(100) < 10) await create()
    await node.send([...play(), ...play()])
    await node.mine()
    if (random(100) < 40) await index()
    if (random(100) < 15) {
      // What was in these blocks is not mined again.
      await node.reorg(1 + random(3))
      reorgs += 1
      await index()
    }
  }
  await index()
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  const tables = await readTables(db)
  t.strictSame(diffTables(tables, await readTables(fresh.db)), [])
  t.strictSame(await findDifferences(), [])
  const rows = [...(tables.get('readable_trades')?.values() ?? [])]
  const ofPools = rows.filter(({ venue: stage }) => stage === 'pool').length
  t.comment(`${rows.length} trades, ${ofPools} in pools, ${reorgs} reorgs`)
  t.ok(rows.length > ofPools && ofPools > 0, 'on curves and in pools')
})
