import type { KyselyPlugin } from 'kysely'
import t from 'tap'
import { DATA_CHANGED, listEvents, replayChannel } from '../../../db/queries/outbox.ts'
import type { LiveEvent } from '../../../features/live/live-event.ts'
import { enqueueRemovalsOf } from '../../../routes/social/enqueue-events.ts'
import { checkEvents } from '../../support/check-events.ts'
import { tokenAddress, walletAddress } from '../../support/market-simulation.ts'
import { ADMIN, ann, bob, createPeopleApp, dan, eve, say } from '../../support/people.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

const market = await createPeopleApp(t)
const { app, db, send, tokens } = market

const delivered: LiveEvent[] = []
app.live.subscribe((event) => void delivered.push(event))

/** The events since the last call, after the bus has delivered all of them. */
let seen = 0
async function takeEvents() {
  const events = await listEvents(db, { after: seen, limit: 100 })
  seen = events.at(-1)?.seq ?? seen
  await waitUntil('they are delivered', async () => app.live.head >= seen)
  const live = events.filter(({ type }) => type !== DATA_CHANGED)
  t.same(delivered.splice(0), live)
  return live.map(({ type, rooms, data }) => [type, rooms, data])
}

/** The data of a GET, as the text that it is served as. */
async function read(url: string, wallet?: string) {
  const headers = wallet ? { authorization: `Bearer ${app.issueToken(wallet)}` } : {}
  const { body } = await app.inject({ url, headers })
  return body.slice('{"success":true,"data":'.length, -1)
}
/** A token as lists and events have it. The risk of the launch comes last. */
const withoutRisk = (record: string) => record.replace(/,"risk":.*/, '}')
const firstOf = async (url: string, wallet?: string) => JSON.stringify(JSON.parse(await read(url, wallet)).items[0])

/** The texts of the comments that a replay returns. */
async function replayTexts(since: number) {
  const { events } = await replayChannel(db, { channel: `token:${token}`, since, limit: 100 })
  return events.flatMap(({ type, data }) => (type === 'comment' ? [(JSON.parse(data) as { text: string }).text] : []))
}

/** The texts of the notifications that a replay returns to a wallet. */
async function replayNotices(wallet: string, since: number) {
  const { events } = await replayChannel(db, { channel: `wallet:${wallet}`, since, limit: 100 })
  return events.flatMap(({ data }) => (JSON.parse(data) as { payload: { text?: string } }).payload.text ?? [])
}

const [token, hiddenToken] = [tokenAddress(1), tokenAddress(7)]
const creator = tokens[1]!.creator

t.test('events of a comment and its notifications carry the same records as the API', async (t) => {
  const { id } = await say(market, ann, token, 'Back on the slipway 🐈 "quoted"')
  t.strictSame(await takeEvents(), [
    ['comment', [`token:${token}`, 'feed'], await firstOf(`/tokens/${token}/comments`)],
    ['notification', [`wallet:${creator}`], await firstOf('/notifications', creator)],
  ])
  await say(market, bob, token, 'A reply', id)
  const events = await takeEvents()
  t.strictSame(
    events.map(([type, rooms]) => [type, rooms]),
    [
      ['comment', [`token:${token}`, 'feed']],
      ['notification', [`wallet:${ann}`]],
      ['notification', [`wallet:${creator}`]],
    ],
  )
  t.equal(events[1]![2], await firstOf('/notifications', ann))
})

t.test('a comment on a hidden token is sent to the channel of that token only', async (t) => {
  await say(market, ann, hiddenToken, 'Still here')
  const [comment] = await takeEvents()
  t.strictSame(comment?.slice(0, 2), ['comment', [`token:${hiddenToken}`]])
})

t.test('a deleted or hidden comment is retracted', async (t) => {
  const start = seen
  const mine = await say(market, ann, token, 'one')
  const other = await say(market, bob, token, 'two')
  await takeEvents()
  await send('DELETE', `/comments/${mine.id}`, undefined, ann)
  await send('POST', `/admin/comments/${other.id}/hide`, {}, ADMIN)
  const removal = (id: string) => ['comment.removed', [`token:${token}`, 'feed'], JSON.stringify({ id, token })]
  t.strictSame(await takeEvents(), [removal(mine.id), removal(other.id)])
  t.strictSame(await replayTexts(start), [], 'no replay returns their texts')
})

t.test('the comments of a banned wallet are retracted', async (t) => {
  const start = seen
  const kept = await say(market, ann, token, 'mine')
  const root = await say(market, dan, token, 'three')
  const quiet = await say(market, dan, hiddenToken, 'four')
  const before = await replayTexts(start)
  await takeEvents()
  for (const repeated of [false, true]) {
    t.equal((await send('POST', `/admin/wallets/${dan}/ban`, {}, ADMIN)).status, 200)
    const sent = [
      ['comment.removed', [`token:${token}`, 'feed'], JSON.stringify({ id: root.id, token })],
      ['comment.removed', [`token:${hiddenToken}`], JSON.stringify({ id: quiet.id, token: hiddenToken })],
    ]
    t.strictSame(new Set(await takeEvents()), new Set(repeated ? [] : sent))
  }
  t.strictSame([before, await replayTexts(start)], [['mine', 'three'], [kept.text]])
  t.equal((await send('POST', `/admin/wallets/${dan}/unban`, {}, ADMIN)).status, 200)
  t.strictSame(await takeEvents(), [])
})

t.test('a ban takes as many statements for many comments as for one', async (t) => {
  let statements = 0
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements++
      return result
    },
  }
  const countStatements = async (texts: string[]) => {
    for (const text of texts) await say(market, eve, token, text)
    await takeEvents()
    statements = 0
    await app.transactionWithEvents((trx) => enqueueRemovalsOf(trx.withPlugin(counter), eve), [])
    const count = statements
    t.equal((await takeEvents()).length, texts.length)
    return count
  }
  t.equal(await countStatements(['1', '2', '3']), await countStatements(['4']))
})

t.test('no replay returns the text of a comment that is not public in notifications about it', async (t) => {
  const start = seen
  const told = async () => [
    await replayNotices(creator, start),
    await replayNotices(ann, start),
    await replayNotices(bob, start),
  ]
  const root = await say(market, ann, token, 'root')
  const reply = await say(market, bob, token, 'reply', root.id)
  await say(market, dan, token, 'answer', reply.id)
  await say(market, dan, token, 'of its own')
  await send('POST', `/comments/${root.id}/like`, undefined, bob)
  await send('POST', `/comments/${root.id}/like`, undefined, eve)
  await send('DELETE', `/comments/${root.id}/like`, undefined, eve)
  await takeEvents()
  t.strictSame(await told(), [['root', 'reply', 'answer', 'of its own'], ['reply', 'root', 'root'], ['answer']])
  await send('POST', `/admin/wallets/${dan}/ban`, {}, ADMIN)
  t.strictSame(await told(), [['root', 'reply'], ['reply', 'root', 'root'], []], 'of a banned wallet')
  await send('POST', `/admin/comments/${reply.id}/hide`, {}, ADMIN)
  t.strictSame(await told(), [['root'], ['root', 'root'], []], 'that is hidden')
  await send('DELETE', `/comments/${root.id}`, undefined, ann)
  t.strictSame(await told(), [[], [], []], 'that is deleted')
  await send('POST', `/admin/wallets/${dan}/unban`, {}, ADMIN)
  await takeEvents()
})

t.test('notifications that are marked as read are announced to their wallet once', async (t) => {
  await send('POST', `/follows/${bob}`, undefined, eve)
  await takeEvents()
  const markRead = () => send('POST', '/notifications/read', { all: true }, bob)
  const { data } = (await markRead()).body as { data: { read: number } }
  t.ok(data.read > 0)
  t.strictSame(await takeEvents(), [['notification.read', [`wallet:${bob}`], JSON.stringify(data)]])
  await markRead()
  t.strictSame(await takeEvents(), [], 'nothing was unread')
})

t.test('likes and follows notify their target once', async (t) => {
  const { id } = await say(market, ann, token, 'likeable')
  await takeEvents()
  for (const url of [`/tokens/${token}/like`, `/comments/${id}/like`, `/follows/${ann}`]) {
    const to = url.startsWith('/tokens') ? creator : ann
    t.equal((await send('POST', url, undefined, eve)).status, 200)
    t.strictSame(await takeEvents(), [['notification', [`wallet:${to}`], await firstOf('/notifications', to)]], url)
    t.equal((await send('POST', url, undefined, eve)).status, 200)
    t.strictSame(await takeEvents(), [], `${url} again`)
  }
})

t.test('a metadata change is sent to the channel of the token', async (t) => {
  t.equal((await send('PATCH', `/tokens/${token}`, { description: 'A cat' }, creator)).status, 200)
  t.strictSame(await takeEvents(), [['token.updated', [`token:${token}`], withoutRisk(await read(`/tokens/${token}`))]])
})

t.test('rejected requests cause no events', async (t) => {
  const { id } = await say(market, ann, token, 'mine')
  await takeEvents()
  t.equal((await send('DELETE', `/comments/${id}`, undefined, bob)).status, 403)
  t.equal((await send('POST', `/tokens/${walletAddress(1)}/comments`, { text: 'x' }, ann)).status, 404)
  t.equal((await send('POST', `/follows/${ann}`, undefined, ann)).status >= 400, true)
  t.equal((await send('POST', '/admin/comments/999999/hide', {}, ADMIN)).status, 404)
  t.strictSame(await takeEvents(), [])
})

t.test('events of comments and of read notifications match their schemas', async (t) => {
  await checkEvents(t, market, ['comment', 'comment.removed', 'notification.read'])
})
