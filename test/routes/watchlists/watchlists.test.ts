import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { buildWatchlist, MAX_WATCHED } from '../../../db/queries/watchlists.ts'
import { tokenId } from '../../../db/token-ids.ts'
import type { Token } from '../../../schemas/tokens.ts'
import type { Watch } from '../../../schemas/watchlists.ts'
import { HIDDEN } from '../../support/market-rows.ts'
import { tokenAddress, walletAddress } from '../../support/market-simulation.ts'
import { ann, bob, createPeopleApp, createQueryCounter, dan, eve, failure, readAll } from '../../support/people.ts'
import { explain, scansOf, uses } from '../../support/plans.ts'
import { replaceLaunch } from '../../support/replace-launch.ts'

type Listed = Static<typeof Token>

const market = await createPeopleApp(t)
const { app, db, read, send } = market
const [first, second, third] = [1, 2, 3].map(tokenAddress) as [string, string, string]
const hidden = tokenAddress(HIDDEN[0] as number)
const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
const watch = (token: string, wallet: string) =>
  send<Static<typeof Watch>>('PUT', `/watchlists/${token}`, undefined, wallet)
const unwatch = (token: string, wallet: string) =>
  send<Static<typeof Watch>>('DELETE', `/watchlists/${token}`, undefined, wallet)
const addressesOf = async (wallet: string, limit = 100) =>
  (await readAll<Listed>(market, `/watchlists/me?limit=${limit}`, as(wallet))).map(({ address }) => address)

t.test('a wallet watches tokens, and everyone sees how many do', async (t) => {
  const made = await watch(first, ann)
  t.match(made, { status: 200, body: { data: { token: first, watcherCount: 1 } } })
  t.ok(Math.abs(Date.parse(made.body.data.watchedAt as string) - Date.now()) < 60_000)
  t.same((await watch(first, ann)).body.data, made.body.data, 'again changes nothing')
  t.equal((await send('PUT', `/api/watchlists/0x${first.slice(2).toUpperCase()}`, undefined, bob)).status, 200)

  const seen = async (wallet?: string) => {
    const { watcherCount, watchedByMe } = (
      await read<Listed>(`/tokens/${first}`, wallet === undefined ? {} : as(wallet))
    ).body.data
    return { watcherCount, watchedByMe }
  }
  t.same(await seen(), { watcherCount: 2, watchedByMe: null })
  t.same(await seen(ann), { watcherCount: 2, watchedByMe: true })
  t.same(await seen(eve), { watcherCount: 2, watchedByMe: false })
  const listed = (await read<{ items: Listed[] }>('/tokens?limit=100', as(ann))).body.data.items
  t.same(
    listed.filter(({ watchedByMe }) => watchedByMe).map(({ address }) => address),
    [first],
  )

  t.match((await unwatch(first, bob)).body.data, { token: first, watchedAt: null, watcherCount: 1 })
  t.match((await unwatch(first, bob)).body.data, { watchedAt: null, watcherCount: 1 }, 'again changes nothing')
  t.same(await seen(bob), { watcherCount: 1, watchedByMe: false })
})

t.test('a watchlist has the newest entry first, by cursor, and belongs to its wallet', async (t) => {
  for (const token of [third, second, hidden]) await watch(token, ann)
  t.same(await addressesOf(ann), [hidden, second, third, first], 'a hidden token too')
  // Entries of one millisecond are read in one order.
  await sql`update watched_tokens set created_at = '2026-01-01T00:00:00Z'`.execute(db)
  const all = await addressesOf(ann)
  t.same([...all].sort(), [hidden, second, third, first].sort())
  for (const limit of [1, 2, 3]) t.same(await addressesOf(ann, limit), all, `${limit} a page`)
  t.same(await addressesOf(bob), [])
})

t.test('who is not signed in, a token that was not launched, and a banned wallet are refused', async (t) => {
  t.equal((await read('/watchlists/me')).status, 401)
  t.equal((await send('PUT', `/watchlists/${first}`)).status, 401)
  t.same(await watch(walletAddress(1), ann), failure(404, `Token ${walletAddress(1)} not found`))
  t.equal((await watch('0x12', ann)).status, 400)
  await sql`insert into profiles (wallet, banned_at) values (${dan}, now())`.execute(db)
  t.equal((await watch(first, dan)).status, 403)
})

t.test('a watchlist has a limit, also for requests at the same time', async (t) => {
  await sql`insert into watched_tokens (token_id, wallet)
    select 1000000 + i, decode(${eve.slice(2)}, 'hex') from generate_series(1, ${MAX_WATCHED - 1}::integer) i`.execute(
    db,
  )
  const answers = await Promise.all([first, second, third].map((token) => watch(token, eve)))
  const full = failure(409, `A watchlist has at most ${MAX_WATCHED} tokens`)
  t.same(answers.map(({ status }) => status).sort(), [200, 409, 409])
  t.same(
    answers.find(({ status }) => status === 409),
    full,
  )
  t.equal((await addressesOf(eve)).length, 1)
})

t.test('a list takes the same number of queries at any length, and is read from its index', async (t) => {
  const countQueries = await createQueryCounter(t, market)
  const [one, all] = [await countQueries('/watchlists/me?limit=1', ann), await countQueries('/watchlists/me', ann)]
  t.ok(all.items > one.items)
  t.equal(all.queries, one.queries)
  await sql`insert into watched_tokens (token_id, wallet)
    select i, decode(md5((i % 100)::text) || '00000000', 'hex') from generate_series(1, 5000) i on conflict do nothing`.execute(
    db,
  )
  await sql`analyze watched_tokens`.execute(db)
  for (const after of [null, [Date.now(), 1_000] as const]) {
    const nodes = await explain(db, buildWatchlist({ wallet: eve, limit: 21, after }))
    t.ok(uses(nodes, 'watched_tokens_wallet'))
    t.same(scansOf(nodes, ['watched_tokens']), [])
  }
})

t.test('an entry belongs to the launch: another one at the address is not watched', async (t) => {
  t.ok((await addressesOf(ann)).includes(first))
  await replaceLaunch(db, first, ['watched_tokens', 'token_counts'])
  t.notOk((await addressesOf(ann)).includes(first))
  const { watcherCount, watchedByMe } = (await read<Listed>(`/tokens/${first}`, as(ann))).body.data
  t.same({ watcherCount, watchedByMe }, { watcherCount: 0, watchedByMe: false })
  t.equal((await db.selectFrom('tokens').where('id', '=', tokenId(first)).select('id').execute()).length, 1)
})
