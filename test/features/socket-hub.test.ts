import { PassThrough } from 'node:stream'
import t from 'tap'
import type { Connection, Peer } from '../../features/live/sockets/connection.ts'
import { frameEvent } from '../../features/live/sockets/frame.ts'
import { SocketHub } from '../../features/live/sockets/hub.ts'
import { testConfig } from '../support/app.ts'

const { sockets: limits } = testConfig({ RATE_LIMITS: 'on', SOCKETS_PER_ADDRESS: '2', SOCKET_BUFFER_BYTES: '65536' })

interface RecordingSocket {
  connection: Connection
  /** What was written, in as many pieces as there were writes. */
  writes: string[]
  /** What the connection writes to. */
  stream: PassThrough
}

/** A socket of the hub whose other end is a stream in memory. */
function connect(hub: SocketHub, address = '203.0.113.7', stalled = false): RecordingSocket {
  const writes: string[] = []
  const stream = new PassThrough()
  const write = stream.write.bind(stream)
  const socket = Object.assign(stream, {
    write: (bytes: Buffer) => {
      writes.push(bytes.toString('latin1'))
      return stalled ? write(bytes) : true
    },
  })
  const ws = {
    readyState: 1,
    terminate() {
      this.readyState = 3
    },
  }
  return { connection: hub.connect({ ws, socket, address, token: undefined } as unknown as Peer), writes, stream }
}

const eventOf = (seq: number, room = 'trades', data = '{}') => ({ seq, rooms: [room], type: 'trade', data })
const bytesOf = (...seqs: number[]) =>
  Buffer.concat(seqs.map((seq) => frameEvent(eventOf(seq), 'trades'))).toString('latin1')

t.test('events of one event-loop tick are sent in one write, in order', async (t) => {
  const hub = new SocketHub(limits)
  const { connection, writes } = connect(hub)
  hub.subscribe(connection, 'trades')
  for (const seq of [1, 2, 3]) hub.publish(eventOf(seq))
  t.same(writes, [])
  await Promise.resolve()
  t.same(writes, [bytesOf(1, 2, 3)])
  t.equal(hub.counts().sent, 3)
})

t.test('a subscription within an event-loop tick receives exactly the events during it', async (t) => {
  const hub = new SocketHub(limits)
  const [early, late] = [connect(hub), connect(hub, '203.0.113.8')]
  hub.subscribe(early.connection, 'trades')
  hub.publish(eventOf(1))
  hub.subscribe(late.connection, 'trades')
  hub.publish(eventOf(2))
  hub.unsubscribe(early.connection, 'trades')
  hub.publish(eventOf(3))
  await Promise.resolve()
  t.equal(early.writes.join(''), bytesOf(1, 2))
  t.equal(late.writes.join(''), bytesOf(2, 3))
  hub.publish(eventOf(4))
  hub.subscribe(late.connection, 'trades')
  hub.publish(eventOf(5))
  await Promise.resolve()
  t.equal(late.writes.join(''), bytesOf(2, 3, 4, 5), 'entering anew loses nothing')
})

t.test('held events are sent once, before later ones', async (t) => {
  const hub = new SocketHub(limits)
  const { connection, writes } = connect(hub)
  const member = hub.subscribe(connection, 'trades', { buffered: true })
  for (const seq of [1, 2, 3]) hub.publish(eventOf(seq))
  await Promise.resolve()
  t.same(writes, [])
  hub.publish(eventOf(4))
  hub.goLive(member, 1)
  hub.publish(eventOf(5))
  await Promise.resolve()
  t.equal(writes.join(''), bytesOf(2, 3, 4, 5))
})

t.test('dropping a slow reader during a subscription affects no other', async (t) => {
  const hub = new SocketHub(limits)
  const slow = connect(hub, '203.0.113.7', true)
  hub.subscribe(slow.connection, 'trades')
  const large = JSON.stringify('x'.repeat(40_000))
  for (const seq of [1, 2, 3, 4]) {
    hub.publish(eventOf(seq, 'trades', large))
    await Promise.resolve()
  }
  hub.publish(eventOf(5))
  const { connection, writes } = connect(hub, '203.0.113.8')
  hub.subscribe(connection, 'trades')
  t.match(hub.counts(), { sockets: 1, channels: 1, dropped: { slow: 1 } })
  hub.publish(eventOf(6))
  await Promise.resolve()
  t.equal(writes.join(''), bytesOf(6))
})

t.test('a closed socket frees its subscriptions and its slot', async (t) => {
  const hub = new SocketHub(limits)
  const { connection } = connect(hub)
  for (const room of ['trades', 'tokens', 'raise:1']) hub.subscribe(connection, room)
  hub.disconnect(connection)
  hub.disconnect(connection)
  t.match(hub.counts(), { sockets: 0, channels: 0 })
  t.notOk(hub.has(hub.subscribe(connection, 'trades')), 'and does not come back')
  t.equal(hub.counts().channels, 0)
})

t.test('the socket limit applies per IPv4 address or IPv6 /64', async (t) => {
  const same = [
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ['2001:db8::1', '2001:db8:0:0:1::'],
    ['::1', '0:0:0:0:0:0:0:2'],
  ] as const
  for (const [one, other] of same) {
    const hub = new SocketHub(limits)
    connect(hub, one)
    t.equal(hub.admits(other), 'yes')
    connect(hub, other)
    t.equal(hub.admits(one), 'crowded', `${one} and ${other}`)
    for (const stranger of ['203.0.113.8', '2001:db8:1:3::1']) t.equal(hub.admits(stranger), 'yes')
  }
})

t.test('any number of replays that wait for a paused socket add one pair of listeners', async (t) => {
  const hub = new SocketHub(limits)
  const { connection, stream } = connect(hub, '203.0.113.7', true)
  const initial = { drain: stream.listenerCount('drain'), close: stream.listenerCount('close') }
  const counts = () => ({
    drain: stream.listenerCount('drain') - initial.drain,
    close: stream.listenerCount('close') - initial.close,
  })
  const fill = () => connection.write(Buffer.alloc(stream.writableHighWaterMark + 1))
  fill()
  const waiting = Array.from({ length: 32 }, () => connection.drained())
  t.same(counts(), { drain: 1, close: 1 })
  stream.resume()
  await Promise.all(waiting)
  t.same(counts(), { drain: 0, close: 0 })
  stream.pause()
  fill()
  const again = connection.drained()
  t.same(counts(), { drain: 1, close: 1 }, 'a later replay waits for its own frames')
  stream.destroy()
  await again
  t.same(counts(), { drain: 0, close: 0 })
})
