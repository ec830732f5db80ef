import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { Application, ApplicationList } from '../../../schemas/ambassadors.ts'
import type { Answer } from '../../support/client.ts'
import { ADMIN, ann, bob, createPeopleApp, createQueryCounter, failure, readAll } from '../../support/people.ts'

type Applied = Static<typeof Application>
type List = Static<typeof ApplicationList>
type Receipt = { id: string; status: string }

const market = await createPeopleApp(t)
const { app, db, read, send } = market
const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
const URL = '/ambassador-applications'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const good = {
  name: 'Mira',
  email: 'mira@example.org',
  country: 'PT',
  socials: { x: 'https://x.com/mira' },
  audience: '4,000 followers who collect cat tokens.',
  motivation: 'I answer questions every day.\nAnd I like cats.',
}
const apply = (payload: unknown): Promise<Answer<Receipt>> => send<Receipt>('POST', URL, payload)
const taken = failure(409, 'An open application already exists')
const review = (id: string, payload: unknown) => send<Applied>('PATCH', `/admin${URL}/${id}`, payload, ADMIN)
const list = async (query = '') => (await read<List>(`/admin${URL}${query}`, as(ADMIN))).body.data

const first = await apply({ ...good, wallet: `0x${ann.slice(2).toUpperCase()}` })

t.test('applying requires no token and returns only the id and status', async (t) => {
  t.equal(first.status, 200)
  t.match(first.body.data.id, UUID)
  t.same(first.body, { success: true, data: { id: first.body.data.id, status: 'pending' } })
})

t.test('a second open application of an e-mail address or wallet is 409', async (t) => {
  t.same(await apply(good), taken)
  t.same(await apply({ ...good, email: 'MIRA@example.ORG' }), taken)
  t.same(await apply({ ...good, email: 'other@example.org', wallet: ann }), taken)
  const rush = await Promise.all([1, 2, 3, 4].map(() => apply({ ...good, email: 'rush@example.org' })))
  t.same(rush.map(({ status }) => status).sort(), [200, 409, 409, 409])
})

t.test('operators read the whole application, which must not be cached', async (t) => {
  const { items } = await list()
  t.equal(items.length, 2)
  const { createdAt, ...rest } = items[1] as Applied
  t.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
  t.same(rest, {
    ...good,
    id: first.body.data.id,
    wallet: ann,
    status: 'pending',
    reviewer: null,
    reviewNote: null,
    reviewedAt: null,
  })
  const { headers } = await app.inject({ url: `/api/admin${URL}`, headers: as(ADMIN) })
  t.equal(headers['cache-control'], 'no-store')
})

t.test('a decision is final, notifies the wallet and allows another application', async (t) => {
  const { id } = first.body.data
  const { status, body } = await review(id, { status: 'approved', note: 'Knows the product.' })
  t.equal(status, 200)
  t.match(body.data, { id, status: 'approved', reviewer: ADMIN, reviewNote: 'Knows the product.', reviewedAt: /Z$/ })
  t.same(await review(id, { status: 'rejected' }), failure(409, 'This application is approved'))
  const notifications = (await read<{ items: object[] }>('/notifications', as(ann))).body.data.items
  t.match(notifications, [{ type: 'ambassador_approved', subject: id, actor: null, token: null, payload: {} }])
  const again = await apply({ ...good, wallet: ann })
  t.equal(again.status, 200)
  t.match((await review(again.body.data.id, { status: 'rejected', note: null })).body.data, { status: 'rejected' })
  t.same(
    (await list('?status=pending')).items.map(({ email }) => email),
    ['rush@example.org'],
  )
  t.same(
    (await list('?status=approved')).items.map((item) => item.id),
    [id],
  )
  const log = (await read<{ items: object[] }>('/admin/audit-log', as(ADMIN))).body.data.items
  t.match(log, [
    { action: 'application.reject', subject: again.body.data.id },
    { action: 'application.approve', subject: id, reason: null },
  ])
})

t.test('erasing deletes all personal data', async (t) => {
  const { id } = first.body.data
  const url = `/admin${URL}/${id}`
  const answer = await send('DELETE', url, undefined, ADMIN)
  t.same(answer, { status: 200, body: { success: true, data: { id, erased: true } } })
  t.same(await send('DELETE', `/api${url}`, undefined, ADMIN), failure(404, `Application ${id} not found`))
  t.same(await review(id, { status: 'approved' }), failure(404, `Application ${id} not found`))
  t.notOk((await list()).items.some((item) => item.id === id))
  t.equal((await db.selectFrom('notifications').selectAll().where('subject', '=', id).execute()).length, 0)
  const log = await db.selectFrom('audit_log').selectAll().where('subject', '=', id).execute()
  t.same(log.map(({ action, reason }) => [action, reason]).sort(), [
    ['application.approve', null],
    ['application.erase', null],
  ])
})

t.test('an application with the honeypot field gets the same response and is not stored', async (t) => {
  const before = (await list()).items.length
  const answer = await apply({ ...good, email: 'robot@example.org', homepage: 'https://spam.example.org' })
  t.equal(answer.status, 200)
  t.match(answer.body.data, { id: UUID, status: 'pending' })
  t.equal((await list()).items.length, before)
  t.equal((await apply({ ...good, email: 'human@example.org', homepage: '' })).status, 200)
  t.equal((await apply({ ...good, email: 'human2@example.org', homepage: null })).status, 200)
})

t.test('the list continues by cursor, with each application once, in one query', async (t) => {
  const items = await readAll<Applied>(market, `/admin${URL}?limit=1`, as(ADMIN))
  t.same(items, (await list()).items)
  const { nextCursor } = await list('?limit=1')
  const foreign = failure(400, 'query.cursor is not a cursor of this list')
  t.same(await read(`/admin${URL}?status=pending&cursor=${nextCursor}`, as(ADMIN)), foreign)
  t.same(
    await read(`/admin${URL}?status=lost`, as(ADMIN)),
    failure(400, 'query.status must be one of pending, approved, rejected'),
  )
  const count = await createQueryCounter(t, market)
  for (const limit of [1, 3]) t.same(await count(`/admin${URL}?limit=${limit}`, ADMIN), { items: limit, queries: 1 })
})

const email = 'body.email must be an e-mail address'
const bad: [change: object, error: string][] = [
  [{ name: undefined }, 'body.name is required'],
  [{ name: ' ' }, 'body.name must contain visible text'],
  [{ name: 'x'.repeat(81) }, 'body.name must have at most 80 characters'],
  [{ email: 'mira' }, email],
  [{ email: 'mira@localhost' }, email],
  [{ email: 'mira@example.org\nBcc: x@example.org' }, email],
  [{ email: 'a b@example.org' }, email],
  [{ wallet: '0x12' }, 'body.wallet must be a 0x-prefixed address of 20 bytes in hexadecimal'],
  [{ country: 'Portugal' }, 'body.country must be a country code of two capital letters (ISO 3166-1)'],
  [
    { socials: { x: 'javascript:alert(1)' } },
    'body.socials.x must be an https URL, with letters, digits, dots and hyphens in its host',
  ],
  [{ socials: { 'X Y': 'https://x.com/a' } }, 'body.socials.X Y is not a known field'],
  [{ audience: 'x'.repeat(501) }, 'body.audience must have at most 500 characters'],
  [{ motivation: 'a\u202eb' }, 'body.motivation must not contain control characters or bidirectional overrides'],
  [{ status: 'approved' }, 'body.status is not a known field'],
]
for (const [change, error] of bad) {
  t.test(`an application with ${JSON.stringify(change).slice(0, 40)} is rejected`, async (t) => {
    t.same(await apply({ ...good, email: 'new@example.org', ...change }), failure(400, error))
  })
}

t.test('an invalid review is rejected', async (t) => {
  const [{ id }] = (await list('?status=pending')).items as [Applied]
  t.same(await review(id, { status: 'pending' }), failure(400, 'body.status must be one of approved, rejected'))
  t.same(await review(id, {}), failure(400, 'body.status is required'))
  t.same(
    await review(id, { status: 'approved', note: 'x'.repeat(1001) }),
    failure(400, 'body.note must have at most 1000 characters'),
  )
  t.same(await review('12', { status: 'approved' }), failure(400, 'path.id must be a UUID'))
  const unknown = '0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11'
  t.same(await review(unknown, { status: 'approved' }), failure(404, `Application ${unknown} not found`))
})

t.test('only operators can read applications', async (t) => {
  const off = failure(403, 'This wallet is not an operator')
  for (const wallet of [ann, bob]) t.same(await read(`/admin${URL}`, as(wallet)), off)
  t.same(await read(`/api/admin${URL}`), failure(401, 'Missing bearer token'))
  t.same(await read(URL), failure(405, 'GET is not allowed here; use POST'))
})
