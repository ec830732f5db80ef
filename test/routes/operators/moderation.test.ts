import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { tokenId } from '../../../db/token-ids.ts'
import type { CommentList } from '../../../schemas/comments.ts'
import type { AuditList, BanList, ReportList } from '../../../schemas/operators/operators.ts'
import type { Token, TokenPage } from '../../../schemas/tokens.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { creatorOf, tokenAddress } from '../../support/market-simulation.ts'
import { listLiveEvents } from '../../support/outbox.ts'
import { ADMIN, ann, bob, createQueryCounter, dan, eve, failure, LABS, readAll, say } from '../../support/people.ts'

type Entry = Static<typeof AuditList>['items'][number]
type Ban = Static<typeof BanList>['items'][number]
type Reported = Static<typeof ReportList>['items'][number]

/** Another operator, who is not a wallet of people.ts. */
const COLLEAGUE = `0xc011${'0'.repeat(36)}`
const market = await createMarketApp(t, { LABS_WALLETS: LABS, ADMIN_WALLETS: `${ADMIN},${COLLEAGUE}` })
const { app, db, read, send } = market
const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
const tokenOf = async (address: string) => (await read<Static<typeof Token>>(`/tokens/${address}`)).body.data
const textsAt = async (address: string) =>
  (await read<Static<typeof CommentList>>(`/tokens/${address}/comments`)).body.data.items.map(({ text }) => text)
const newest = async () => {
  const { items, total } = (await read<Static<typeof TokenPage>>('/tokens?sort=newest&limit=100')).body.data
  return { addresses: items.map(({ address }) => address), total }
}
const lastActions = async (count: number) =>
  (await read<{ items: Entry[] }>(`/admin/audit-log?limit=${count}`, as(ADMIN))).body.data.items.map(
    ({ actor, action, subject, reason }) => [actor, action, subject, reason],
  )
const reportOf = async (id: string, wallet: string) =>
  (await send<{ id: string }>('POST', `/comments/${id}/report`, { reason: 'abuse' }, wallet)).body.data.id
const storedText = async (id: string) =>
  (await db.selectFrom('comments').select('body').where('id', '=', Number(id)).executeTakeFirst())?.body
const banned = failure(403, 'This wallet is banned')

t.test('what an operator edits for a creator is in the audit log, and what creators edit is not', async (t) => {
  const address = tokenAddress(28)
  const edit = (wallet: string) => send('PATCH', `/tokens/${address}`, { description: 'Edited.' }, wallet)
  t.equal((await edit(ADMIN)).status, 200)
  const [entry] = await lastActions(1)
  t.same(entry, [ADMIN, 'token.edit', address, null])
  t.equal((await edit(creatorOf(28))).status, 200)
  t.same(await lastActions(1), [entry])
})

t.test('an operator hides and unhides a token in all lists', async (t) => {
  const address = tokenAddress(28)
  const url = `/tokens/${address}`
  const before = await newest()
  t.ok(before.addresses.includes(address))
  const answer = await send('POST', `/admin${url}/hide`, { reason: 'Asks for seed phrases.' }, ADMIN)
  t.same(answer, { status: 200, body: { success: true, data: { address, hidden: true } } })
  const during = await newest()
  t.notOk(during.addresses.includes(address))
  t.equal(during.total, before.total - 1)
  t.equal((await tokenOf(address)).hidden, true)
  t.same(
    (await db.selectFrom('token_metadata').select('hidden').where('token_id', '=', tokenId(address)).executeTakeFirst())
      ?.hidden,
    true,
  )
  const back = await send('POST', `/api/admin${url}/unhide`, undefined, ADMIN)
  t.same(back.body.data, { address, hidden: false })
  t.same(await newest(), before)
  t.same(await lastActions(2), [
    [ADMIN, 'token.unhide', address, null],
    [ADMIN, 'token.hide', address, 'Asks for seed phrases.'],
  ])
})

t.test('labs members can only feature tokens', async (t) => {
  const address = tokenAddress(28)
  const url = `/labs/tokens/${address}/feature`
  t.same((await send('POST', url, {}, LABS)).body.data, { address, featured: true })
  t.equal((await tokenOf(address)).featured, true)
  t.same((await send('DELETE', `/api${url}`, undefined, LABS)).body.data, { address, featured: false })
  t.equal((await tokenOf(address)).featured, false)
  t.same(await lastActions(2), [
    [LABS, 'token.unfeature', address, null],
    [LABS, 'token.feature', address, null],
  ])
})

t.test('metadata of a token stays unchanged when it is hidden or featured', async (t) => {
  const address = tokenAddress(0)
  const { description, links } = await tokenOf(address)
  await send('POST', `/admin/tokens/${address}/hide`, null, ADMIN)
  await send('POST', `/labs/tokens/${address}/feature`, undefined, LABS)
  t.match(await tokenOf(address), { description, links, hidden: true, featured: true })
  const row = await db
    .selectFrom('token_metadata')
    .select('updated_by')
    .where('token_id', '=', tokenId(address))
    .executeTakeFirst()
  t.equal(row?.updated_by, creatorOf(0), 'its creator is still who said it')
})

t.test('an operator hides and unhides a comment; its reports are upheld', async (t) => {
  const address = tokenAddress(12)
  const { id } = await say(market, bob, address, 'free coins')
  await send('POST', `/comments/${id}/report`, { reason: 'scam', note: 'Seed phrases.' }, ann)
  await send('POST', `/comments/${id}/report`, { reason: 'spam' }, eve)
  const open = (await read<{ items: Reported[] }>('/admin/reports', as(ADMIN))).body.data.items
  t.match(open, [
    { reporter: eve, reason: 'spam', note: null, status: 'open' },
    {
      reporter: ann,
      reason: 'scam',
      note: 'Seed phrases.',
      comment: {
        id,
        token: address,
        author: bob,
        text: 'free coins',
        hidden: false,
        deleted: false,
        authorBanned: false,
      },
    },
  ])
  t.same((await send('POST', `/admin/comments/${id}/hide`, { reason: 'Scam.' }, ADMIN)).body.data, { id, hidden: true })
  t.same(await textsAt(address), [])
  t.equal((await tokenOf(address)).commentCount, 0)
  t.same(await send('POST', `/comments/${id}/like`, undefined, ann), failure(404, `Comment ${id} not found`))
  t.same((await read<{ items: Reported[] }>('/admin/reports', as(ADMIN))).body.data.items, [])
  const upheld = (await read<{ items: Reported[] }>('/api/admin/reports?status=upheld', as(ADMIN))).body.data.items
  t.match(upheld, [{ comment: { hidden: true, text: 'free coins' } }, { status: 'upheld' }])
  t.same((await send('POST', `/api/admin/comments/${id}/unhide`, {}, ADMIN)).body.data, { id, hidden: false })
  t.same(await textsAt(address), ['free coins'])
  t.equal((await tokenOf(address)).commentCount, 1)
  t.same(
    (await lastActions(2)).map(([, action, subject]) => [action, subject]),
    [
      ['comment.unhide', id],
      ['comment.hide', id],
    ],
  )
})

t.test('a report is dismissed once', async (t) => {
  const { id } = await say(market, bob, tokenAddress(13), 'a joke')
  const report = await reportOf(id, ann)
  const url = `/admin/reports/${report}/dismiss`
  const answer = await send<Reported>('POST', url, { reason: 'It is one.' }, ADMIN)
  t.equal(answer.status, 200)
  t.match(answer.body.data, { id: report, status: 'dismissed', comment: { text: 'a joke', deleted: false } })
  t.same(await send('POST', `/api${url}`, undefined, ADMIN), failure(409, 'This report is dismissed'))
  t.same(await send('POST', '/admin/reports/99999/dismiss', undefined, ADMIN), failure(404, 'Report 99999 not found'))
  t.same(await lastActions(1), [[ADMIN, 'report.dismiss', report, 'It is one.']])
  t.same(await textsAt(tokenAddress(13)), ['a joke'], 'the comment stays')
})

t.test(
  'the text of a deleted comment is kept for its open reports, and erased when the last is dismissed',
  async (t) => {
    const { id } = await say(market, bob, tokenAddress(16), 'to be judged')
    const reports = [await reportOf(id, ann), await reportOf(id, eve)]
    await send('DELETE', `/comments/${id}`, undefined, bob)
    for (const [index, text] of ['to be judged', ''].entries()) {
      t.equal(await storedText(id), 'to be judged')
      const { body } = await send<Reported>('POST', `/admin/reports/${reports[index]}/dismiss`, undefined, ADMIN)
      t.match(body.data, { status: 'dismissed', comment: { text, hidden: false, deleted: true } })
    }
    t.equal(await storedText(id), '')
    for (const verb of ['hide', 'unhide'])
      t.same(
        await send('POST', `/admin/comments/${id}/${verb}`, undefined, ADMIN),
        failure(404, `Comment ${id} not found`),
      )
    t.same(
      (await lastActions(2)).map(([, action, subject]) => [action, subject]),
      reports.toReversed().map((report) => ['report.dismiss', report]),
    )
  },
)

t.test('reports of a deleted comment are upheld; its text is erased', async (t) => {
  const { id } = await say(market, bob, tokenAddress(16), 'gone before the judgement')
  const reports = [await reportOf(id, ann), await reportOf(id, eve)]
  await send('DELETE', `/comments/${id}`, undefined, bob)
  const removals = async () =>
    (await listLiveEvents(db, { after: 0, limit: 1_000 })).filter(
      ({ type, data }) => type === 'comment.removed' && data.includes(`"${id}"`),
    ).length
  t.equal(await removals(), 1)
  const missing = failure(404, `Comment ${id} not found`)
  t.same(await send('POST', `/admin/comments/${id}/unhide`, undefined, ADMIN), missing)
  const answer = await send('POST', `/api/admin/comments/${id}/hide`, { reason: 'Scam.' }, ADMIN)
  t.same(answer, { status: 200, body: { success: true, data: { id, hidden: true } } })
  const upheld = (await read<{ items: Reported[] }>('/admin/reports?status=upheld&limit=2', as(ADMIN))).body.data.items
  t.match(
    upheld,
    reports.toReversed().map((report) => ({ id: report, comment: { id, text: '', hidden: true, deleted: true } })),
  )
  t.equal(await storedText(id), '')
  t.same(await lastActions(1), [[ADMIN, 'comment.hide', id, 'Scam.']])
  t.equal(await removals(), 1, 'clients have removed it already')
  for (const verb of ['hide', 'unhide'])
    t.same(await send('POST', `/admin/comments/${id}/${verb}`, undefined, ADMIN), missing, 'nothing is left to decide')
})

t.test('the text of a comment that was hidden is erased when its author deletes it', async (t) => {
  const { id } = await say(market, bob, tokenAddress(16), 'hidden first')
  await reportOf(id, ann)
  await send('POST', `/admin/comments/${id}/hide`, undefined, ADMIN)
  t.equal(await storedText(id), 'hidden first', 'it can be shown again')
  t.equal((await send('DELETE', `/comments/${id}`, undefined, bob)).status, 200)
  t.equal(await storedText(id), '')
})

t.test('a ban hides a wallet’s content at once, and its end shows it again', async (t) => {
  const address = tokenAddress(14)
  await send('PATCH', '/profiles/me', { username: 'loudmouth', bio: 'Buy now!' }, dan)
  await say(market, dan, address, 'root of dan')
  const root = await say(market, ann, address, 'root of ann')
  await say(market, dan, address, 'reply of dan', root.id)
  await send('POST', `/follows/${ann}`, undefined, dan)
  const unread = async () => (await read<{ unreadCount: number }>('/notifications', as(ann))).body.data.unreadCount
  const unreadBefore = await unread()
  const ban = await send('POST', `/admin/wallets/${dan}/ban`, { reason: 'Spam.' }, ADMIN)
  t.same(ban, { status: 200, body: { success: true, data: { wallet: dan, banned: true } } })

  t.same(await textsAt(address), ['root of ann'])
  t.equal((await tokenOf(address)).commentCount, 1)
  const feed = await readAll<{ type: string; actor: { wallet: string } }>(market, '/feed?limit=100')
  t.notOk(feed.some(({ type, actor }) => type === 'comment' && actor.wallet === dan))
  t.match((await read(`/profiles/${dan}`)).body.data, { username: null, bio: null })
  const followers = (await read<{ items: object[] }>(`/profiles/${ann}/followers`)).body.data.items
  t.match(followers, [{ wallet: dan, username: null }])
  t.equal(await unread(), unreadBefore - 2, 'the reply and the follow')
  for (const [method, url, payload] of [
    ['POST', `/tokens/${address}/comments`, { text: 'still here?' }],
    ['POST', `/tokens/${address}/like`, undefined],
    ['PATCH', '/profiles/me', { bio: 'Back.' }],
    ['PATCH', `/tokens/${address}`, { description: 'x' }],
    ['POST', '/buy', { txHash: `0x${'1'.repeat(64)}` }],
    ['POST', '/tokens/create', { txHash: `0x${'1'.repeat(64)}` }],
  ] as const) {
    t.same(await send(method, url, payload, dan), banned, `${method} ${url}`)
    t.same(await send(method, `/api${url}`, payload, dan), banned)
  }
  t.equal((await read('/notifications', as(dan))).status, 200, 'it may read')
  t.equal((await send('POST', '/auth/logout', {}, dan)).status, 200, 'and sign out')

  t.same((await send('POST', `/api/admin/wallets/${dan}/unban`, undefined, ADMIN)).body.data, {
    wallet: dan,
    banned: false,
  })
  t.same(await textsAt(address), ['reply of dan', 'root of ann', 'root of dan'])
  t.equal((await tokenOf(address)).commentCount, 3)
  t.equal(await unread(), unreadBefore)
  t.match((await read(`/profiles/${dan}`)).body.data, { username: 'loudmouth', bio: 'Buy now!' })
  t.equal((await send('POST', `/tokens/${address}/like`, undefined, dan)).status, 200)
  t.same(await lastActions(2), [
    [ADMIN, 'wallet.unban', dan, null],
    [ADMIN, 'wallet.ban', dan, 'Spam.'],
  ])
})

t.test('banned wallets are listed with the last ban of each, latest first, page by page', async (t) => {
  const list = (query = '') => read<{ items: Ban[]; nextCursor: string | null }>(`/admin/bans?${query}`, as(ADMIN))
  t.same((await list()).body.data, { items: [], nextCursor: null })
  await send('POST', `/admin/wallets/${dan}/ban`, { reason: 'An earlier one.' }, ADMIN)
  await send('POST', `/admin/wallets/${dan}/unban`, undefined, ADMIN)
  for (const [wallet, reason] of [
    [eve, null],
    [dan, 'Spam.'],
  ] as const)
    await send('POST', `/admin/wallets/${wallet}/ban`, { reason }, ADMIN)
  // Both may be of one millisecond.
  await db
    .updateTable('profiles')
    .set({ banned_at: new Date(1_000) })
    .where('wallet', '=', eve)
    .execute()
  const { items } = (await list()).body.data
  t.match(items, [
    { wallet: dan, actor: ADMIN, reason: 'Spam.' },
    { wallet: eve, actor: ADMIN, reason: null, bannedAt: '1970-01-01T00:00:01.000Z' },
  ])
  const first = (await list('limit=1')).body.data
  t.same(first.items, items.slice(0, 1))
  const second = (await list(`limit=1&cursor=${first.nextCursor}`)).body.data
  t.same(second, { items: items.slice(1), nextCursor: null })
  for (const wallet of [dan, eve]) await send('POST', `/admin/wallets/${wallet}/unban`, undefined, ADMIN)
  t.same((await list()).body.data.items, [])
  t.same(await read('/admin/bans', as(dan)), failure(403, 'This wallet is not an operator'))
})

t.test('a ban applies at once, also to a cached wallet and without the cache', async (t) => {
  const url = `/tokens/${tokenAddress(15)}/comments`
  await say(market, eve, tokenAddress(15), 'let through')
  await send('POST', `/admin/wallets/${eve}/ban`, undefined, ADMIN)
  t.same(await send('POST', url, { text: 'x' }, eve), banned)
  await app.cache.set(`banned:${eve}`, '0', 60)
  t.same(await send('POST', url, { text: 'x' }, eve), banned, 'the transaction asks again')
  await app.cache.delete(`banned:${eve}`)
  t.same(await send('POST', url, { text: 'x' }, eve), banned)
  await send('POST', `/admin/wallets/${eve}/unban`, undefined, ADMIN)
})

t.test('an operator cannot be banned, by oneself or by another, and a ban from before is lifted', async (t) => {
  const operator = failure(409, 'This wallet is an operator')
  for (const wallet of [ADMIN, COLLEAGUE])
    t.same(await send('POST', `/admin/wallets/${wallet}/ban`, undefined, ADMIN), operator, wallet)
  await db
    .insertInto('profiles')
    .values({ wallet: COLLEAGUE, banned_at: new Date() })
    .onConflict((conflict) => conflict.column('wallet').doUpdateSet({ banned_at: new Date() }))
    .execute()
  const unban = await send('POST', `/admin/wallets/${COLLEAGUE}/unban`, undefined, ADMIN)
  t.same(unban.body.data, { wallet: COLLEAGUE, banned: false })
  const { banned_at } = await db
    .selectFrom('profiles')
    .select('banned_at')
    .where('wallet', '=', COLLEAGUE)
    .executeTakeFirstOrThrow()
  t.equal(banned_at, null)
})

t.test('actions on missing resources are 404, and rejected actions are not logged', async (t) => {
  const before = await lastActions(1)
  const unknown = `0x${'9'.repeat(40)}`
  const noToken = failure(404, `Token ${unknown} not found`)
  for (const verb of ['hide', 'unhide']) {
    t.same(await send('POST', `/admin/tokens/${unknown}/${verb}`, undefined, ADMIN), noToken)
    t.same(
      await send('POST', `/admin/comments/99999/${verb}`, undefined, ADMIN),
      failure(404, 'Comment 99999 not found'),
    )
  }
  t.same(await send('POST', `/labs/tokens/${unknown}/feature`, undefined, LABS), noToken)
  t.same(await send('DELETE', `/labs/tokens/${unknown}/feature`, undefined, LABS), noToken)
  const url = `/admin/tokens/${tokenAddress(1)}/hide`
  t.same(await send('POST', url, { why: 'x' }, ADMIN), failure(400, 'body.why is not a known field'))
  t.same(await send('POST', url, { reason: ' ' }, ADMIN), failure(400, 'body.reason must contain visible text'))
  t.same(
    await send('POST', url, { reason: 'x'.repeat(501) }, ADMIN),
    failure(400, 'body.reason must have at most 500 characters'),
  )
  t.same(await lastActions(1), before)
})

t.test('the audit log is filtered by actor and subject, page by page', async (t) => {
  const all = await readAll<Entry>(market, '/admin/audit-log?limit=2', as(ADMIN))
  t.ok(all.length > 12)
  t.same(new Set(all.map(({ id }) => id)).size, all.length)
  const times = all.map(({ createdAt }) => createdAt)
  t.same(times, times.toSorted().reverse())
  const only = (query: string) => readAll<Entry>(market, `/api/admin/audit-log?${query}&limit=1`, as(ADMIN))
  t.same(
    await only(`actor=${LABS}`),
    all.filter(({ actor }) => actor === LABS),
  )
  t.same(
    await only(`subject=${dan}`),
    all.filter(({ subject }) => subject === dan),
  )
  t.same(await only(`subject=${dan}&actor=${LABS}`), [])
  t.same(
    await read('/admin/audit-log?actor=x', as(ADMIN)),
    failure(400, 'query.actor must be a 0x-prefixed address of 20 bytes in hexadecimal'),
  )
  const count = await createQueryCounter(t, market)
  for (const limit of [1, 9])
    t.same(await count(`/admin/audit-log?limit=${limit}`, ADMIN), { items: limit, queries: 1 })
  for (const limit of [1, 2])
    t.same(await count(`/admin/reports?status=upheld&limit=${limit}`, ADMIN), { items: limit, queries: 1 })
})
