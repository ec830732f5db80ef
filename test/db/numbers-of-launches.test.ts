import { sql } from 'kysely'
import t from 'tap'
import { loadMigrations, migrateToLatest } from '../../db/migrate.ts'
import { getComment, listComments } from '../../db/queries/comments.ts'
import { likeToken } from '../../db/queries/likes.ts'
import { listNotifications } from '../../db/queries/notifications.ts'
import { listTokens } from '../../db/queries/token-list.ts'
import { findTokenMarks } from '../../db/queries/token-marks.ts'
import { findToken } from '../../db/queries/tokens.ts'
import { createTestDatabase } from '../support/database.ts'

/* The migration that replaces the creation of a launch by its number, and the rows that users wrote before. */
const address = (digit: string) => `0x${digit.repeat(40)}`
const [ann, bob] = [address('a'), address('b')]
const [token, quiet] = [address('1'), address('2')]

/** The schema before the migration, and two launches: content of users belongs to the first, and to an orphaned one at its address. */
async function fillOld(t: Parameters<typeof createTestDatabase>[0]) {
  const { db } = await createTestDatabase(t)
  await sql`drop schema public cascade`.execute(db)
  await sql`create schema public`.execute(db)
  const before = Object.entries(await loadMigrations()).filter(([name]) => name < '0010')
  await migrateToLatest(db, async () => Object.fromEntries(before))
  await sql`insert into tokens (address, launchpad, creator, quote_token, name, symbol, metadata_uri, total_supply,
      initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote, protocol_fee_bps, creator_fee_bps,
      block_number, log_index, block_time, tx_hash)
    select address, ${address('c')}, ${ann}, ${address('0')}, name, name, 'u', 1, 1, 1, 1, 1, 1, 1, id, 0, id, ${`0x${'7'.repeat(64)}`}
    from (values (1, ${token}::text, 'ONE'), (2, ${quiet}, 'TWO')) as t (id, address, name)`.execute(db)
  await sql`insert into token_figures (token, launched, created_block, hidden, market_cap)
    select address, true, block_number, false, block_number from tokens`.execute(db)
  // Not launched: earlier versions kept such rows.
  await sql`insert into token_figures (token) values (${address('9')})`.execute(db)
  const ofLaunches = sql`(values
    ((select creation from tokens where address = ${token}), 'of this launch'),
    (decode(repeat('0e', 32), 'hex'), 'of an orphaned one')) as c (creation, text)`
  await sql`insert into token_metadata (token, creation, description, updated_by)
    select ${token}, creation, text, ${ann} from ${ofLaunches}`.execute(db)
  await sql`insert into token_likes (token, creation, wallet) select ${token}, creation, ${bob} from ${ofLaunches}`.execute(
    db,
  )
  await sql`insert into token_counts (token, creation, likes, comments) select ${token}, creation, 1, 1 from ${ofLaunches}`.execute(
    db,
  )
  await sql`insert into comments (token, creation, author, body) select ${token}, creation, ${bob}, text from ${ofLaunches}`.execute(
    db,
  )
  await sql`insert into notifications (recipient, type, actor, subject, creation)
    select ${ann}, 'token_like', ${bob}, ${token}, creation from ${ofLaunches}`.execute(db)
  return db
}

t.test('what users wrote stays with its launch when launches get numbers', async (t) => {
  const db = await fillOld(t)
  await migrateToLatest(db)

  t.match(await findToken(db, token), { description: 'of this launch', like_count: 1, comment_count: 1 })
  t.match(await findToken(db, quiet), { description: null, like_count: 0, comment_count: 0 })
  const list = await listTokens(db, { sort: 'mcap', limit: 9 })
  t.strictSame(
    list.map((row) => row.address),
    [quiet, token],
    'without what was not launched',
  )
  const readComments = async () => {
    const { id: tokenId } = await db
      .selectFrom('tokens')
      .where('address', '=', token)
      .select('id')
      .executeTakeFirstOrThrow()
    return listComments(db, { tokenId, thread: 'all', limit: 9, after: null, viewer: null })
  }
  const comments = await readComments()
  t.match(comments, [{ token, body: 'of this launch' }])
  t.equal(comments.length, 1)
  const marks = await findTokenMarks(db, { wallet: bob, tokens: [token, quiet] })
  t.strictSame([marks.get(token)?.liked, marks.get(quiet)?.liked], [true, false])
  const notices = await listNotifications(db, { recipient: ann, unread: false, limit: 9, after: null })
  t.match(notices, [{ type: 'token_like', token }])
  t.equal(notices.length, 1)

  const { rows } = await sql<{ id: number; number: number }>`
    select c.id, c.token_id as number from comments c join token_metadata m using (token_id) join token_likes using (token_id)
    where m.description = 'of an orphaned one' and c.body = m.description`.execute(db)
  t.equal(rows.length, 1, 'the rows of the orphaned launch have one number')
  await t.rejects(getComment(db, rows[0]!.id), { message: /^Comment \d+ not found$/ })
  await sql`update tokens set id = ${rows[0]!.number} where address = ${token}`.execute(db)
  t.match(await readComments(), [{ body: 'of an orphaned one' }], 'and are shown when it is back')
})

t.test('new launches get numbers that none has yet', async (t) => {
  const db = await fillOld(t)
  await migrateToLatest(db)
  const { rows } = await sql<{ id: number; before: number }>`
    insert into token_ids (address, creation) values (${address('3')}, '\\x01')
    returning id, (select max(id) from token_ids) as before`.execute(db)
  t.ok(rows[0]!.id > rows[0]!.before)
  const { like_count: count } = await db.transaction().execute((trx) => likeToken(trx, { token: quiet, wallet: bob }))
  t.equal(count, 1)
})
