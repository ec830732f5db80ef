import { connect } from 'node:net'
import t from 'tap'
import { socket } from '../../../routes/index.ts'
import { liveEvents } from '../../../schemas/tokens.ts'
import { createSocketApp } from '../../support/sockets.ts'
import { converse } from '../../support/unread.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

const TOKEN = `0x${'Ab'.repeat(20)}`
const room = `token:${TOKEN.toLowerCase()}`

const live = await createSocketApp(t)
const { app, events, host } = live
const trade = liveEvents.trade.data.examples[0]

t.test('a client subscribes, receives each event once in order and unsubscribes, at both mounts', async (t) => {
  for (const path of ['/ws', '/api/ws', '/ws/', '/ws?x=1']) {
    const client = await live.connect(path)
    t.same(await client.ask({ type: 'subscribe', room: 'trades', id: 'a' }), {
      type: 'subscribed',
      room: 'trades',
      id: 'a',
      seq: events.head,
    })
    const seqs = [1, 2, 3].map(() => events.emit(['trades', room], 'trade', trade))
    t.same(
      await client.take(3),
      seqs.map((seq) => ({ type: 'trade', room: 'trades', seq, data: trade })),
    )
    t.same(await client.ask({ type: 'unsubscribe', room: 'trades', id: 7 }), {
      type: 'unsubscribed',
      room: 'trades',
      id: 7,
    })
    events.emit(['trades'], 'trade', trade)
    t.same(await client.untilPong(), [], 'nothing after it')
    t.same(client.problems, [])
    client.ws.close()
    await client.closed
  }
})

t.test('every event type reaches its documented channels and matches its schema', async (t) => {
  const client = await live.connect()
  // Views have no stored events: see views.test.ts.
  const examples = {
    wallet: null,
    view: null,
    token: room,
    raise: 'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-7',
  } as Record<string, string | null>
  for (const [type, { data, channels }] of Object.entries(socket.events)) {
    for (const kind of channels) {
      const name = kind in examples ? examples[kind] : kind
      if (!name) continue
      await client.ask({ type: 'subscribe', room: name })
      const seq = events.emit([name], type, data.examples?.[0])
      t.same(await client.next(), { type, room: name, seq, data: data.examples?.[0] }, `${type} in ${name}`)
      await client.ask({ type: 'unsubscribe', room: name })
    }
  }
  t.same(client.problems, [])
})

t.test('messages of every length arrive unchanged', async (t) => {
  const client = await live.connect()
  await client.ask({ type: 'subscribe', room: 'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-5' })
  const frame = JSON.stringify({
    type: 'transaction',
    room: 'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-5',
    seq: events.head + 1,
    data: '',
  }).length
  for (const length of [125, 126, 127, 65_535, 65_536, 65_537, 300_000]) {
    const text = 'ü'.padStart(length - frame - 1, 'x')
    events.emit(['raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-5'], 'transaction', text)
    t.equal((await client.next()).data, text, `${length} bytes`)
  }
})

t.test('a socket in two channels of an event receives it once per channel', async (t) => {
  const client = await live.connect()
  await client.ask({ type: 'subscribe', room: 'trades' })
  t.equal((await client.ask({ type: 'subscribe', room: `token:${TOKEN}` })).room, room, 'lower-case comes out')
  const seq = events.emit(['trades', room], 'trade', trade)
  t.same((await client.untilPong()).map(({ room, seq }) => [room, seq]).sort(), [
    [room, seq],
    ['trades', seq],
  ])
  t.equal((await client.ask({ type: 'subscribe', room: 'trades', id: 1 })).type, 'subscribed', 'again is no error')
  events.emit(['trades'], 'trade', trade)
  t.equal((await client.untilPong()).length, 1, 'and doubles nothing')
})

t.test('only addresses, raises and shared names are channels', async (t) => {
  const client = await live.connect()
  const good = [
    'tokens',
    'raises',
    'staking',
    'feed',
    'stats',
    'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-0',
    'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-12',
    `token:0x${'0'.repeat(40)}`,
  ]
  for (const room of good) t.match(await client.ask({ type: 'subscribe', room }), { type: 'subscribed', room })
  const bad = [
    'nowhere',
    'Tokens',
    'token:',
    'token:0x12',
    'token',
    'raise:',
    'raise:7',
    'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-01',
    'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3',
    'wallet:me',
    '__proto__',
  ]
  for (const room of bad)
    t.match(await client.ask({ type: 'subscribe', room, id: 5 }), { type: 'error', code: 'UNKNOWN_ROOM', id: 5 }, room)
  t.match(await client.ask({ type: 'unsubscribe', room: 'nowhere' }), { type: 'error', code: 'UNKNOWN_ROOM' })
  t.match(await client.ask({ type: 'unsubscribe', room: 'trades' }), { type: 'unsubscribed' }, 'leaving is never wrong')
  t.same(client.problems, [])
})

t.test('an invalid message is rejected by field name, and the socket stays open', async (t) => {
  const client = await live.connect()
  const cases: [sent: string, message: string | RegExp][] = [
    ['{', 'message is not valid JSON'],
    ['', 'message is not valid JSON'],
    ['null', 'message must be an object'],
    ['[]', 'message must be an object'],
    ['{}', /message.type must be one of subscribe, unsubscribe, ping/],
    ['{"type":"__proto__"}', /message.type/],
    ['{"type":{"a":1}}', /message.type/],
    ['{"type":"subscribe"}', 'message.room is required'],
    ['{"type":"subscribe","room":7}', 'message.room must be a string'],
    ['{"type":"subscribe","room":"trades","since":-1}', 'message.since must be >= 0'],
    ['{"type":"subscribe","room":"trades","since":1e400}', /message.since/],
    ['{"type":"subscribe","room":"trades","since":"1"}', 'message.since must be an integer'],
    ['{"type":"subscribe","room":"trades","sinse":1}', 'message.sinse is not a known field'],
    ['{"type":"ping","id":1,"id":2}', 'message.id must not be given twice'],
    ['{"type":"ping","id":{}}', /^message.id must be a string or integer$/],
    ['{"type":"ping","id":1.5}', /^message.id must be a string or integer$/],
    ['{"type":"ping","id":-1}', /^message.id must be >= 0$/],
  ]
  for (const [sent, message] of cases)
    t.match(await client.ask(sent), { type: 'error', code: 'BAD_MESSAGE', message }, sent)
  t.match(await client.ask({ type: 'subscribe', id: 'mine' }), { code: 'BAD_MESSAGE', id: 'mine' })
  t.match(await client.ask({ type: 'ping', id: 3, room: 'trades' }), { type: 'pong', id: 3, room: 'trades' })
  t.same(client.problems, [])
})

t.test('binary frames, frames past the limit and invalid text close the socket with their codes', async (t) => {
  const binary = await live.connect()
  binary.ws.send(Buffer.from('{"type":"ping"}'))
  t.equal((await binary.closed).code, 1003)
  const huge = await live.connect()
  huge.send({ type: 'ping', id: 'x'.repeat(4096) })
  t.equal((await huge.closed).code, 1009)
  const fragments = await live.connect()
  for (let part = 0; part < 5; part++) fragments.ws.send('x'.repeat(1000), { fin: false })
  t.equal((await fragments.closed).code, 1009, 'in parts, too')
  const text = await live.connect()
  text.ws.send(Buffer.from([0xff, 0xfe]), { binary: false })
  t.equal((await text.closed).code, 1007)
})

t.test(
  'a GET of the socket without an upgrade is rejected with 426, and upgrades of other paths are ignored',
  async (t) => {
    for (const path of ['/ws', '/api/ws']) {
      const answer = await fetch(`http://${host}${path}`)
      t.equal(answer.status, 426)
      t.equal(answer.headers.get('upgrade'), 'websocket')
      t.ok(answer.headers.get('x-request-id'))
      t.same(await answer.json(), {
        success: false,
        data: null,
        error: 'This is a WebSocket endpoint; send an upgrade request',
      })
    }
    t.equal((await fetch(`http://${host}/ws`, { method: 'POST' })).status, 405)
    for (const [path, upgrade, status] of [
      ['/live', 'websocket', 200],
      ['/live', 'h2c', 200],
      ['/ws', 'h2c', 426],
      ['/nowhere', 'websocket', 404],
    ] as const) {
      t.equal((await shakeHands(path, { upgrade })).status, status, `${path} ${upgrade}`)
    }
  },
)

t.test('an invalid handshake gets an error in the envelope', async (t) => {
  for (const path of ['/ws', '/api/ws'])
    for (const wrong of [
      ...[{ key: 'abc' }, { key: '' }, { protocol: 'a,,b' }],
      // Also one that the library would let in, and other ways to write the one that is spoken.
      ...['8', '99', '', '13.0', '0xd', '+13', '13, 13'].map((version) => ({ version })),
    ]) {
      const { status, head, body } = await shakeHands(path, wrong)
      t.equal(status, 400, JSON.stringify(wrong))
      t.match(head, /^content-type: application\/json/im)
      t.match(head, /^x-request-id: \S+$/im)
      t.match(head, /^sec-websocket-version: 13$/im)
      const error = 'Malformed WebSocket handshake; only version 13 is supported'
      t.same(JSON.parse(body), { success: false, data: null, error })
    }
})

t.test('a handshake with another method or missing headers gets an error in the envelope and is closed', async (t) => {
  const upgrade = 'Host: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n'
  const [key, version] = ['Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n', 'Sec-WebSocket-Version: 13\r\n']
  for (const [bytes, status] of [
    [`POST /ws HTTP/1.1\r\n${upgrade}${key}${version}\r\n`, 405],
    [`DELETE /api/ws HTTP/1.1\r\n${upgrade}${key}${version}Content-Length: 2\r\n\r\n{}`, 405],
    [`GET /ws HTTP/1.1\r\n${upgrade}${version}\r\n`, 400],
    [`GET /ws HTTP/1.1\r\n${upgrade}${key}\r\n`, 400],
    [`GET /ws HTTP/1.1\r\n${upgrade}${key}Sec-WebSocket-Version: 8\r\nSec-WebSocket-Origin: a\r\n\r\n`, 400],
  ] as const) {
    const [head = '', body = ''] = (await converse(t, Number(host.split(':')[1]), bytes)).split('\r\n\r\n')
    t.match(head, new RegExp(`^HTTP/1.1 ${status} `), bytes)
    if (status === 400) t.match(head, /^sec-websocket-version: 13$/im)
    t.match(JSON.parse(body), { success: false, data: null, error: String })
  }
})

t.test('metrics count sockets, channels and messages', async (t) => {
  const { hub } = app.sockets
  const client = await live.connect()
  const before = hub.counts()
  await client.ask({ type: 'subscribe', room: 'raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-77' })
  events.emit(
    ['raise:0x5fbdb2315678afecb367f032d93f642f64180aa3-77'],
    'transaction',
    socket.events.transaction?.data.examples?.[0],
  )
  await client.next()
  const after = hub.counts()
  t.equal(after.channels, before.channels + 1)
  t.equal(after.sent, before.sent + 1)
  t.equal(after.sockets, before.sockets)
  client.ws.close()
  await client.closed
  await waitUntil('the socket is gone', () => hub.counts().sockets === before.sockets - 1, { pauseMs: 0 })
  t.equal(hub.counts().channels, before.channels, 'a room that nobody is in is none')
})

interface Handshake {
  upgrade?: string
  version?: string
  key?: string
  protocol?: string
}

/** The first that is answered to a GET that asks for another protocol. */
function shakeHands(
  path: string,
  { upgrade = 'websocket', version = '13', key = 'AAAAAAAAAAAAAAAAAAAAAA==', protocol }: Handshake,
): Promise<{ status: number; head: string; body: string }> {
  const [hostname, port] = host.split(':') as [string, string]
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; head: string; body: string }>()
  const lines = [
    `GET ${path} HTTP/1.1`,
    ...[`Host: ${host}`, 'Connection: Upgrade', `Upgrade: ${upgrade}`],
    ...[`Sec-WebSocket-Version: ${version}`, `Sec-WebSocket-Key: ${key}`],
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ]
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
  socket.once('data', (data) => {
    const [head = '', body = ''] = String(data).split('\r\n\r\n')
    resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head: head.replaceAll('\r', ''), body })
    socket.destroy()
  })
  socket.once('error', reject)
  return promise
}
