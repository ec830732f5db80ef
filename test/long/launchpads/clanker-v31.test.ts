import t from 'tap'
import { type Address, parseEther } from 'viem'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { startClanker } from '../../indexer/fixtures/launchpads/clanker.ts'
import { diffTables, readTables } from '../../indexer/fixtures/tables.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createRandom } from '../../support/seeded-random.ts'

t.setTimeout(0)

const ROUNDS = 300
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

t.test(`a random market on Clanker, with reorgs, is indexed as by a fresh database (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const { clanker, venue, node, accounts, index, db, test, findDifferences } = await startClanker(t)
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const wallets = accounts.slice(1, 5) as Address[]
  const tokens: { token: Address; pool: Address }[] = []
  const create = async () => {
    const value = pick([0n, parseEther('0.1'), parseEther('3')])
    const vaultPercentage = pick([0, 20])
    const choice = { value, vaultPercentage, creatorAdmin: pick(wallets), isFirst: random(100) < 50 }
    tokens.push(await clanker.createToken(pick(wallets), choice))
  }
  await create()
  await create()

  /** Transactions of one block: some revert, and have no effect. */
  const play = (): Action[] => {
    const { token, pool } = pick(tokens)
    const from = pick(wallets)
    const some = parseEther(String(1 + random(50))) / 10n
    return pick([
      () => {
        const swap = { pool, tokenIn: venue.weth, amountIn: some, recipient: pick(wallets) }
        return [
          venue.actions.wrap(from, some),
          venue.actions.approve(from, venue.weth, some),
          venue.actions.swap(from, swap),
        ]
      },
      () => {
        const sells = [some * 10n ** 6n, some].map((amountIn) => ({ pool, tokenIn: token, amountIn }))
        return [venue.actions.approve(from, token, some * 10n ** 7n), venue.actions.swapAll(from, ...sells)]
      },
    ])()
  }
  let reorgs = 0
  for (let round = 0; round < ROUNDS; round++) {
    if (random(100) < 15) await create()
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
  const launches = tables.get('tokens')?.size ?? 0
  t.comment(`${rows.length} trades of ${launches} tokens, ${reorgs} reorgs`)
  t.ok(rows.some(({ side }) => side === 'buy') && rows.some(({ side }) => side === 'sell') && launches > 1)
})
