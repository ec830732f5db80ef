import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { creatorFeeOf } from '../../chain/creator-fees.ts'
import { up } from '../../db/migrations/0024-creator-revenue.ts'
import { getRevenue, sumRevenue } from '../../db/queries/portfolio/revenue.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { creatorOf, tokenAddress, walletAddress } from '../support/market-simulation.ts'
import { insertActions } from '../support/readable-rows.ts'
import { createRandom } from '../support/seeded-random.ts'

const { db } = await createTestDatabase(t)
const tokens = await fillMarket(db)

t.test('a database that is migrated has the payouts of its actions', async (t) => {
  const claim = (block: number, token: number, wallet: number, amount: string) => ({
    ...{ block_number: block, log_index: 900, block_time: 1, tx_hash: '0x01', type: 'claim_creator_fee' },
    ...{ wallet: walletAddress(wallet), subject: tokenAddress(token), data: JSON.stringify({ amount }) },
  })
  const large = String(2n ** 100n)
  const claims = [
    claim(1, 1, 1, large),
    claim(2, 1, 1, '3'),
    claim(3, 1, 2, '5'),
    claim(4, 2, 1, '7'),
    claim(5, 3, 3, '0'),
  ]
  await insertActions(db, claims)
  await sql`drop view readable_creator_revenue`.execute(db)
  await sql`drop table creator_revenue`.execute(db)
  await up(db as unknown as Kysely<unknown>)
  const rows = await db
    .selectFrom('readable_creator_revenue')
    .selectAll()
    .orderBy('token')
    .orderBy('recipient')
    .execute()
  t.same(rows, [
    { token: tokenAddress(1), recipient: walletAddress(1), claimed: String(2n ** 100n + 3n) },
    { token: tokenAddress(1), recipient: walletAddress(2), claimed: '5' },
    { token: tokenAddress(2), recipient: walletAddress(1), claimed: '7' },
  ])
})

t.test('shares are rounded as the contract rounds them', async (t) => {
  const below = createRandom(7)
  const token = tokenAddress(1)
  const ofToken = sql`token_id = (select id from tokens where address = ${token})`
  for (let round = 0; round < 60; round++) {
    const unclaimed = BigInt(below(2 ** 31)) ** BigInt(1 + below(3))
    const cuts = Array.from({ length: below(6) }, () => 1 + below(9_998))
    const edges = [0, ...new Set(cuts.sort((a, b) => a - b)), 10_000]
    const shares = edges.slice(1).map((edge, at) => ({ recipient: walletAddress(below(3)), bps: edge - edges[at]! }))
    await sql`update token_figures set creator_fees = ${unclaimed}::numeric + 11, creator_fees_claimed = 11 where ${ofToken}`.execute(
      db,
    )
    for (const [position, { recipient, bps }] of shares.entries())
      await sql`insert into fee_shares (token_id, block_number, log_index, position, owner, recipient, bps)
        select id, ${round}, 0, ${position}, '\\x01', decode(substr(${recipient}::text, 3), 'hex'), ${bps}
        from tokens where address = ${token}`.execute(db)
    for (const wallet of [0, 1, 2].map(walletAddress)) {
      const row = await getRevenue(db, { token, wallet })
      t.equal(BigInt(row.unclaimed!), creatorFeeOf(wallet, unclaimed, shares), `${round}: ${wallet} of ${unclaimed}`)
    }
  }
})

t.test('a contract that paid out more than it said leaves nothing to claim', async (t) => {
  await sql`update token_figures set creator_fees = 5, creator_fees_claimed = 9`.execute(db)
  t.match(await getRevenue(db, { token: tokenAddress(1), wallet: null }), { claimed: '9', unclaimed: '0' })
})

t.test('the sums of a wallet with many tokens are of the latest, and say so', async (t) => {
  const creator = creatorOf(1)
  await sql`update token_figures set creator_fees = token_id, creator_fees_claimed = 0`.execute(db)
  await sql`delete from fee_shares`.execute(db)
  await sql`delete from creator_revenue`.execute(db)
  const { rows: own } = await sql<{
    id: number
  }>`select id from tokens where creator = ${creator} order by id desc`.execute(db)
  t.ok(own.length >= 3 && own.length < tokens.length)
  const sumOf = (count: number) => String(own.slice(0, count).reduce((sum, { id }) => sum + id, 0))
  const all = await sumRevenue(db, { wallet: creator, limit: own.length })
  t.match(all, { rows: [{ claimed: '0', unclaimed: sumOf(own.length), unknown_tokens: 0 }], truncated: false })
  const some = await sumRevenue(db, { wallet: creator, limit: own.length - 1 })
  t.equal(some.truncated, true)
  const fewer = await sumRevenue(db, { wallet: creator, limit: 1 })
  t.match(fewer, { rows: [{ unclaimed: sumOf(2) }], truncated: true })

  // Of payouts without a share any more.
  const wallet = walletAddress(900)
  for (const { id } of own)
    await sql`insert into creator_revenue values (${id}, decode(substr(${wallet}::text, 3), 'hex'), 2)`.execute(db)
  const paid = await sumRevenue(db, { wallet, limit: own.length })
  t.match(paid, { rows: [{ claimed: String(2 * own.length), unclaimed: '0' }], truncated: false })
  t.equal((await sumRevenue(db, { wallet, limit: own.length - 1 })).truncated, true)
})
