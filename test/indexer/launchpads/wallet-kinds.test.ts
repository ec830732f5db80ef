import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { up } from '../../../db/migrations/0030-leaders-by-launchpad.ts'
import { listLeaders } from '../../../db/queries/leaderboard.ts'
import { completeKinds } from '../../../indexer/market/store-wallets.ts'
import { describeSchema } from '../../db/fixtures/describe-schema.ts'
import { createTestDatabase } from '../../support/database.ts'
import { fillMarket } from '../../support/market-fixture.ts'

const { db } = await createTestDatabase(t)
const schema = await describeSchema(db)
await fillMarket(db)
await sql`update chain_state set rules = 2`.execute(db)

/** Back to the version before. */
async function revert(): Promise<void> {
  await sql`drop table wallet_launchpad_figures`.execute(db)
  await sql`alter table wallet_figures drop column launchpad_kind`.execute(db)
  for (const period of ['total', 'h24', 'd7', 'd30'])
    for (const [name, figure] of [
      [period, 'volume'],
      [`realized_${period}`, 'realized'],
    ] as const)
      await sql`create index ${sql.id(`wallet_figures_${name}`)}
        on wallet_figures (${sql.ref(`${figure}_${period}`)} desc, wallet) where ${sql.ref(`trades_${period}`)} > 0`.execute(
        db,
      )
}
async function migrate(): Promise<void> {
  await revert()
  await up(db as unknown as Kysely<unknown>)
}
const complete = () => db.transaction().execute(completeKinds)
const readRules = async () => (await db.selectFrom('chain_state').select('rules').executeTakeFirstOrThrow()).rules
async function countByKind() {
  const { rows } = await sql<{ kind: string | null; wallets: number }>`
    select launchpad_kind as kind, count(*) as wallets from wallet_figures group by 1 order by 1`.execute(db)
  return rows.map(({ kind, wallets }) => [kind, wallets])
}
const rank = (launchpad?: string) =>
  listLeaders(db, { period: 'all', by: 'volume', limit: 100, after: null, launchpad })
const [[, wallets] = []] = await countByKind()
const insertOfVersionBefore = sql`
  insert into wallet_figures (wallet, trades_total, volume_total) values ('\\xabcd', 1, 1) on conflict do nothing`

t.test('where all tokens are of one kind of launchpad, all wallets get it', async (t) => {
  await migrate()
  t.same(await countByKind(), [['slipway', wallets]])
  t.same(await describeSchema(db), schema)
  t.equal((await rank('slipway')).length, wallets)
  t.same(await rank('slipway'), await rank())
  await complete()
  t.same([await readRules(), await countByKind()], [2, [['slipway', wallets]]])
})

t.test('a wallet of the version before is ranked among all, until an indexer starts', async (t) => {
  await insertOfVersionBefore.execute(db)
  t.equal((await rank()).at(-1)?.wallet, '0xabcd')
  t.equal((await rank('slipway')).length, wallets)
  await complete()
  t.equal(await readRules(), 2)
  t.same(await rank('slipway'), await rank())
})

t.test('where they are of several, all are ranked, and the derived tables will be rebuilt', async (t) => {
  const before = await rank()
  await sql`insert into launchpad_figures select 'nad-fun', 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'nad'`.execute(db)
  await migrate()
  t.same(await countByKind(), [[null, before.length]])
  t.same(await rank(), before)
  t.same(await rank('slipway'), [])
  t.equal(await readRules(), 2)
  await complete()
  t.equal(await readRules(), 0)
})

t.test('wallets that have traded on several are not unknown', async (t) => {
  await sql`update chain_state set rules = 2`.execute(db)
  await sql`update wallet_figures set launchpad_kind = 'slipway' where wallet <> '\\xabcd'`.execute(db)
  await sql`insert into wallet_launchpad_figures
    select wallet, kind, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from wallet_figures cross join unnest(array['nad-fun', 'slipway']) kind where launchpad_kind is null`.execute(db)
  await complete()
  t.equal(await readRules(), 2)
  await sql`update wallet_figures set launchpad_kind = null`.execute(db)
  await complete()
  t.equal(await readRules(), 0)
})
