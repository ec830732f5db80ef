import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { WebSocket } from 'ws'
import { liveEvents } from '../../../schemas/tokens.ts'
import { type Client, createSocketApp } from '../../support/sockets.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

const trade = liveEvents.trade.data.examples[0]

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Waits until a condition holds, which is its own name. */
const until = (holds: () => boolean) => waitUntil(String(holds), holds, { pauseMs: 5 })

/** Status, Retry-After and body of a handshake that must fail. */
async function refused(
  host: string,
): Promise<{ status: number | undefined; retryAfter: string | undefined; body: unknown }> {
  const ws = new WebSocket(`ws://${host}/ws`)
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof refused>>>()
  ws.on('unexpected-response', async (_request, response) => {
    const body = JSON.parse((await response.toArray()).join(''))
    resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'], body })
  })
  ws.on('open', () => reject(new Error('It was let in')))
  ws.on('error', () => {})
  return promise
}

t.test(
  'a socket may send 30 messages of any type in 10 s; further ones are rejected, and a flood closes the socket',
  async (t) => {
    const live = await createSocketApp(t, { RATE_LIMITS: 'on' })
    const client = await live.connect()
    for (let count = 0; count < 29; count++) client.send({ type: 'ping', id: count })
    client.send('nonsense')
    t.same(
      (await client.take(30)).map(({ type }) => type),
      [...Array.from({ length: 29 }, () => 'pong'), 'error'],
    )
    t.same(await client.ask({ type: 'subscribe', room: 'trades', id: 'late' }), {
      type: 'error',
      code: 'RATE_LIMITED',
      message: 'Too many messages from this socket; wait a few seconds',
      id: 'late',
    })
    live.events.emit(['trades'], 'trade', trade)
    t.match(await client.ask('{'), { code: 'RATE_LIMITED' }, 'it was not subscribed')
    const other = await live.connect()
    t.match(await other.ask({ type: 'ping' }), { type: 'pong' }, 'another socket has its own count')
    // It has sent 32.
    for (let count = 32; count < 300; count++) client.send({ type: 'ping' })
    await client.take(268)
    t.equal(live.app.sockets.hub.counts().dropped.flood, 0, 'up to ten times as many are answered')
    client.send({ type: 'ping' })
    await client.closed
    t.same(live.app.sockets.hub.counts().dropped, { slow: 0, silent: 0, flood: 1 })
    other.ws.on('pong', () => other.ws.ping())
    other.ws.ping()
    await other.closed
    t.equal(live.app.sockets.hub.counts().dropped.flood, 2, 'pings of the protocol count as well')
    t.same([...client.problems, ...other.problems], [])
  },
)

t.test('a socket can join 50 channels; a 51st is rejected until one is left', async (t) => {
  const live = await createSocketApp(t, { RATE_LIMITS: 'off' })
  const client = await live.connect()
  for (let raise = 0; raise < 50; raise++)
    t.match(
      await client.ask({ type: 'subscribe', room: `raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-${raise}` }),
      { type: 'subscribed' },
    )
  t.same(await client.ask({ type: 'subscribe', room: 'trades', id: 1 }), {
    type: 'error',
    code: 'ROOM_LIMIT',
    message: 'A socket may be in 50 rooms',
    room: 'trades',
    id: 1,
  })
  t.match(
    await client.ask({ type: 'subscribe', room: 'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-7' }),
    { type: 'subscribed' },
    'one that it is in',
  )
  await client.ask({ type: 'unsubscribe', room: 'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-7' })
  t.match(await client.ask({ type: 'subscribe', room: 'trades' }), { type: 'subscribed' })
  t.same(client.problems, [])
})

t.test('sockets are limited by address and in total; a closed one frees its slot', async (t) => {
  const crowded = await createSocketApp(t, { RATE_LIMITS: 'on', SOCKETS_PER_ADDRESS: '2' })
  const [first] = [await crowded.connect(), await crowded.connect('/api/ws')]
  t.same(await refused(crowded.host), {
    status: 429,
    retryAfter: '30',
    body: { success: false, data: null, error: 'Too many requests (sockets); back off and retry' },
  })
  first.ws.close()
  await first.closed
  await until(() => crowded.app.sockets.hub.counts().sockets === 1)
  await crowded.connect()

  const full = await createSocketApp(t, { SOCKETS_MAX: '1' })
  await full.connect()
  t.match(await refused(full.host), { status: 503, retryAfter: '5', body: { success: false } })
})

t.test('a client that misses a pong is disconnected; others stay', async (t) => {
  const live = await createSocketApp(t, { SOCKET_PING_MS: '1000' })
  const silent = await live.connect('/ws', { autoPong: false })
  const awake = await live.connect()
  let pings = 0
  awake.ws.on('ping', () => pings++)
  await silent.closed
  await until(() => pings > 2)
  t.equal(awake.ws.readyState, WebSocket.OPEN)
  t.same(live.app.sockets.hub.counts().dropped, { slow: 0, silent: 1, flood: 0 })
})

t.test('a client that does not read is disconnected, and others miss nothing', async (t) => {
  const live = await createSocketApp(t, { SOCKET_BUFFER_BYTES: '262144' })
  const { hub } = live.app.sockets
  const [reader, ...stalled] = (await Promise.all([1, 2, 3, 4].map(() => live.connect()))) as [Client, ...Client[]]
  for (const client of [reader, ...stalled]) await client.ask({ type: 'subscribe', room: 'feed' })
  for (const client of stalled) client.stall()
  // 40 MB of events: what is kept for three who never read would show.
  const text = 'x'.repeat(50_000)
  const [batches, size] = [80, 10]
  collect()
  const before = process.memoryUsage().arrayBuffers
  let highest = 0
  for (let batch = 0; batch < batches; batch++) {
    for (let count = 0; count < size; count++) live.events.emit(['feed'], 'feed', { text })
    // At the pace of one who reads.
    await until(() => reader.messages.length >= 1 + (batch + 1) * size)
    live.events.trim(live.events.head)
    if (batch % 8 !== 7) continue
    collect()
    highest = Math.max(highest, process.memoryUsage().arrayBuffers - before)
  }
  t.equal(hub.counts().dropped.slow, 3)
  t.equal(hub.counts().sockets, 1)
  const seqs = reader.messages.slice(1).map(({ seq }) => seq)
  t.same(
    seqs,
    Array.from({ length: batches * size }, (_, at) => at + 1),
  )
  t.ok(highest < 24 * 1024 * 1024, `${highest} bytes at most`)
})

t.test('a client that sends messages without reading responses is disconnected', async (t) => {
  const live = await createSocketApp(t, { SOCKET_BUFFER_BYTES: '65536', RATE_LIMITS: 'off' })
  const client = await live.connect()
  client.stall()
  const id = 'x'.repeat(64)
  while (live.app.sockets.hub.counts().dropped.slow === 0) {
    if (client.ws.bufferedAmount < 500_000)
      for (let count = 0; count < 2_000; count++) client.send({ type: 'subscribe', room: 'x'.repeat(128), id })
    await pause(1)
  }
  t.equal(live.app.sockets.hub.counts().sockets, 0)
  client.ws.terminate()
})

t.test(
  'a stopping service closes sockets with 1001, terminates unresponsive ones, and leaves no resources open',
  async (t) => {
    const live = await createSocketApp(t, { SOCKET_PING_MS: '1000' })
    const clients = await Promise.all([1, 2, 3].map(() => live.connect()))
    const [asleep] = clients as [Client]
    await asleep.ask({
      type: 'subscribe',
      room: `wallet:0x${'a1'.repeat(20)}`,
      token: live.app.issueToken(`0x${'a1'.repeat(20)}`),
    })
    asleep.stall()
    await live.app.close()
    for (const client of clients.slice(1)) t.same(await client.closed, { code: 1001, reason: 'going away' })
    t.equal(live.events.listeners, 0)
    t.match(live.app.sockets.hub.counts(), { sockets: 0, channels: 0 })
    asleep.ws.terminate()
    await asleep.closed
    // What stays would keep a process from ending; a closed one is listed until the next turn of the event loop.
    const left = ['TCPSocketWrap', 'TCPServerWrap']
    await until(() => !process.getActiveResourcesInfo().some((name) => left.includes(name)))
    t.notOk(live.app.server.listening)
  },
)
