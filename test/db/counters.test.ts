import { sql, type Transaction } from 'kysely'
import t from 'tap'
import { createComment, deleteComment } from '../../db/queries/comments.ts'
import { follow, unfollow } from '../../db/queries/follows.ts'
import { likeComment, likeToken, unlikeComment, unlikeToken } from '../../db/queries/likes.ts'
import { setCommentHidden, setWalletBanned } from '../../db/queries/moderation.ts'
import { unwatchToken, watchToken } from '../../db/queries/watchlists.ts'
import type { Database } from '../../db/schema.ts'
import { tokenId } from '../../db/token-ids.ts'
import { isAppError } from '../../errors.ts'
import { Random } from '../indexer/fixtures/random.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { tokenAddress, walletAddress } from '../support/market-simulation.ts'

/*
 * Counters against a count of what they count, after hundreds of random writes, many at once.
 */
const { db, kind } = await createTestDatabase(t)
await fillMarket(db)
const random = new Random(7)
const wallet = () => walletAddress(random.between(10, 15))
const operator = { actor: walletAddress(99), reason: null }

type Write = (trx: Transaction<Database>) => Promise<unknown>

/** A write of one kind or another, on things that may not be there. */
function nextWrite(): Write {
  const [one, other, id, token] = [wallet(), wallet(), random.between(1, 60), tokenAddress(random.between(0, 2))]
  // What is said is new each time: the same again would be no second comment.
  const text = String(random.between(1, 1_000_000))
  const writes: Write[] = [
    (trx) => createComment(trx, { token: tokenAddress(1), author: one, text, parentId: null }),
    (trx) => createComment(trx, { token: tokenAddress(1), author: one, text, parentId: id }),
    (trx) => createComment(trx, { token: tokenAddress(1), author: one, text, parentId: id }),
    (trx) => deleteComment(trx, { id, wallet: one }),
    (trx) => setCommentHidden(trx, { id, hidden: random.chance(0.4), ...operator }),
    (trx) => setWalletBanned(trx, { wallet: one, banned: random.chance(0.3), ...operator }),
    (trx) => likeComment(trx, { id, wallet: one }),
    (trx) => unlikeComment(trx, { id, wallet: one }),
    (trx) => follow(trx, { follower: one, followee: other }),
    (trx) => unfollow(trx, { follower: one, followee: other }),
    (trx) => likeToken(trx, { token, wallet: one }),
    (trx) => unlikeToken(trx, { token, wallet: one }),
    (trx) => watchToken(trx, { token, wallet: one }),
    (trx) => unwatchToken(trx, { token, wallet: one }),
  ]
  return random.pick(writes)
}

/** Refusals are a part of the game. */
async function attempt(write: Write): Promise<'done' | 'refused' | 'deadlock'> {
  try {
    await db.transaction().execute(write)
    return 'done'
  } catch (error) {
    if (isAppError(error)) return 'refused'
    if ((error as { code?: unknown }).code === '40P01') return 'deadlock'
    throw error
  }
}

/** Rows in which a counter is not what a count says. */
async function findDrift(): Promise<unknown[]> {
  const checks = [
    sql`select c.token_id, c.comments, c.likes from token_counts c where
      c.comments <> (select count(*) from comments m where m.token_id = c.token_id and m.visible)
      or c.likes <> (select count(*) from token_likes l where l.token_id = c.token_id)
      or c.watchers <> (select count(*) from watched_tokens w where w.token_id = c.token_id)`,
    sql`select c.id, c.reply_count, c.like_count from comments c where
      c.reply_count <> (select count(*) from comments r where r.parent_id = c.id and r.visible)
      or c.like_count <> (select count(*) from comment_likes l where l.comment_id = c.id)`,
    sql`select k.wallet from follow_counts k where
      k.followers <> (select count(*) from follows where followee = k.wallet)
      or k.following <> (select count(*) from follows where follower = k.wallet)`,
    sql`select c.id from comments c left join profiles p on p.wallet = c.author
      where c.silenced <> (p.banned_at is not null)`,
    sql`select token_id from comments where visible except select token_id from token_counts`,
  ]
  const found = await Promise.all(checks.map((check) => check.execute(db)))
  return found.flatMap(({ rows }) => rows)
}

t.test('counters equal the counted rows after any concurrent writes', async (t) => {
  const outcomes = { done: 0, refused: 0, deadlock: 0 }
  const rounds = kind === 'postgres' ? 60 : 30
  for (let round = 0; round < rounds; round++) {
    const writes = Array.from({ length: 14 }, nextWrite)
    for (const outcome of await Promise.all(writes.map(attempt))) outcomes[outcome]++
    if (round % 6 === 5) t.same(await findDrift(), [], `round ${round}`)
  }
  t.comment(JSON.stringify(outcomes))
  t.ok(outcomes.done > rounds * 4)
  t.equal(outcomes.deadlock, 0)
  const { rows } = await sql<{ comments: number; silenced: number }>`
    select count(*) as comments, count(*) filter (where silenced) as silenced from comments`.execute(db)
  t.ok((rows[0]?.comments ?? 0) > 10)
})

t.test('concurrent likes count once per wallet', async (t) => {
  const target = tokenAddress(6)
  const like = (who: string) => db.transaction().execute((trx) => likeToken(trx, { token: target, wallet: who }))
  await Promise.all(Array.from({ length: 100 }, () => like(walletAddress(500))))
  const count = async () =>
    (await db.selectFrom('token_counts').select('likes').where('token_id', '=', tokenId(target)).executeTakeFirst())
      ?.likes
  t.equal(await count(), 1)
  await Promise.all(Array.from({ length: 100 }, (_, n) => like(walletAddress(600 + n))))
  t.equal(await count(), 101)
  const told = await db.selectFrom('notifications').select('id').where('subject', '=', target).execute()
  t.equal(told.length, 101, 'and its creator is notified of each once')
})

t.test('two wallets that follow each other concurrently do not deadlock', async (t) => {
  const [one, other] = [walletAddress(700), walletAddress(701)]
  for (let turn = 0; turn < 10; turn++) {
    const write = turn % 2 === 0 ? follow : unfollow
    const outcomes = await Promise.all([
      attempt((trx) => write(trx, { follower: one, followee: other })),
      attempt((trx) => write(trx, { follower: other, followee: one })),
    ])
    t.same(outcomes, ['done', 'done'])
  }
  t.same(await findDrift(), [])
})
