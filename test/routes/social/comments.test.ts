import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import type { Comment, CommentList, Like } from '../../../schemas/comments.ts'
import type { Token } from '../../../schemas/tokens.ts'
import { tokenAddress, walletAddress } from '../../support/market-simulation.ts'
import { listLiveEvents } from '../../support/outbox.ts'
import {
  ADMIN,
  ann,
  bob,
  createPeopleApp,
  createQueryCounter,
  dan,
  eve,
  failure,
  readAll,
  say,
} from '../../support/people.ts'
import { replaceLaunch } from '../../support/replace-launch.ts'

type Said = Static<typeof Comment>
type List = Static<typeof CommentList>

const market = await createPeopleApp(t)
const { app, db, read, send } = market
const UNKNOWN = `0x${'9'.repeat(40)}`
const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
const textsOf = (items: Said[]) => items.map(({ text }) => text)
const countOf = async (token: string) => (await read<Static<typeof Token>>(`/tokens/${token}`)).body.data.commentCount

t.test('a comment is public, unchanged and counted', async (t) => {
  const token = tokenAddress(1)
  const text = 'Back on the slipway 🐈‍⬛\nSee https://hcat.example.org?a=1&b=<2>'
  const { status, body } = await send<Said>('POST', `/api/tokens/${token}/comments`, { text }, ann)
  t.equal(status, 200)
  const { id, createdAt, ...rest } = body.data
  t.match(id, /^[1-9][0-9]*$/)
  t.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
  const said = {
    token,
    author: { wallet: ann, username: null, avatarUrl: null },
    text,
    parentId: null,
    likeCount: 0,
    replyCount: 0,
    hidden: false,
    removed: false,
  }
  t.same(rest, { ...said, likedByMe: false })
  const { data } = (await read<List>(`/tokens/${token}/comments`)).body
  t.same(data, { items: [{ id, createdAt, ...said, likedByMe: null }], nextCursor: null })
  t.equal(await countOf(token), 1)
})

t.test('text is normalized: composed, with plain line breaks, trimmed', async (t) => {
  const { text } = await say(market, ann, tokenAddress(4), '  one\r\ntwo\rCafe\u0301\t!\n ')
  t.equal(text, 'one\ntwo\nCaf\u00e9\t!')
})

t.test('a text has at most 500 graphemes', async (t) => {
  const family = '👨‍👩‍👧‍👦'
  t.equal((await say(market, ann, tokenAddress(4), family.repeat(500))).text, family.repeat(500))
  for (const text of [family.repeat(501), 'x'.repeat(501)])
    t.same(
      await send('POST', `/tokens/${tokenAddress(4)}/comments`, { text }, ann),
      failure(400, 'body.text must have at most 500 characters'),
    )
  t.equal((await say(market, ann, tokenAddress(4), `${' '.repeat(9)}${'x'.repeat(500)}`)).text, 'x'.repeat(500))
})

const controls = 'must not contain control characters or bidirectional overrides'
const refused: [payload: unknown, error: string][] = [
  [{ text: '' }, 'body.text must have at least 1 character'],
  [{ text: ' \n ' }, 'body.text must contain visible text'],
  [{ text: '\u200b\u3164\u2800' }, 'body.text must contain visible text'],
  [{ text: 'a\u0000b' }, `body.text ${controls}`],
  [{ text: 'a\u001b[31m' }, `body.text ${controls}`],
  [{ text: 'a\u0085b' }, `body.text ${controls}`],
  [{ text: 'pay \u202e0001 to' }, `body.text ${controls}`],
  [{ text: '\u2067abc' }, `body.text ${controls}`],
  [{ text: 'a\ud800b' }, 'body.text must be well-formed Unicode'],
  [{ text: `z${'\u0300'.repeat(40)}` }, 'body.text must not stack marks'],
  [{ text: 'x'.repeat(5001) }, 'body.text must have at most 500 characters'],
  [{ text: `👨${'\u200d👨'.repeat(9000)}` }, 'body.text must have at most 500 characters'],
  [{ text: 5 }, 'body.text must be a string'],
  [{}, 'body.text is required'],
  [{ text: 'a', parentId: 12 }, 'body.parentId must be a string'],
  [{ text: 'a', parentId: '0' }, 'body.parentId is not an id'],
  [{ text: 'a', author: bob }, 'body.author is not a known field'],
]
for (const [payload, error] of refused) {
  t.test(`a comment ${JSON.stringify(payload).slice(0, 40)} is rejected`, async (t) => {
    t.same(await send('POST', `/tokens/${tokenAddress(4)}/comments`, payload, ann), failure(400, error))
  })
}

t.test('a reply joins the thread, and so does a reply to a reply', async (t) => {
  const token = tokenAddress(2)
  const root = await say(market, ann, token, 'root')
  const other = await say(market, bob, token, 'other root')
  const reply = await say(market, bob, token, 'reply', root.id)
  const deeper = await say(market, eve, token, 'deeper', reply.id)
  t.equal(reply.parentId, root.id)
  t.equal(deeper.parentId, root.id, 'there is one level')
  const list = async (query = '') => (await read<List>(`/tokens/${token}/comments${query}`)).body.data.items
  t.same(textsOf(await list()), ['deeper', 'reply', 'other root', 'root'])
  t.same(textsOf(await list('?parentId=none')), ['other root', 'root'])
  t.same(textsOf(await list(`?parentId=${root.id}`)), ['deeper', 'reply'])
  t.same(await list(`?parentId=${other.id}`), [])
  const counts = Object.fromEntries((await list()).map(({ text, replyCount }) => [text, replyCount]))
  t.same(counts, { root: 2, 'other root': 0, reply: 0, deeper: 0 })
  t.equal(await countOf(token), 4)
  const elsewhere = await read<List>(`/tokens/${tokenAddress(3)}/comments?parentId=${root.id}`)
  t.same(elsewhere.body.data.items, [], 'a thread of another token')
})

t.test('the parent comment must exist on the same token', async (t) => {
  const { id } = await say(market, ann, tokenAddress(5), 'here')
  const url = `/tokens/${tokenAddress(6)}/comments`
  t.same(await send('POST', url, { text: 'x', parentId: id }, bob), failure(404, `Comment ${id} not found`))
  t.same(await send('POST', url, { text: 'x', parentId: '99999' }, bob), failure(404, 'Comment 99999 not found'))
  t.equal(await countOf(tokenAddress(6)), 0, 'nothing is left of what was refused')
})

t.test('comments of an unknown token are 404', async (t) => {
  const missing = failure(404, `Token ${UNKNOWN} not found`)
  t.same(await read(`/tokens/${UNKNOWN}/comments`), missing)
  t.same(await send('POST', `/tokens/${UNKNOWN}/comments`, { text: 'x' }, ann), missing)
  t.same(await send('POST', `/tokens/${UNKNOWN}/like`, undefined, ann), missing)
  t.same(await send('DELETE', `/tokens/${UNKNOWN}/like`, undefined, ann), missing)
})

t.test('the list continues by cursor, with each comment once, unaffected by new comments', async (t) => {
  const token = tokenAddress(8)
  for (let n = 1; n <= 5; n++) await say(market, ann, token, `n${n}`)
  const first = (await read<List>(`/tokens/${token}/comments?limit=2`)).body.data
  await say(market, ann, token, 'late')
  const rest = (await read<List>(`/tokens/${token}/comments?cursor=${first.nextCursor}`)).body.data
  t.same(textsOf([...first.items, ...rest.items]), ['n5', 'n4', 'n3', 'n2', 'n1'])
  t.same(textsOf(await readAll<Said>(market, `/api/tokens/${token}/comments?limit=2`)), [
    'late',
    'n5',
    'n4',
    'n3',
    'n2',
    'n1',
  ])
  const foreign = failure(400, 'query.cursor is not a cursor of this list')
  t.same(await read(`/tokens/${token}/comments?parentId=none&cursor=${first.nextCursor}`), foreign)
  t.same(await read(`/tokens/${token}/comments?limit=0`), failure(400, 'query.limit must be >= 1'))
  t.same(
    await read(`/tokens/${token}/comments?parentId=x`),
    failure(400, 'query.parentId must be the id of a comment, or none'),
  )
})

t.test('only its author can delete a comment, and replies stay', async (t) => {
  const token = tokenAddress(9)
  const root = await say(market, ann, token, 'regretted')
  const reply = await say(market, bob, token, 'still here', root.id)
  const url = `/comments/${root.id}`
  t.same(await send('DELETE', url, undefined, bob), failure(403, 'Only the owner may change this comment'))
  t.same(await send('DELETE', url, undefined, ann), {
    status: 200,
    body: { success: true, data: { id: root.id, deleted: true } },
  })
  t.same(await send('DELETE', `/api${url}`, undefined, ann), failure(404, `Comment ${root.id} not found`))
  t.same(textsOf((await read<List>(`/tokens/${token}/comments`)).body.data.items), ['still here', ''])
  t.same(textsOf((await read<List>(`/tokens/${token}/comments?parentId=${root.id}`)).body.data.items), ['still here'])
  t.equal(await countOf(token), 1)
  const stored = await db.selectFrom('comments').select('body').where('id', '=', Number(root.id)).executeTakeFirst()
  t.equal(stored?.body, '', 'the text itself is gone')
  await send('DELETE', `/comments/${reply.id}`, undefined, bob)
  t.equal(await countOf(token), 0)
  t.same(
    await send('POST', `/tokens/${token}/comments`, { text: 'x', parentId: root.id }, eve),
    failure(404, `Comment ${root.id} not found`),
  )
})

t.test('the author of a hidden comment can delete it, and to others it does not exist', async (t) => {
  const { id } = await say(market, ann, tokenAddress(9), 'hidden, then regretted')
  await send('POST', `/admin/comments/${id}/hide`, {}, ADMIN)
  t.same(await send('DELETE', `/comments/${id}`, undefined, bob), failure(404, `Comment ${id} not found`))
  t.equal((await send('DELETE', `/comments/${id}`, undefined, ann)).status, 200)
})

t.test('a removed comment stays as a placeholder without content while it has replies', async (t) => {
  const token = tokenAddress(13)
  const list = async (query = '', wallet?: string) =>
    (await read<List>(`/tokens/${token}/comments${query}`, wallet ? as(wallet) : {})).body.data.items
  const [deleted, alone, banned] = [
    await say(market, ann, token, 'deleted'),
    await say(market, ann, token, 'without an answer'),
    await say(market, dan, token, 'banned'),
  ]
  const hidden = await say(market, bob, token, 'hidden')
  await send('POST', `/comments/${deleted.id}/like`, undefined, eve)
  const replies = [deleted, banned, hidden].map(({ id }) => say(market, eve, token, `to ${id}`, id))
  const [toDeleted, toBanned, toHidden] = (await Promise.all(replies)) as [Said, Said, Said]
  for (const { id } of [deleted, alone]) t.equal((await send('DELETE', `/comments/${id}`, undefined, ann)).status, 200)
  t.equal((await send('POST', `/admin/comments/${hidden.id}/hide`, {}, ADMIN)).status, 200)
  t.equal((await send('POST', `/admin/wallets/${dan}/ban`, {}, ADMIN)).status, 200)

  const place = ({ id, createdAt }: Said) => ({
    ...{ id, token, author: null, text: '', parentId: null, likeCount: 0, replyCount: 1, likedByMe: null },
    ...{ createdAt, hidden: false, removed: true },
  })
  const places = [hidden, banned, deleted].map(place)
  t.strictSame(await list('?parentId=none'), places, 'of one without replies nothing is left')
  t.strictSame(
    (await list('', eve)).slice(-3),
    places.map((one) => ({ ...one, likedByMe: false })),
  )
  t.strictSame(await readAll<Said>(market, `/tokens/${token}/comments?limit=1`), await list())
  t.match(await list(`?parentId=${deleted.id}`), [{ id: toDeleted.id, parentId: deleted.id, removed: false }])
  t.equal(await countOf(token), 3, 'what is counted can be read')
  for (const [method, url, payload] of [
    ['POST', `/tokens/${token}/comments`, { text: 'x', parentId: deleted.id }],
    ['POST', `/comments/${deleted.id}/like`, undefined],
    ['POST', `/comments/${deleted.id}/report`, { reason: 'spam' }],
  ] as const)
    t.same(await send(method, url, payload, bob), failure(404, `Comment ${deleted.id} not found`))

  const deeper = await say(market, bob, token, 'the talk goes on', toDeleted.id)
  t.equal(deeper.parentId, deleted.id)
  t.match((await list('?parentId=none')).at(-1), { id: deleted.id, replyCount: 2 })
  for (const [id, wallet] of [
    [toDeleted.id, eve],
    [deeper.id, bob],
    [toBanned.id, eve],
  ] as const)
    await send('DELETE', `/comments/${id}`, undefined, wallet)
  t.strictSame(await list('?parentId=none'), [place(hidden)], 'with its last reply a place is gone')
  await send('POST', `/admin/wallets/${dan}/unban`, {}, ADMIN)
  await send('POST', `/admin/comments/${hidden.id}/unhide`, {}, ADMIN)
  t.match(await list('?parentId=none'), [
    { id: hidden.id, text: 'hidden', author: { wallet: bob }, removed: false },
    { id: banned.id, text: 'banned', author: { wallet: dan }, removed: false },
  ])
  t.equal(toHidden.parentId, hidden.id)
})

t.test('a comment that is sent twice is stored once and notifies once', async (t) => {
  const [token, other] = [tokenAddress(14), tokenAddress(16)]
  const post = (payload: object, wallet = ann, of = token) =>
    send<Said>('POST', `/tokens/${of}/comments`, payload, wallet)
  const sentBefore = (await listLiveEvents(db, { after: 0, limit: 1_000 })).length
  const clicks = await Promise.all(Array.from({ length: 12 }, () => post({ text: 'Ahoy' })))
  const [first] = clicks as [(typeof clicks)[0]]
  t.equal(first.status, 200)
  for (const answer of clicks) t.same(answer, first, 'each is answered alike')
  t.same(await post({ text: '  Ahoy\r\n' }), first, 'in whatever form it comes')
  const sent = (await listLiveEvents(db, { after: 0, limit: 1_000 })).slice(sentBefore)
  t.same(sent.map(({ type }) => type).sort(), ['comment', 'notification'])
  t.equal(await countOf(token), 1)

  const root = first.body.data.id
  const replies = await Promise.all([1, 2, 3].map(() => post({ text: 'Ahoy', parentId: root }, bob)))
  t.equal(new Set(replies.map(({ body }) => body.data.id)).size, 1)
  const others = [
    await post({ text: 'Ahoy!' }),
    await post({ text: 'Ahoy' }, bob),
    await post({ text: 'Ahoy', parentId: root }),
    await post({ text: 'Ahoy' }, ann, other),
  ]
  t.equal(new Set([...others, first, ...replies].map(({ body }) => body.data.id)).size, 6, 'all else is another')

  await send('DELETE', `/comments/${root}`, undefined, ann)
  const again = await post({ text: 'Ahoy' })
  t.not(again.body.data.id, root, 'what was taken back may be said again')
  await sql`update comments set created_at = created_at - interval '61 seconds' where id = ${again.body.data.id}`.execute(
    db,
  )
  t.not((await post({ text: 'Ahoy' })).body.data.id, again.body.data.id, 'and what was said a while ago')
})

t.test('a first comment that is sent twice is stored once', async (t) => {
  const stranger = walletAddress(77)
  const post = () => send<Said>('POST', `/api/tokens/${tokenAddress(17)}/comments`, { text: 'First!' }, stranger)
  const ids = (await Promise.all([1, 2, 3, 4].map(post))).map(({ body }) => body.data.id)
  t.equal(new Set(ids).size, 1)
  t.equal(await countOf(tokenAddress(17)), 1)
})

t.test('a wallet likes a comment once, and can unlike it', async (t) => {
  const token = tokenAddress(10)
  const { id } = await say(market, ann, token, 'like me')
  const url = `/comments/${id}/like`
  const first = await send<Static<typeof Like>>('POST', url, undefined, bob)
  t.equal(first.status, 200)
  t.match(first.body.data, { actor: bob, target: id, likeCount: 1, createdAt: /^\d{4}-.*Z$/ })
  t.same(await send('POST', `/api${url}`, undefined, bob), first, 'again changes nothing')
  await send('POST', url, undefined, eve)
  const seenBy = async (wallet?: string) =>
    (await read<List>(`/tokens/${token}/comments`, wallet ? as(wallet) : {})).body.data.items[0]
  t.match(await seenBy(), { likeCount: 2, likedByMe: null })
  t.match(await seenBy(bob), { likeCount: 2, likedByMe: true })
  t.match(await seenBy(dan), { likeCount: 2, likedByMe: false })
  const back = { actor: bob, target: id, createdAt: null, likeCount: 1 }
  t.same((await send('DELETE', url, undefined, bob)).body.data, back)
  t.same((await send('DELETE', `/api${url}`, undefined, bob)).body.data, back, 'again changes nothing')
  t.match(await seenBy(bob), { likeCount: 1, likedByMe: false })
  for (const method of ['POST', 'DELETE'] as const) {
    t.same(await send(method, '/comments/99999/like', undefined, bob), failure(404, 'Comment 99999 not found'))
    t.same(await send(method, '/comments/x/like', undefined, bob), failure(400, 'path.id is not an id'))
  }
})

t.test('a wallet likes a token once; its record has the count and the reader’s own like', async (t) => {
  const token = tokenAddress(11)
  const url = `/tokens/${token}/like`
  const first = await send<Static<typeof Like>>('POST', url, undefined, bob)
  t.match(first.body.data, { actor: bob, target: token, likeCount: 1, createdAt: /Z$/ })
  t.same(await send('POST', `/api${url}`, undefined, bob), first)
  await send('POST', url, undefined, eve)
  const seenBy = async (wallet?: string) =>
    (await read<Static<typeof Token>>(`/tokens/${token}`, wallet ? as(wallet) : {})).body.data
  t.match(await seenBy(), { likeCount: 2, likedByMe: null })
  t.match(await seenBy(bob), { likeCount: 2, likedByMe: true })
  t.match(await seenBy(dan), { likeCount: 2, likedByMe: false })
  const listed = await read<{ items: Static<typeof Token>[] }>('/tokens?sort=newest&limit=100', as(bob))
  t.same(
    listed.body.data.items.filter(({ likedByMe }) => likedByMe).map(({ address }) => address),
    [token],
  )
  t.same((await send('DELETE', url, undefined, bob)).body.data, {
    actor: bob,
    target: token,
    createdAt: null,
    likeCount: 1,
  })
  t.match(await seenBy(bob), { likeCount: 1, likedByMe: false })
})

t.test('a wallet reports a comment once', async (t) => {
  const { id } = await say(market, ann, tokenAddress(12), 'free coins here')
  const url = `/comments/${id}/report`
  const { status, body } = await send<{ id: string }>('POST', url, { reason: 'scam', note: 'Seed phrases.' }, bob)
  t.equal(status, 200)
  t.match(body.data, { id: /^[1-9][0-9]*$/, status: 'open' })
  t.same(await send('POST', `/api${url}`, { reason: 'spam' }, bob), failure(409, 'Your report already exists'))
  t.equal((await send('POST', url, { reason: 'other', note: null }, eve)).status, 200)
  const reasons = 'body.reason must be one of spam, scam, abuse, illegal, other'
  t.same(await send('POST', url, { reason: 'ugly' }, dan), failure(400, reasons))
  t.same(await send('POST', url, {}, dan), failure(400, 'body.reason is required'))
  t.same(
    await send('POST', url, { reason: 'spam', note: ' ' }, dan),
    failure(400, 'body.note must contain visible text'),
  )
  t.same(await send('POST', '/comments/99999/report', { reason: 'spam' }, dan), failure(404, 'Comment 99999 not found'))
})

t.test('a page of comments or tokens costs as many queries as one', async (t) => {
  const count = await createQueryCounter(t, market)
  const [comments, tokens] = [`/tokens/${tokenAddress(8)}/comments`, '/tokens']
  for (const url of [comments, tokens]) {
    for (const wallet of [undefined, bob]) {
      const [one, many] = [await count(`${url}?limit=1`, wallet), await count(`${url}?limit=5`, wallet)]
      t.equal(one.items, 1)
      t.equal(many.items, 5)
      t.equal(many.queries, one.queries, url)
    }
  }
  t.equal((await count(comments, bob)).queries, 2)
  t.equal((await count(tokens, bob)).queries, 3)
})

t.test('comments and likes are hidden when another launch has the address', async (t) => {
  const token = tokenAddress(15)
  const { id } = await say(market, ann, token, 'of the first launch')
  await send('POST', `/comments/${id}/like`, undefined, bob)
  await send('POST', `/tokens/${token}/like`, undefined, bob)
  t.equal(await countOf(token), 1)
  await replaceLaunch(db, token, ['comments', 'comment_likes', 'token_counts', 'token_likes'])
  t.match((await read(`/tokens/${token}`, as(bob))).body.data, { commentCount: 0, likeCount: 0, likedByMe: false })
  t.strictSame((await read<List>(`/tokens/${token}/comments`)).body.data.items, [])
})
