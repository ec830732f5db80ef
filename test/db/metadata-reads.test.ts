import t from 'tap'
import {
  claimMetadataRead,
  finishMetadataRead,
  postponeMetadataRead,
  requestMetadata,
} from '../../db/queries/token-metadata.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { creatorOf, tokenAddress } from '../support/market-simulation.ts'

const { db } = await createTestDatabase(t)
const [one, two] = [tokenAddress(1), tokenAddress(2)]
const request = (token: string, updatedAt: number | null = null) => requestMetadata(db, [{ token, updatedAt }])
const claim = (...except: string[]) => claimMetadataRead(db, { except, seconds: 120 })
const listReads = () => db.selectFrom('metadata_reads').selectAll().orderBy('token').execute()
const setDue = (token: string, due_at: Date) =>
  db.updateTable('metadata_reads').set({ due_at }).where('token', '=', token).execute()

t.afterEach(async () => {
  await db.deleteFrom('metadata_reads').execute()
})

t.test('a read is claimed once, and again when the claim has expired', async (t) => {
  await request(one)
  await request(two)
  const claimed = [await claim(), await claim()]
  t.same(claimed.map((read) => read?.token).sort(), [one, two])
  t.equal(await claim(), undefined)
  await setDue(one, new Date(0))
  t.match(await claim(), { token: one, attempts: 2 })
})

t.test('the latest request is claimed first', async (t) => {
  await request(one)
  await request(two)
  await setDue(two, new Date(0))
  t.match(await claim(), { token: one, creator: null, attempts: 1, updatedAt: null })
})

t.test('first attempts are claimed before later ones', async (t) => {
  await request(one)
  await claim()
  await setDue(one, new Date(1000))
  await request(two)
  await setDue(two, new Date(0))
  t.match(await claim(), { token: two, attempts: 1 })
  t.match(await claim(), { token: one, attempts: 2 })
})

t.test('tokens of the excepted creators are left out', async (t) => {
  await fillMarket(db)
  await request(one)
  await request(two)
  const [first, second] = [creatorOf(1), creatorOf(2)]
  t.equal(await claim(first, second), undefined)
  t.match(await claim(second), { token: one, creator: first })
  t.match(await claim(first), { token: two, creator: second })
})

t.test('processes that claim at the same time get different reads', async (t) => {
  const tokens = Array.from({ length: 8 }, (_, n) => tokenAddress(n))
  for (const token of tokens) await request(token)
  const claimed = await Promise.all(tokens.map(() => claim()))
  t.same(claimed.map((read) => read?.token).sort(), tokens.toSorted())
})

t.test('a request during a read is neither deleted nor postponed when the read ends', async (t) => {
  await request(one)
  const first = await claim()
  await request(one, 1)
  await finishMetadataRead(db, first!)
  t.match(await listReads(), [{ token: one, attempts: 0, updated_at: new Date(1000) }])
  const second = await claim()
  await request(one)
  await postponeMetadataRead(db, second!, 3_600)
  t.match(await claim(), { token: one, attempts: 1, updatedAt: new Date(1000) }, 'a launch keeps the time of an update')
})

t.test('a finished read is deleted, and a postponed one is not due', async (t) => {
  await request(one)
  await request(two)
  const [first, second] = [await claim(), await claim()]
  await finishMetadataRead(db, first!)
  await postponeMetadataRead(db, second!, 3_600)
  t.match(await listReads(), [{ token: second!.token, attempts: 1 }])
  t.equal(await claim(), undefined)
})
