import { createHmac } from 'node:crypto'
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify from 'fastify'
import t from 'tap'
import { WebSocket } from 'ws'
import { AppError } from '../../../errors.ts'
import { createMemoryCache } from '../../../lib/cache/cache-memory.ts'
import { liveEvents } from '../../../schemas/social.ts'
import { testConfig } from '../../support/app.ts'
import { createSocketApp } from '../../support/sockets.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

const [ann, bob] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`] as const
const SECRET = 'the-secret-that-signs-the-tokens-here'
const room = `wallet:${ann}`
const notification = liveEvents.notification.data.examples[0]

const lines: string[] = []
const log = Fastify({
  logger: {
    level: 'trace',
    stream: new Writable({
      write: (line, _encoding, done) => {
        lines.push(String(line))
        done()
      },
    }),
  },
}).log
const memory = createMemoryCache()
let cacheIsDown = false
const cache = {
  ...memory,
  get: async (key: string) => {
    if (cacheIsDown) throw new AppError('CACHE_UNAVAILABLE')
    return memory.get(key)
  },
}
const config = testConfig({
  JWT_KEYS: `key:${SECRET}`,
  PUBLIC_URL: 'https://launch.example',
  SOCKET_ORIGINS: 'https://launch.example,https://other.example',
  SOCKET_PING_MS: '1000',
  RATE_LIMITS: 'off',
})
const live = await createSocketApp(t, {}, { config, cache, log })
const { app, events } = live

/** A token that ends when the test says. */
function issueUntil(exp: number, sub: string = ann): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const { issuer: iss, audience: aud } = config.jwt
  const claims = { sub, jti: `until-${exp}`, iat: exp - 60, exp, iss, aud }
  const head = `${encode({ alg: 'HS256', typ: 'JWT', kid: 'key' })}.${encode(claims)}`
  return `${head}.${createHmac('sha256', SECRET).update(head).digest('base64url')}`
}

const refusal = (message: string, about = room) => ({ type: 'error', code: 'UNAUTHORIZED', message, room: about })

t.test('the channel of a wallet requires a token of that wallet', async (t) => {
  const client = await live.connect()
  const subscribe = (token?: string, name = room) =>
    client.ask({ type: 'subscribe', room: name, ...(token && { token }) })
  t.same(await subscribe(), refusal('This room needs a token of its wallet'))
  t.same(await subscribe(app.issueToken(bob)), refusal('The token is another wallet’s'))
  t.same(await subscribe('a.b.c'), refusal('Invalid or expired token'))
  t.same(await subscribe(issueUntil(Math.floor(Date.now() / 1000) - 1)), refusal('Invalid or expired token'))
  events.emit([room], 'notification', notification)
  t.same(await client.untilPong(), [], 'none of them let it in')
  t.match(await subscribe(app.issueToken(ann), `wallet:${ann.toUpperCase().replace('0X', '0x')}`), {
    type: 'subscribed',
    room,
  })
  events.emit([`wallet:${bob}`], 'notification', notification)
  const seq = events.emit([room], 'notification', notification)
  t.same(await client.untilPong(), [{ type: 'notification', room, seq, data: notification }])
  t.match(await subscribe(app.issueToken(bob), `wallet:${bob}`), { type: 'subscribed' }, 'one socket, two wallets')
  t.same(client.problems, [])
})

t.test(
  'a token of the handshake is the default, from header or query, and an invalid one allows public channels',
  async (t) => {
    const token = app.issueToken(ann)
    const headers = { authorization: `Bearer ${token}` }
    for (const client of [await live.connect('/ws', { headers }), await live.connect(`/api/ws?token=${token}`)]) {
      t.match(await client.ask({ type: 'subscribe', room }), { type: 'subscribed' })
      t.same(
        await client.ask({ type: 'subscribe', room: `wallet:${bob}` }),
        refusal('The token is another wallet’s', `wallet:${bob}`),
      )
      t.match(await client.ask({ type: 'subscribe', room: `wallet:${bob}`, token: app.issueToken(bob) }), {
        type: 'subscribed',
      })
    }
    const stale = await live.connect('/ws?token=stale')
    t.match(await stale.ask({ type: 'subscribe', room: 'trades' }), { type: 'subscribed' })
    t.same(await stale.ask({ type: 'subscribe', room }), refusal('Invalid or expired token'))
    await fetch(`http://${live.host}/ws?token=${token}`)
    const isLogged = async () => lines.some((line) => line.includes('"path":"/ws"'))
    await waitUntil('the handshake is logged', isLogged)
    t.notOk(
      lines.some((line) => line.includes(token)),
      'its token is not',
    )
  },
)

t.test('a subscription ends when its token expires', async (t) => {
  const client = await live.connect()
  await client.ask({ type: 'subscribe', room: 'trades' })
  let exp = 0
  // On a busy machine the token may be over before it is looked at.
  for (let type: unknown; type !== 'subscribed'; ) {
    exp = Math.floor(Date.now() / 1000) + 2
    type = (await client.ask({ type: 'subscribe', room, token: issueUntil(exp) })).type
  }
  const lost = await client.next()
  t.match(lost, { type: 'error', code: 'UNAUTHORIZED', room, id: undefined })
  // A timer of Node may be a millisecond early.
  t.ok(Date.now() >= exp * 1000 - 1, 'not before')
  events.emit([room, 'trades'], 'notification', notification)
  t.same(
    (await client.untilPong()).map(({ room }) => room),
    ['trades'],
    'and in no other room',
  )
})

t.test('a newer token extends the subscription', async (t) => {
  const client = await live.connect()
  let exp = 0
  for (let type: unknown; type !== 'subscribed'; ) {
    exp = Math.floor(Date.now() / 1000) + 2
    // Both at once, so that the first does not end before the second is there.
    client.send({ type: 'subscribe', room, token: issueUntil(exp) })
    client.send({ type: 'subscribe', room, token: app.issueToken(ann) })
    type = (await client.take(2))[0]?.type
  }
  await pause(exp * 1000 + 100 - Date.now())
  await client.untilPong()
  events.emit([room], 'notification', notification)
  t.match(await client.next(), { type: 'notification' })
})

t.test('a subscription ends when another token is rejected for it', async (t) => {
  const client = await live.connect()
  await client.ask({ type: 'subscribe', room: 'trades' })
  t.match(await client.ask({ type: 'subscribe', room, token: app.issueToken(ann) }), { type: 'subscribed' })
  t.match(await client.ask({ type: 'subscribe', room, token: app.issueToken(bob) }), { code: 'UNAUTHORIZED', room })
  events.emit([room, 'trades'], 'notification', notification)
  t.same(
    (await client.untilPong()).map(({ room }) => room),
    ['trades'],
    'a client that has changed accounts receives nothing of the former one',
  )
})

t.test('logging out ends the token’s subscriptions, at once here and at the next heartbeat elsewhere', async (t) => {
  const [client, other] = [await live.connect(), await live.connect()]
  const [token, kept] = [app.issueToken(ann), app.issueToken(ann)]
  await other.ask({ type: 'subscribe', room, token: kept })
  t.match(await client.ask({ type: 'subscribe', room, token }), { type: 'subscribed' })
  await app.revokeToken(await app.readToken(token))
  events.emit([room], 'notification', notification)
  t.match(await client.next(), { type: 'error', code: 'UNAUTHORIZED', room })
  t.match(await other.next(), { type: 'notification' })
  t.same(await client.untilPong(), [])

  const second = app.issueToken(ann)
  const { jti } = await app.readToken(second)
  t.match(await client.ask({ type: 'subscribe', room, token: second }), { type: 'subscribed' })
  await cache.set(`revoked:${jti}`, '1', 60)
  t.match(await client.next(), { type: 'error', code: 'UNAUTHORIZED', room }, 'another replica revoked it')
  events.emit([room], 'notification', notification)
  t.match(await other.next(), { type: 'notification' })
})

t.test('a banned wallet still receives its own events', async (t) => {
  await app.bannedWallets.set(bob, true)
  const client = await live.connect()
  t.match(await client.ask({ type: 'subscribe', room: `wallet:${bob}`, token: app.issueToken(bob) }), {
    type: 'subscribed',
  })
})

t.test('while the cache is down, new subscriptions to wallets fail and existing ones stay', async (t) => {
  const client = await live.connect()
  const token = app.issueToken(ann)
  await client.ask({ type: 'subscribe', room, token })
  cacheIsDown = true
  t.teardown(() => {
    cacheIsDown = false
  })
  const late = await live.connect()
  t.match(await late.ask({ type: 'subscribe', room, token, id: 1 }), {
    type: 'error',
    code: 'UNAVAILABLE',
    id: 1,
    room,
  })
  t.match(await late.ask({ type: 'subscribe', room: 'trades' }), { type: 'subscribed' })
  const pings = Promise.withResolvers<void>()
  let count = 0
  client.ws.on('ping', () => ++count === 2 && pings.resolve())
  await pings.promise
  events.emit([room], 'notification', notification)
  t.match(await client.next(), { type: 'notification' }, 'heartbeats have passed')
  t.same([...client.problems, ...late.problems], [])
})

t.test('other origins are rejected; listed origins and clients without an origin are accepted', async (t) => {
  for (const origin of ['https://evil.example', 'null', 'https://launch.example.evil.example', '']) {
    const ws = new WebSocket(`ws://${live.host}/ws`, { headers: { origin } })
    const { promise, resolve } = Promise.withResolvers<{ status: number; body: string }>()
    ws.on('unexpected-response', async (_request, response) => {
      const body = (await response.toArray()).join('')
      resolve({ status: response.statusCode ?? 0, body })
    })
    ws.on('error', () => {})
    const { status, body } = await promise
    t.equal(status, 403, origin)
    t.same(JSON.parse(body), { success: false, data: null, error: 'Pages of this origin may not open sockets here' })
  }
  for (const origin of config.sockets.origins) await live.connect('/ws', { origin })
  await live.connect()
})
