import { setTimeout } from 'node:timers/promises'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import t from 'tap'
import { createComment, deleteComment } from '../../db/queries/comments.ts'
import { setCommentHidden, setWalletBanned } from '../../db/queries/moderation.ts'
import { markRead } from '../../db/queries/notifications.ts'
import { enterAsWriter, updateProfile } from '../../db/queries/profiles.ts'
import { addReport, dismissReport } from '../../db/queries/reports.ts'
import type { Database } from '../../db/schema.ts'
import { tokenId } from '../../db/token-ids.ts'
import { isAppError } from '../../errors.ts'
import { undoFrom } from '../../indexer/engine/undo.ts'
import { modules } from '../../indexer/modules.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { tokenAddress, walletAddress } from '../support/market-simulation.ts'

/*
 * The lock order of db/queries/comments.ts. Each test locks a row, starts two writers until both wait, each with the locks
 * that it takes before that row, and then frees the row: in different orders the two would deadlock, each time.
 */
const skip = serverUrl === null && 'an embedded database has one connection'
const { db } = await createTestDatabase(t)
if (!skip) await fillMarket(db)

type Write = (trx: Transaction<Database>) => Promise<unknown>

const run = <T>(write: (trx: Transaction<Database>) => Promise<T>): Promise<T> => db.transaction().execute(write)
const operator = { actor: walletAddress(99), reason: null }
const [first, second, third] = [1, 2, 3].map(tokenAddress) as [string, string, string]
let wallets = 100
const newWallet = () => walletAddress(wallets++)

async function say(author: string, token: string, parentId: number | null = null): Promise<number> {
  const text = `Ahoy ${wallets++}`
  return (await run((trx) => createComment(trx, { token, author, text, parentId }))).comment.id
}
const ban = (wallet: string) => (trx: Transaction<Database>) =>
  setWalletBanned(trx, { wallet, banned: true, ...operator })
const hide = (id: number) => (trx: Transaction<Database>) => setCommentHidden(trx, { id, hidden: true, ...operator })

const rowOf = (table: 'comments' | 'notifications', id: number) =>
  sql`select from ${sql.table(table)} where id = ${id} for no key update`
const counterOf = (token: string) => sql`select from token_counts where token_id = ${tokenId(token)} for no key update`

/** Runs the writes while `held` is locked, each when the one before waits; then frees it. Returns how they ended. */
async function overlap(held: RawBuilder<unknown>, writes: readonly Write[]): Promise<unknown[]> {
  let ended = 0
  const endings: Promise<unknown>[] = []
  const attempt = async (write: Write) => {
    try {
      await run(write)
      return 'done'
    } catch (error) {
      return isAppError(error) ? error.message : ((error as { code?: unknown }).code ?? error)
    } finally {
      ended++
    }
  }
  await run(async (trx) => {
    await held.execute(trx)
    for (const write of writes) {
      endings.push(attempt(write))
      while ((await countWaiting()) + ended < endings.length) await setTimeout(2)
    }
  })
  return Promise.all(endings)
}

async function countWaiting(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length
}

const ofThreads: Record<string, (root: number, author: string) => Write> = {
  'a reply to': (parentId) => (trx) => createComment(trx, { token: first, author: newWallet(), text: 'Aye', parentId }),
  'the deletion of': (id, wallet) => (trx) => deleteComment(trx, { id, wallet }),
  'the hiding of': (id) => hide(id),
}
for (const [name, write] of Object.entries(ofThreads)) {
  t.test(`a ban does not deadlock with ${name} a comment that the wallet replied to`, { skip }, async (t) => {
    const [wallet, other] = [newWallet(), newWallet()]
    const root = await say(other, first)
    await say(wallet, first)
    await say(wallet, first, root)
    t.same(await overlap(counterOf(first), [ban(wallet), write(root, other)]), ['done', 'done'])
  })
}

t.test('a ban does not deadlock with the hiding of a reply of the wallet', { skip }, async (t) => {
  const wallet = newWallet()
  const root = await say(newWallet(), first)
  const middle = await say(wallet, first)
  const reply = await say(wallet, first, root)
  t.same(await overlap(rowOf('comments', middle), [ban(wallet), hide(reply)]), ['done', 'done'])
})

t.test('bans of two wallets with comments on the same tokens do not deadlock', { skip }, async (t) => {
  const [one, other] = [newWallet(), newWallet()]
  for (const token of [first, second, third]) await say(one, token)
  for (const token of [third, second, first]) await say(other, token)
  t.same(await overlap(counterOf(second), [ban(one), ban(other)]), ['done', 'done'])
})

t.test('upholding and dismissing the reports of a deleted comment does not deadlock', { skip }, async (t) => {
  const author = newWallet()
  const commentId = await say(author, first)
  const report = await run((trx) => addReport(trx, { commentId, reporter: newWallet(), reason: 'spam', note: null }))
  await run((trx) => deleteComment(trx, { id: commentId, wallet: author }))
  const dismiss: Write = (trx) => dismissReport(trx, { id: report.id, ...operator })
  t.same(await overlap(rowOf('comments', commentId), [hide(commentId), dismiss]), ['done', 'This report is upheld'])
})

t.test('a report waits for a concurrent deletion of its comment', { skip }, async (t) => {
  const author = newWallet()
  const commentId = await say(author, first)
  const remove: Write = (trx) => deleteComment(trx, { id: commentId, wallet: author })
  const report: Write = (trx) => addReport(trx, { commentId, reporter: newWallet(), reason: 'spam', note: null })
  t.same(await overlap(rowOf('comments', commentId), [remove, report]), ['done', `Comment ${commentId} not found`])
})

t.test('marking notifications as read, all and by id, does not deadlock', { skip }, async (t) => {
  const { recipient, ids, middle } = await notify()
  const writes: Write[] = [
    (trx) => markRead(trx, { recipient, ids }),
    (trx) => markRead(trx, { recipient, ids: 'all' }),
  ]
  t.same(await overlap(rowOf('notifications', middle), writes), ['done', 'done'])
})

t.test('marking notifications as read does not deadlock with a reorg that removes them', { skip }, async (t) => {
  const { recipient, middle } = await notify()
  const undo: Write = (trx) =>
    undoFrom(
      trx,
      { modules, addresses: new Map(), wrappedNative: first, quotes: new Map(), backfilling: new Map() },
      ORPHANED,
    )
  const read: Write = (trx) => markRead(trx, { recipient, ids: 'all' })
  t.same(await overlap(rowOf('notifications', middle), [undo, read]), ['done', 'done'])
})

const ORPHANED = 2_000_000_000

/** Three notifications of a wallet with many, stored against the order of their events. */
async function notify(): Promise<{ recipient: string; ids: number[]; middle: number }> {
  const recipient = newWallet()
  const ids: number[] = []
  for (const logIndex of [3, 2, 1]) {
    const { rows } = await sql<{ id: number }>`
      insert into notifications (recipient, type, subject, block_number, log_index)
      values (${recipient}, 'graduated', 's', ${ORPHANED}::bigint, ${logIndex}) returning id`.execute(db)
    ids.push(rows[0]!.id)
  }
  await sql`insert into notifications (recipient, type, subject)
    select case when i % 10 = 0 then ${recipient} else 'wallet ' || i end, 'graduated', 's'
    from generate_series(1, 5000) i`.execute(db)
  await sql`analyze notifications`.execute(db)
  return { recipient, ids, middle: ids[1]! }
}

t.test('two wallets that take each other’s username do not deadlock', { skip }, async (t) => {
  const HELD = 77
  // An index before that of usernames, whose entries wait: both rows are changed before either name is looked up.
  await sql`create function hold(wallet text) returns text immutable language plpgsql as
    ${sql.lit(`begin perform pg_advisory_xact_lock_shared(${HELD}); return wallet; end`)}`.execute(db)
  await sql`create index profiles_held on profiles (hold(wallet))`.execute(db)
  await sql`drop index profiles_username`.execute(db)
  await sql`create unique index profiles_username on profiles (username_skeleton)`.execute(db)
  const rename =
    (wallet: string, username: string): Write =>
    async (trx) => {
      await enterAsWriter(trx, wallet, 'update')
      await updateProfile(trx, { wallet, change: { username, username_skeleton: username } })
    }
  const [one, other] = [newWallet(), newWallet()]
  await run(rename(one, 'one'))
  await run(rename(other, 'other'))
  const held = sql`select pg_advisory_xact_lock(${sql.lit(HELD)})`
  const taken = 'This username, or one that looks like it, is taken'
  t.same(await overlap(held, [rename(one, 'other'), rename(other, 'one')]), [taken, taken])
  await run(rename(one, 'another'))
  t.same(await overlap(held, [rename(other, 'one')]), ['done'])
})
