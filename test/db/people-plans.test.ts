import { type RawBuilder, sql } from 'kysely'
import t from 'tap'
import { buildApplicationList } from '../../db/queries/ambassador-applications.ts'
import { buildActionList } from '../../db/queries/audit-log.ts'
import { buildBanList } from '../../db/queries/bans.ts'
import { buildCommentList } from '../../db/queries/comments.ts'
import { buildFeed } from '../../db/queries/feed.ts'
import { buildFollowList } from '../../db/queries/follows.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { buildNotificationList, buildNotified } from '../../db/queries/notifications.ts'
import { buildCreatedTokens } from '../../db/queries/profiles.ts'
import { buildReportList } from '../../db/queries/reports.ts'
import { buildWalletSearch } from '../../db/queries/search.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { tokenAddress, walletAddress } from '../support/market-simulation.ts'
import { explain, type PlanNode, scansOf } from '../support/plans.ts'
import { multiply as multiplyRows } from '../support/readable-rows.ts'
import { optimizeWasm } from '../support/v8-flags.ts'

optimizeWasm()

/*
 * On tables large enough that the planner has a choice, each list about people is read from its index, in its order, up to
 * its limit.
 */
const ROWS = 20_000
const { db } = await createTestDatabase(t)
await fillMarket(db)
await multiply()

async function multiply(): Promise<void> {
  const rows = sql`generate_series(1, ${ROWS}::integer) i`
  const wallet = (number: RawBuilder<unknown>) => sql`'0x3a11' || lpad(to_hex(${number}), 36, '0')`
  const [some, many] = [wallet(sql`i % 500`), wallet(sql`i`)]
  const token = sql`'0x70ce' || lpad(to_hex(i % 20), 36, '0')`
  const anyToken = sql`'0x70ce' || lpad(to_hex(i % 500), 36, '0')`
  const past = sql`timestamptz '2030-01-01' + i * interval '1 minute'`
  await sql`insert into profiles (wallet, username, username_skeleton) select ${many}, 'kelp' || i, 'kelp' || i from ${rows}`.execute(
    db,
  )
  await sql`update profiles set banned_at = timestamptz '2030-01-01' + substr(username, 5)::integer * interval '1 minute'
    where username like 'kelp%7'`.execute(db)
  await sql`insert into follows (follower, followee, created_at) select ${many}, ${some}, ${past} from ${rows} on conflict do nothing`.execute(
    db,
  )
  await sql`insert into comments (token_id, author, body, created_at) select i % 500 + 1, ${some}, 'text', ${past} from ${rows}`.execute(
    db,
  )
  await sql`insert into comments (token_id, author, body, created_at, parent_id)
    select i % 500 + 1, ${some}, 'reply', ${past}, i % 500 + 500 from ${rows}`.execute(db)
  await sql`insert into notifications (recipient, type, actor, subject, comment_id, read_at)
    select ${some}, 'comment', ${many}, i::text, i, case when i % 3 > 0 then now() end from ${rows}`.execute(db)
  await sql`insert into reports (comment_id, reporter, reason, status)
    select i, ${some}, 'spam', case when i % 500 = 0 then 'open' else 'upheld' end from ${rows}`.execute(db)
  await sql`insert into audit_log (actor, action, subject) select ${wallet(sql`i % 2000`)}, 'token.hide', ${anyToken} from ${rows}`.execute(
    db,
  )
  await sql`insert into ambassador_applications (name, email, country, socials, audience, motivation, status, created_at)
    select 'n', i || '@example.org', 'PT', '{}', 'a', 'm', case when i % 500 = 0 then 'pending' else 'rejected' end, ${past}
    from ${rows}`.execute(db)
  await sql`insert into actions (block_number, log_index, block_time, tx_hash, type, wallet, subject)
    select 10000 + i, 0, 2100000000 + i, decode(md5(i::text), 'hex'), case when i % 9 = 0 then 'graduate' else 'create' end,
      decode(substr(${some}, 3), 'hex'), ${token}
    from ${rows}`.execute(db)
  await sql`insert into tokens (id, address, launchpad, creator, quote_token, name, symbol, metadata_uri, decimals, total_supply, initial_virtual_quote,
      initial_virtual_token, initial_real_token, target_quote, protocol_fee_bps, creator_fee_bps, block_number, log_index, tx_hash,
      block_time)
    select i + 30, '0x70ce' || lpad(to_hex(i + 29), 36, '0'), launchpad, ${some}, quote_token, name, symbol, metadata_uri,
      decimals, total_supply, initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote,
      protocol_fee_bps, creator_fee_bps, 10000 + i, 0, tx_hash, block_time
    from tokens, ${rows} where address = ${tokenAddress(1)}`.execute(db)
  await multiplyRows(db, 'trades', {
    like: sql`true`,
    changes: sql`jsonb_build_object('block_number', 10000 + i, 'log_index', 0, 'block_time', 2100000000 + i,
      'tx_hash', '\\x' || md5(i::text) || md5((-i)::text), 'token_id', (select id from tokens where address = ${token}),
      'trader', '\\x' || substr(${some}, 3), 'quote_amount', (i % 10)::numeric * 200000000000000000)`,
    numbers: rows,
  })
  const copies = sql`from tokens where block_number > 10000`
  await sql`insert into token_ids (id, address, creation) select id, address, '\\x00' ${copies}`.execute(db)
  await sql`insert into token_figures (token_id) select id ${copies}`.execute(db)
  await sql`analyze`.execute(db)
}

/** The plan without bitmaps: few rows of a key are as well fetched and sorted, and many is what matters. */
const explainPage = (statement: RawBuilder<unknown>): Promise<PlanNode[]> =>
  db.transaction().execute(async (trx) => {
    await sql`set local enable_bitmapscan = off`.execute(trx)
    return explain(trx, statement)
  })

const large = [
  'profiles',
  'follows',
  'comments',
  'notifications',
  'reports',
  'audit_log',
  'ambassador_applications',
  'actions',
  'trades',
]
const sortedRows = (nodes: PlanNode[]) =>
  Math.max(0, ...nodes.filter((node) => node['Node Type'].includes('Sort')).map((node) => node['Actual Rows'] ?? 0))

const [token, wallet, time] = [tokenAddress(3), walletAddress(7), Date.parse('2030-01-08')]
const tokenId = (await getLaunch(db, token)).id
const page = { limit: 21 }
const comments = { ...page, tokenId, viewer: wallet }
const follows = { ...page, wallet }
const told = { ...page, recipient: wallet }
const uuid = '7c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11'

const lists: [name: string, index: string, statement: RawBuilder<unknown>][] = [
  ['comments on a token', 'comments_pkey', buildCommentList({ ...comments, thread: 'all', after: null })],
  ['comments on a token, by cursor', 'comments_pkey', buildCommentList({ ...comments, thread: 'all', after: 10_000 })],
  ['comments that began a thread', 'comments_roots', buildCommentList({ ...comments, thread: 'roots', after: 10_000 })],
  ['the replies in a thread', 'comments_thread', buildCommentList({ ...comments, thread: 3, after: null })],
  ['followers', 'follows_followers', buildFollowList({ ...follows, direction: 'followers', after: null })],
  [
    'followers, by cursor',
    'follows_followers',
    buildFollowList({ ...follows, direction: 'followers', after: [time, wallet] }),
  ],
  [
    'those followed',
    'follows_following',
    buildFollowList({ ...follows, direction: 'following', after: [time, wallet] }),
  ],
  ['notifications', 'notifications_recipient', buildNotificationList({ ...told, unread: false, after: null })],
  ['unread notifications', 'notifications_unread', buildNotificationList({ ...told, unread: true, after: 10_000 })],
  ['wallets that a comment notified', 'notifications_comment', buildNotified(['9000'])],
  ['reports', 'reports_status', buildReportList({ ...page, status: 'open', after: 10_000 })],
  ['the audit log', 'audit_log_pkey', buildActionList({ ...page, after: 10_000 })],
  ['the audit log of an actor', 'audit_log_actor', buildActionList({ ...page, actor: wallet, after: null })],
  ['the audit log of a subject', 'audit_log_subject', buildActionList({ ...page, subject: token, after: 10_000 })],
  ['banned wallets', 'profiles_banned', buildBanList({ ...page, after: [time, wallet] })],
  ['applications', 'ambassador_applications_recent', buildApplicationList({ ...page, after: [time, uuid] })],
  [
    'applications in a state',
    'ambassador_applications_status',
    buildApplicationList({ ...page, status: 'pending', after: [time, uuid] }),
  ],
  ['wallets whose name begins so', 'profiles_username', buildWalletSearch('kelp1', page.limit)],
  ['tokens of a creator', 'tokens_creator', buildCreatedTokens({ ...page, wallet, after: [25_000, 0] })],
]
for (const [name, index, statement] of lists) {
  t.test(`a page of ${name} is read from its index, up to the limit`, async (t) => {
    const nodes = await explainPage(statement)
    const read = nodes.find((node) => node['Index Name'] === index)
    t.ok(read, nodes.map((node) => node['Index Name'] ?? node['Node Type']).join(', '))
    t.ok((read?.['Actual Rows'] ?? 0) <= 21)
    t.same(scansOf(nodes, large), [])
    t.ok(sortedRows(nodes) <= 21)
  })
}

for (const after of [null, [20_000, 0, time, 10_000]] as const) {
  t.test(`the ${after ? 'next' : 'first'} page of the feed reads at most two pages of each index`, async (t) => {
    const nodes = await explainPage(buildFeed({ ...page, follower: null, after }))
    for (const index of ['actions_type', 'trades_large', 'comments_recent']) {
      const reads = nodes.filter((node) => node['Index Name'] === index)
      t.ok(reads.length > 0, index)
      // Hidden tokens are passed over on the way.
      for (const read of reads) t.ok((read['Actual Rows'] ?? 0) <= 42, index)
    }
    t.same(scansOf(nodes, large), [])
    t.ok(sortedRows(nodes) <= 4 * 21)
  })
}

t.test('the feed of followed wallets is read from their indexes', async (t) => {
  const follower = walletAddress(4_000)
  for (let n = 1; n <= 20; n++)
    await sql`insert into follows values (${follower}, ${walletAddress(20 + n)})`.execute(db)
  const nodes = await explainPage(buildFeed({ ...page, follower, after: null }))
  for (const index of ['actions_wallet', 'trades_trader', 'comments_author']) {
    const reads = nodes.filter((node) => node['Index Name'] === index)
    t.ok(reads.length > 0, index)
    for (const read of reads) t.ok((read['Actual Rows'] ?? 0) <= 42, index)
  }
  t.same(scansOf(nodes, large), [])
})
