import t from 'tap'
import {
  claimMetadataReads,
  finishMetadataRead,
  postponeMetadataRead,
  requestMetadata,
} from '../../db/queries/token-metadata.ts'
import { createTestDatabase } from '../support/database.ts'
import { tokenAddress } from '../support/market-simulation.ts'

const { db } = await createTestDatabase(t)
const [one, two] = [tokenAddress(1), tokenAddress(2)]
const request = (token: string, updatedAt: number | null = null) => requestMetadata(db, [{ token, updatedAt }])
const claim = (limit = 1) => claimMetadataReads(db, { limit, seconds: 120 })
const listReads = () => db.selectFrom('metadata_reads').selectAll().orderBy('token').execute()
const setDue = (token: string, due_at: Date) =>
  db.updateTable('metadata_reads').set({ due_at }).where('token', '=', token).execute()

t.afterEach(async () => {
  await db.deleteFrom('metadata_reads').execute()
})

t.test('a read is claimed once, and again when the claim has expired', async (t) => {
  await request(one)
  await request(two)
  const claimed = [await claim(), await claim()].flat()
  t.same(claimed.map(({ token }) => token).sort(), [one, two])
  t.same(await claim(), [])
  await setDue(one, new Date(0))
  t.match(await claim(2), [{ token: one, attempts: 2 }])
})

t.test('the latest request is claimed first', async (t) => {
  await request(one)
  await request(two)
  await setDue(two, new Date(0))
  t.match(await claim(), [{ token: one, attempts: 1, updatedAt: null }])
})

t.test('a request during a read is neither deleted nor postponed when the read ends', async (t) => {
  await request(one)
  const [first] = await claim()
  await request(one, 1)
  await finishMetadataRead(db, first!)
  t.match(await listReads(), [{ token: one, attempts: 0, updated_at: new Date(1000) }])
  const [second] = await claim()
  await request(one)
  await postponeMetadataRead(db, second!, 3_600)
  t.match(
    await claim(),
    [{ token: one, attempts: 1, updatedAt: new Date(1000) }],
    'a launch keeps the time of an update',
  )
})

t.test('a finished read is deleted, and a postponed one is not due', async (t) => {
  await request(one)
  await request(two)
  const [first, second] = await claim(2)
  await finishMetadataRead(db, first!)
  await postponeMetadataRead(db, second!, 3_600)
  t.match(await listReads(), [{ token: second!.token, attempts: 1 }])
  t.same(await claim(), [])
})
