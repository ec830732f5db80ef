import { type KyselyPlugin, sql } from 'kysely'
import t from 'tap'
import type { Address } from 'viem'
import { bytes } from '../../db/hex.ts'
import { getTokenIds, readTokenIds } from '../../db/token-ids.ts'
import { Deltas } from '../../indexer/market/deltas.ts'
import { restoreLots } from '../../indexer/market/restore-lots.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

const PAGE = 4

t.test('lots are replayed page by page, and the profits of sales are restored', async (t) => {
  const test = await startChain(t)
  const { node, deployed, accounts } = test
  const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]
  const act = makeActions(deployed)
  const [one, two] = await node.run(act.launch(ann, 'ONE'), act.launch(ann, 'TWO'))
  const tokens = [launchedToken(one!), launchedToken(two!)]
  for (let round = 0n; round < 5n; round++) {
    for (const token of tokens) {
      await node.run(
        act.buy(bob, token, 10n ** 15n + round),
        act.buy(eve, token, 10n ** 14n),
        act.sell(bob, token, 10n ** 18n),
      )
    }
  }
  const { db } = await createTestDatabase(t)
  await indexToHead(db, test)
  const expected = await readTables(db)

  let most = 0
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      most = Math.max(most, result.rows.length)
      return result
    },
  }
  const ids = await db.transaction().execute((trx) => readTokenIds(trx, tokens))
  const pairs = [bob, eve].flatMap((wallet) =>
    tokens.map((token) => ({ token, tokenId: getTokenIds(ids, token).id, wallet })),
  )
  await sql`update balances set lot_tokens = 1, lot_cost = 1, realized = 1, last_trade_block = null
    where wallet in (${bytes(bob)}, ${bytes(eve)})`.execute(db)
  await db.updateTable('trades').set({ realized: 7n }).where('side', '=', 's').where('block_number', '>', 10).execute()
  const deltas = new Deltas()
  const restore = () =>
    db
      .withPlugin(counting)
      .transaction()
      .execute((trx) => restoreLots(trx, pairs, deltas, 2_000_000_000, PAGE))
  await restore()
  t.strictSame(diffTables(await readTables(db), expected), [])
  t.equal(most, PAGE, 'no statement returns more rows')
  const { realized } = deltas.wallets.get(bob.toLowerCase())!.total
  t.not(realized, 0n)
  await restore()
  t.equal(deltas.wallets.get(bob.toLowerCase())!.total.realized, realized, 'nothing has changed the second time')
})
