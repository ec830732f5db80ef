import t from 'tap'
import type { Db } from '../../db/client.ts'
import { listFollows } from '../../db/queries/follows.ts'
import { getProfile } from '../../db/queries/profiles.ts'
import { seedUsers } from '../../dev/market/seed-users.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { tokenAddress, walletAddress } from '../support/market-simulation.ts'
import { createMemoryLog } from './support/market-chain.ts'

const wallets = Array.from({ length: 20 }, (_, index) => walletAddress(index))
const operator = walletAddress(99)
const { signal } = new AbortController()
const log = createMemoryLog()

const count = async (db: Db) => {
  const of = async (table: 'comments' | 'follows' | 'token_likes' | 'notifications' | 'ambassador_applications') =>
    Number((await db.selectFrom(table).select(db.fn.countAll().as('n')).executeTakeFirstOrThrow()).n)
  return {
    comments: await of('comments'),
    follows: await of('follows'),
    likes: await of('token_likes'),
    notifications: await of('notifications'),
    applications: await of('ambassador_applications'),
  }
}

t.test('users with comments, follows, likes, texts and applications are seeded once', async (t) => {
  const { db } = await createTestDatabase(t)
  await fillMarket(db)
  for (const [index, name] of ['Harbor Cat', 'Paper Kite', 'Night Ferry'].entries())
    await db.updateTable('tokens').set({ name }).where('address', '=', tokenAddress(index)).execute()
  const [contract, creator, proposer] = [walletAddress(90), walletAddress(2), walletAddress(4)]
  for (const [number, title] of ['A workshop', 'Somebody else’s'].entries())
    await db
      .insertInto('raises')
      .values({ id: `${contract}-${number}`, contract, number: String(number), creator, title })
      .execute()
  const proposal = { id: `${contract}-9`, contract, number: '9', raise: `${contract}-0`, proposer }
  await db
    .insertInto('raise_proposals')
    .values({ ...proposal, title: 'Pay for the roof' })
    .execute()
  await seedUsers({ db, wallets, operator, log, signal })
  t.match(await db.selectFrom('raise_metadata').selectAll().execute(), [
    { raise: `${contract}-0`, creator, description: /roof/ },
  ])
  t.match(await db.selectFrom('raise_proposal_texts').selectAll().execute(), [
    { proposal: proposal.id, proposer, description: /Slates/ },
  ])
  t.match(await getProfile(db, { wallet: walletAddress(1), viewer: null }), {
    username: 'harbormaster',
    follower_count: 4,
  })
  t.equal(
    (await listFollows(db, { wallet: walletAddress(1), direction: 'followers', limit: 10, after: null })).length,
    4,
  )
  const made = await count(db)
  t.match(made, { comments: 7, follows: 9, likes: 5, applications: 2 })
  t.ok(made.notifications > made.likes)
  const statuses = await db.selectFrom('ambassador_applications').select('status').execute()
  t.same(statuses.map(({ status }) => status).sort(), ['approved', 'pending'])
  await seedUsers({ db, wallets, operator, log, signal })
  t.same(await count(db), made, 'again changes nothing')
  t.same(log.messages, [])
})

t.test('seeding waits until tokens are indexed, and ends when it is aborted', async (t) => {
  const { db } = await createTestDatabase(t)
  const stopping = new AbortController()
  const ended = seedUsers({ db, wallets, operator, log, signal: stopping.signal })
  stopping.abort()
  await ended
  t.match(await count(db), { comments: 0, applications: 0 })
  t.same(log.messages, [])
})
