import t from 'tap'
import { PopularTokens } from '../../db/queries/popular-tokens.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { tokenAddress } from '../support/market-simulation.ts'

const { db } = await createTestDatabase(t)
await fillMarket(db)
const rename = (index: number, name: string, symbol: string) =>
  db.updateTable('tokens').set({ name, symbol }).where('address', '=', tokenAddress(index)).execute()
const setCap = (index: number, cap: string) =>
  db.updateTable('token_figures').set({ market_cap: cap }).where('token', '=', tokenAddress(index)).execute()
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
  popular.match(term, limit).map(({ address, match }) => [address, match])

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

t.test('each read refreshes the order of tokens, and their names only after an undo', async (t) => {
  await rename(4, 'Zebra', 'OTHER')
  await setCap(3, `9${'1'.repeat(60)}`)
  const next = await PopularTokens.read(db, popular)
  t.same(matchesOf(next, 'moo').slice(0, 2), [
    [tokenAddress(3), 1],
    [tokenAddress(4), 1],
  ])
  await db.updateTable('chain_state').set({ undo_count: 1 }).execute()
  t.same(matchesOf(await PopularTokens.read(db, next), 'moo').slice(0, 2), [
    [tokenAddress(3), 1],
    [tokenAddress(2), 2],
  ])
})

t.test('names that were read during an undo are not reused', async (t) => {
  const setUndos = (count: number) => db.updateTable('chain_state').set({ undo_count: count }).execute()
  await setUndos(2)
  // Between the statement that reads the order and the one that reads the names.
  const during = await PopularTokens.read(afterEach(db, () => setUndos(3)))
  t.equal(matchesOf(during, 'moose').length, 1)
  await setUndos(2)
  await rename(2, 'Zebra', 'ELK')
  t.same(matchesOf(await PopularTokens.read(db, during), 'moose'), [])
})

t.test('hidden tokens are not matched, even if no other token is left', async (t) => {
  await db.updateTable('token_figures').set({ hidden: true }).where('token', '=', tokenAddress(3)).execute()
  const shown = await PopularTokens.read(db, popular)
  t.notOk(shown.match('moo', 10).some(({ address }) => address === tokenAddress(3)))
  await db.updateTable('token_figures').set({ hidden: true }).execute()
  t.same((await PopularTokens.read(db, shown)).match('moo', 10), [])
})
