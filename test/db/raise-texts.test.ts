import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { up } from '../../db/migrations/0031-texts-of-creations.ts'
import { getProposal, upsertProposalTexts } from '../../db/queries/raises/raise-proposals.ts'
import { getRaise, upsertRaiseTexts } from '../../db/queries/raises/raises.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { walletAddress } from '../support/market-simulation.ts'

const { db } = await createTestDatabase(t)
const [creator, other] = [walletAddress(1), walletAddress(2)]
const tables = ['raise_metadata', 'raise_proposal_texts'] as const
await fillMarket(db)
for (const id of ['a', 'b']) {
  const hash = `0x0${id}`
  await sql`insert into raises (id, contract, number, creator, created_block, created_log, created_at, tx_hash)
    values (${id}, '0x', 1, ${creator}, 1, 1, 1, ${hash})`.execute(db)
  await sql`insert into raise_proposals (id, contract, number, raise, proposer, created_block, created_log, created_at, tx_hash)
    values (${id}, '0x', 1, 'a', ${creator}, 1, 1, 1, ${hash})`.execute(db)
}

t.test('texts that are stored before the migration get the transaction of the present creation', async (t) => {
  for (const table of tables) await sql`alter table ${sql.table(table)} drop column tx_hash`.execute(db)
  for (const [id, wallet] of [
    ['a', creator],
    ['a', other],
    ['gone', creator],
  ]) {
    await sql`insert into raise_metadata (raise, creator, description, updated_by)
      values (${id}, ${wallet}, 'x', ${wallet})`.execute(db)
    await sql`insert into raise_proposal_texts (proposal, proposer, description) values (${id}, ${wallet}, 'x')`.execute(
      db,
    )
  }
  await up(db as unknown as Kysely<unknown>)
  for (const table of tables) {
    const { rows } = await sql`select tx_hash from ${sql.table(table)} order by 1`.execute(db)
    t.same(rows, [{ tx_hash: '0x0a' }, { tx_hash: null }, { tx_hash: null }], table)
  }
})

t.test(
  'texts of the version before are those of any creation of the wallet, until they are written again',
  async (t) => {
    await sql`insert into raise_metadata (raise, creator, description, featured, updated_by)
    values ('b', ${creator}, 'Old.', true, ${creator})`.execute(db)
    await sql`insert into raise_proposal_texts (proposal, proposer, description) values ('b', ${creator}, 'Old.')`.execute(
      db,
    )
    t.match(await getRaise(db, 'b'), { description: 'Old.', featured: true })
    t.match(await getProposal(db, 'b'), { description: 'Old.' })
    const write = async (description: string) => {
      await upsertRaiseTexts(db, { raises: ['b'], creator, text: { description }, wallet: creator })
      await upsertProposalTexts(db, { proposals: ['b'], proposer: creator, description })
    }
    await write('New.')
    t.match(await getRaise(db, 'b'), { description: 'New.', featured: true })
    t.match(await getProposal(db, 'b'), { description: 'New.' })

    for (const table of ['raises', 'raise_proposals'])
      await sql`update ${sql.table(table)} set tx_hash = '0x0c' where id = 'b'`.execute(db)
    t.match(await getRaise(db, 'b'), { description: null, featured: false }, 'not of another creation')
    t.match(await getProposal(db, 'b'), { description: null })
    await write('Of another.')
    t.match(await getRaise(db, 'b'), { description: 'Of another.', featured: false }, 'which replaces them')
    t.match(await getProposal(db, 'b'), { description: 'Of another.' })
  },
)
