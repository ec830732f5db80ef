import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { Notification, NotificationList, ReadResult } from '../../../schemas/social.ts'
import type { Answer } from '../../support/client.ts'
import { creatorOf, tokenAddress, walletAddress } from '../../support/market-simulation.ts'
import { ADMIN, ann, bob, createPeopleApp, createQueryCounter, dan, eve, failure, say } from '../../support/people.ts'

type Item = Static<typeof Notification>
type List = Static<typeof NotificationList>

const market = await createPeopleApp(t)
const { app, db, read, send, tokens } = market
const [token, creator] = [tokenAddress(1), creatorOf(1)]
const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
const inbox = async (wallet: string, query = ''): Promise<List> =>
  (await read<List>(`/notifications${query}`, as(wallet))).body.data
const received = async (wallet: string) =>
  (await inbox(wallet)).items.map(({ type, actor, subject }) => [type, actor?.wallet, subject])
const markRead = (wallet: string, payload: unknown): Promise<Answer<Static<typeof ReadResult>>> =>
  send('POST', '/notifications/read', payload, wallet)
const clear = () => db.deleteFrom('notifications').execute()

t.test('the creator is notified of comments on the token and of its likes', async (t) => {
  const { id } = await say(market, bob, token, 'Nice cat')
  await send('POST', `/tokens/${token}/like`, undefined, bob)
  await send('PATCH', '/profiles/me', { username: 'bobby' }, bob)
  const { items, unreadCount, nextCursor } = await inbox(creator)
  t.equal(unreadCount, 2)
  t.equal(nextCursor, null)
  const about = { address: token, name: tokens[1]?.name, symbol: tokens[1]?.symbol, imageUrl: null, decimals: 18 }
  const actor = { wallet: bob, username: 'bobby', avatarUrl: null }
  const bare = items.map(({ id: _, createdAt, ...rest }) => {
    t.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
    return rest
  })
  t.same(bare, [
    { type: 'token_like', actor, subject: token, token: about, payload: {}, readAt: null },
    { type: 'comment', actor, subject: id, token: about, payload: { text: 'Nice cat', parentId: null }, readAt: null },
  ])
  t.same(await inbox(bob), { items: [], nextCursor: null, unreadCount: 0 }, 'no other wallet is notified')
})

t.test('a reply notifies the author of its parent, and the creator as a comment', async (t) => {
  const root = await say(market, ann, token, 'root')
  await clear()
  const reply = await say(market, bob, token, 'reply', root.id)
  const deeper = await say(market, eve, token, 'deeper', reply.id)
  t.same(await received(ann), [['reply', bob, reply.id]])
  t.same(await received(bob), [['reply', eve, deeper.id]], 'the author of the parent, not of the thread')
  t.same(await received(creator), [
    ['comment', eve, deeper.id],
    ['comment', bob, reply.id],
  ])
  t.match((await inbox(bob)).items[0]?.payload, { text: 'deeper', parentId: root.id })
  await clear()
  const own = await say(market, creator, token, 'mine')
  await say(market, bob, token, 'to the creator', own.id)
  t.same(
    (await received(creator)).map(([type]) => type),
    ['reply'],
    'notified once, of the reply',
  )
})

t.test('a wallet is not notified of its own actions', async (t) => {
  await clear()
  const own = await say(market, creator, token, 'mine')
  await say(market, creator, token, 'mine again', own.id)
  await send('POST', `/comments/${own.id}/like`, undefined, creator)
  await send('POST', `/tokens/${token}/like`, undefined, creator)
  t.same(await received(creator), [])
})

t.test('repeated likes and follows notify once, and not at all if undone before they are read', async (t) => {
  const { id } = await say(market, ann, token, 'like me')
  const acts: [type: string, url: string, subject: string][] = [
    ['comment_like', `/comments/${id}/like`, id],
    ['follow', `/follows/${ann}`, ann],
  ]
  for (const [type, url, subject] of acts) {
    await clear()
    await send('POST', url, undefined, dan)
    t.same(await received(ann), [[type, dan, subject]])
    await send('DELETE', url, undefined, dan)
    t.same(await received(ann), [])
    for (let turn = 0; turn < 3; turn++) {
      await send('POST', url, undefined, dan)
      await markRead(ann, { all: true })
      await send('DELETE', url, undefined, dan)
    }
    await send('POST', url, undefined, dan)
    t.same(await received(ann), [[type, dan, subject]])
    t.equal((await inbox(ann)).unreadCount, 0)
  }
})

t.test('notifications of a comment are deleted with it', async (t) => {
  await clear()
  const { id } = await say(market, bob, token, 'gone soon')
  await say(market, bob, token, 'stays')
  t.equal((await inbox(creator)).unreadCount, 2)
  await send('DELETE', `/comments/${id}`, undefined, bob)
  t.match(await inbox(creator), { unreadCount: 1, items: [{ payload: { text: 'stays' } }] })
})

t.test('notifications are marked as read by id or all together, for their own wallet only', async (t) => {
  await clear()
  for (const text of ['one', 'two', 'three']) await say(market, bob, token, text)
  const { items } = await inbox(creator)
  const [third, second] = items as [Item, Item]
  t.same((await markRead(eve, { ids: [third.id] })).body.data, { read: 0, unreadCount: 0 }, 'not another’s')
  t.equal((await inbox(creator)).unreadCount, 3)
  t.same((await markRead(creator, { ids: [third.id, '99999'] })).body.data, { read: 1, unreadCount: 2 })
  t.same((await markRead(creator, { ids: [third.id] })).body.data, { read: 0, unreadCount: 2 })
  t.match((await inbox(creator)).items[0], { id: third.id, readAt: /Z$/ })
  for (const query of ['?unread', '?unread=true', '?unread=1'])
    t.equal((await inbox(creator, query)).items[0]?.id, second.id, query)
  for (const query of ['', '?unread=false', '?unread=0']) t.equal((await inbox(creator, query)).items.length, 3, query)
  t.same((await markRead(creator, { all: true })).body.data, { read: 2, unreadCount: 0 })
  t.same((await inbox(creator, '?unread')).items, [])
})

t.test('the list continues by cursor', async (t) => {
  const first = await inbox(creator, '?limit=2')
  const rest = await inbox(creator, `?limit=2&cursor=${first.nextCursor}`)
  t.same([...first.items, ...rest.items], (await inbox(creator)).items)
  t.equal(rest.nextCursor, null)
  const foreign = failure(400, 'query.cursor is not a cursor of this list')
  t.same(await read(`/notifications?unread&cursor=${first.nextCursor}`, as(creator)), foreign)
})

t.test('a ban hides notifications of off-chain actions, not of on-chain actions', async (t) => {
  await clear()
  const row = { recipient: ann, actor: eve, subject: ann, payload: '{}' }
  const funded = { ...row, type: 'reward_funded', subject: 'pool-1', block_number: 5, log_index: 1 }
  const others = { ...row, actor: bob, type: 'follow' }
  await db
    .insertInto('notifications')
    .values([{ ...row, type: 'follow' }, funded, others])
    .execute()
  const all = [
    ['follow', bob, ann],
    ['reward_funded', eve, 'pool-1'],
    ['follow', eve, ann],
  ]
  t.same(await received(ann), all)
  t.equal((await send('POST', `/admin/wallets/${eve}/ban`, {}, ADMIN)).status, 200)
  t.same(await received(ann), all.slice(0, 2))
  t.equal((await inbox(ann)).unreadCount, 2)
  await send('POST', `/admin/wallets/${eve}/unban`, {}, ADMIN)
  t.same(await received(ann), all)
  t.equal((await inbox(ann)).unreadCount, 3)
})

t.test('an invalid request is rejected', async (t) => {
  const either = 'body must have either ids or all'
  const refused: [payload: unknown, error: string][] = [
    [{}, 'body must have at least 1 field'],
    [{ ids: ['1'], all: true }, either],
    [{ ids: [] }, 'body.ids must have at least 1 item'],
    [{ ids: ['x'] }, 'body.ids.0 is not an id'],
    [{ ids: Array.from({ length: 101 }, () => '1') }, 'body.ids must have at most 100 items'],
    [{ all: false }, 'body.all must be true'],
  ]
  for (const [payload, error] of refused) t.same(await markRead(ann, payload), failure(400, error))
  t.same(
    await read('/notifications?unread=maybe', as(ann)),
    failure(400, 'query.unread must be one of true, 1, false, 0'),
  )
})

t.test('a page is two queries, and the count is capped at a thousand', async (t) => {
  const row = { recipient: dan, type: 'follow', actor: null, subject: dan, payload: '{}' }
  await db
    .insertInto('notifications')
    .values(Array.from({ length: 1_100 }, () => row))
    .execute()
  const count = await createQueryCounter(t, market)
  for (const limit of [1, 50]) t.same(await count(`/notifications?limit=${limit}`, dan), { items: limit, queries: 2 })
  t.equal((await inbox(dan)).unreadCount, 1_000)
  t.equal((await inbox(walletAddress(77))).unreadCount, 0)
})
