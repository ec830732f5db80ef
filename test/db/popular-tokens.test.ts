import t from 'tap'
import { PopularTokens } from '../../db/queries/popular-tokens.ts'
import { tokenId } from '../../db/token-ids.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { tokenAddress } from '../support/market-simulation.ts'
import { replaceLaunch } from '../support/replace-launch.ts'

const { db } = await createTestDatabase(t)
await fillMarket(db)
const rename = (index: number, name: string, symbol: string) =>
  db.updateTable('tokens').set({ name, symbol }).where('address', '=', tokenAddress(index)).execute()
const setCap = (index: number, cap: string) =>
  db
    .updateTable('token_figures')
    .set({ market_cap: cap })
    .where('token_id', '=', tokenId(tokenAddress(index)))
    .execute()
/** The database, with `work` after each statement. */
const afterEach = (database: typeof db, work: () => Promise<unknown>) =>
  ({
    getExecutor: () => {
      const executor = database.getExecutor()
      const executeQuery: typeof executor.executeQuery = async (query) => {
        const result = await executor.executeQuery(query)
        await work()
        return result as never
      }
      return {
        executeQuery,
        transformQuery: executor.transformQuery.bind(executor),
        compileQuery: executor.compileQuery.bind(executor),
      }
    },
  }) as unknown as typeof db
const matchesOf = (popular: PopularTokens, term: string, limit = 10) =>
  popular.match(term, limit).map(({ id, match }) => [tokenAddress(id - 1), match])

await rename(0, 'Blue Moon', 'ZB0')
await rename(1, 'Moonlight', 'ZB1')
await rename(2, 'Zebra', 'MOOSE')
await rename(3, 'Zebra', 'MOO')
await rename(4, 'Zebra', 'MOO')
await setCap(4, `9${'0'.repeat(60)}`)
const popular = await PopularTokens.read(db)

t.test('exact symbols come first, then prefixes, then matches inside; the larger market cap first', async (t) => {
  t.same(matchesOf(popular, 'moo'), [
    [tokenAddress(4), 1],
    [tokenAddress(3), 1],
    [tokenAddress(2), 2],
    [tokenAddress(1), 3],
    [tokenAddress(0), 4],
  ])
  t.same(matchesOf(popular, 'moo', 1), [[tokenAddress(4), 1]], 'at most so many of each kind, if none is better')
  t.same(matchesOf(popular, 'moon', 1), [
    [tokenAddress(1), 3],
    [tokenAddress(0), 4],
  ])
})

t.test('a term is found across the name and the symbol of one token, never of two', async (t) => {
  t.same(matchesOf(popular, 'moonlight zb1'), [[tokenAddress(1), 4]])
  t.same(matchesOf(popular, 'n zb0'), [[tokenAddress(0), 4]])
  t.same(matchesOf(popular, 'moo zebra'), [])
  t.same(matchesOf(popular, 'moozebra'), [])
})

t.test('each read refreshes the order of tokens, and reads the names of new ones only', async (t) => {
  await rename(4, 'Zebra', 'OTHER')
  await setCap(3, `9${'1'.repeat(60)}`)
  const next = await PopularTokens.read(db, popular)
  t.same(matchesOf(next, 'moo').slice(0, 2), [
    [tokenAddress(3), 1],
    [tokenAddress(4), 1],
  ])
})

t.test('another launch at the address of a popular token is found by its own name', async (t) => {
  const address = tokenAddress(2)
  await replaceLaunch(db, address, [])
  await rename(2, 'Zebra', 'ELK')
  const next = await PopularTokens.read(db, popular)
  t.same(matchesOf(next, 'moose'), [])
  t.equal(matchesOf(next, 'elk').length, 1)
})

t.test('a token that a reorg removes during the read is left out', async (t) => {
  const removed = tokenAddress(5)
  const read = await PopularTokens.read(
    afterEach(db, () => db.deleteFrom('tokens').where('address', '=', removed).execute()),
  )
  t.ok(matchesOf(read, 'zebra').length > 0)
  t.same(
    matchesOf(read, 'token').filter(([address]) => address === removed),
    [],
  )
})

t.test('hidden tokens are not matched, even if no other token is left', async (t) => {
  await db
    .updateTable('token_figures')
    .set({ hidden: true })
    .where('token_id', '=', tokenId(tokenAddress(3)))
    .execute()
  const shown = await PopularTokens.read(db, popular)
  t.notOk(matchesOf(shown, 'moo').some(([address]) => address === tokenAddress(3)))
  await db.updateTable('token_figures').set({ hidden: true }).execute()
  t.same((await PopularTokens.read(db, shown)).match('moo', 10), [])
})
