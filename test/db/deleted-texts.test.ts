import { sql } from 'kysely'
import t from 'tap'
import { up } from '../../db/migrations/0041-erase-deleted-texts.ts'
import { createTestDatabase } from '../support/database.ts'
import { tokenAddress, walletAddress } from '../support/market-simulation.ts'

t.test('the migration erases texts of deleted comments, except those with open reports', async (t) => {
  const { db } = await createTestDatabase(t)
  const store = async (body: string, isDeleted: boolean, ...statuses: string[]) => {
    const { rows } = await sql<{ id: number }>`insert into comments (token, author, body, deleted_at)
      values (${tokenAddress(1)}, ${walletAddress(1)}, ${body}, ${isDeleted ? new Date() : null}) returning id`.execute(
      db,
    )
    for (const [index, status] of statuses.entries())
      await sql`insert into reports (comment_id, reporter, reason, status)
        values (${rows[0]!.id}, ${walletAddress(10 + index)}, 'spam', ${status})`.execute(db)
  }
  await store('visible', false)
  await store('visible, not to blame', false, 'dismissed')
  await store('deleted, not to blame', true, 'dismissed', 'dismissed')
  await store('deleted, blamed', true, 'upheld')
  await store('deleted, to be judged', true, 'dismissed', 'open')
  await store('deleted', true)
  await up(db as never)
  const { rows } = await sql<{ body: string }>`select body from comments order by id`.execute(db)
  t.same(
    rows.map(({ body }) => body),
    ['visible', 'visible, not to blame', '', '', 'deleted, to be judged', ''],
  )
})
