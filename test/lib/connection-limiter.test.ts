import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { ConnectionLimiter, type ConnectionLimits } from '../../lib/connections/connection-limiter.ts'
import { Peer, respond } from './support/peer.ts'

const LIMITS: ConnectionLimits = {
  ...{ maximum: 10, perAddress: 10, unreadBytes: 1_000, unreadBytesPerAddress: 500 },
  ...{ stallMs: 30_000, idleMs: 60_000 },
}

/** A limiter whose clock and sweeps the test moves. Addresses that begin with "proxy" are trusted proxies. */
function open(t: Test, limits: Partial<ConnectionLimits> = {}) {
  let now = 1_000_000
  t.intercept(performance, 'now', { value: () => now })
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const cuts: number[] = []
  const limiter = new ConnectionLimiter({
    limits: { ...LIMITS, ...limits },
    keyOf: (address) => (address?.startsWith('proxy') ? null : String(address)),
    onCut: (connections) => cuts.push(connections),
  })
  /** With a sweep every 250 ms. */
  const advance = (ms: number) => {
    for (let left = ms; left > 0; left -= 250) {
      now += Math.min(left, 250)
      mock.timers.tick(Math.min(left, 250))
    }
  }
  const admit = (address?: string) => {
    const peer = new Peer(address)
    return Object.assign(peer, { rejection: limiter.admit(peer.socket) })
  }
  /** Whether a response with so large a body may be sent. */
  const reserve = (peer: Peer, bytes: number) => {
    const response = respond()
    limiter.trackResponse(peer.socket, response)
    return limiter.reserveBody(peer.socket, response, bytes)
  }
  const none = { stalled: 0, unread_address: 0, unread_total: 0, pipelined: 0, idle: 0, ended: 0 }
  const cut = () => Object.fromEntries(Object.entries(limiter.counts().cut).filter(([, count]) => count > 0))
  t.strictSame(limiter.counts(), {
    ...{ http: 0, unreadBytes: 0, cut: none },
    refused: { connection_address: 0, connection_total: 0, response: 0 },
  })
  return { limiter, admit, advance, reserve, cut, cuts, skip: (ms: number) => (now += ms) }
}

t.test('an address that is at its limit gives up the connection that has been idle longest', async (t) => {
  const { limiter, admit, skip, cut } = open(t, { perAddress: 2 })
  const first = admit('a')
  skip(500)
  const second = admit('a')
  skip(499)
  t.equal(admit('a').rejection, 'connection_address', 'idle for less than a second')
  t.equal(admit('b').rejection, undefined, 'another address')
  skip(1)
  t.equal(admit('a').rejection, undefined)
  t.strictSame([first.end, second.end, cut()], ['closed', 'open', { idle: 1 }])
  t.match(limiter.counts(), { http: 3, refused: { connection_address: 1, connection_total: 0 } })
})

t.test('a connection that is closed makes room at its address', async (t) => {
  const { admit } = open(t, { perAddress: 2 })
  const [first] = [admit('a'), admit('a')]
  first.leave()
  t.equal(admit('a').rejection, undefined)
  t.equal(admit('a').rejection, 'connection_address')
})

t.test('a full server closes the idle connection of a client, but none of a proxy or with a request', async (t) => {
  const { limiter, admit, skip } = open(t, { maximum: 3, perAddress: 1 })
  const proxied = [admit('proxy'), admit('proxy')]
  t.strictSame(
    proxied.map(({ rejection }) => rejection),
    [undefined, undefined],
    'a proxy is not limited by its address',
  )
  const busy = admit('a')
  limiter.trackResponse(busy.socket, respond())
  skip(5_000)
  const rejected = admit('b')
  t.equal(rejected.rejection, 'connection_total')
  t.match(limiter.counts(), { http: 3, refused: { connection_total: 1 } }, 'the rejected one is not counted')
  limiter.upgrade(busy.socket, 'a', () => {})
  t.equal(limiter.counts().http, 2)
  t.equal(admit('a').rejection, undefined, 'a WebSocket does not count')
  skip(5_000)
  t.equal(admit('c').rejection, undefined)
  t.strictSame(
    [...proxied, busy].map(({ end }) => end),
    ['open', 'open', 'open'],
  )
})

t.test('of the rejected connections, 64 stay open until their response is read', async (t) => {
  const { admit } = open(t, { maximum: 0 })
  const rejected = Array.from({ length: 66 }, () => admit('a'))
  t.strictSame(
    rejected.map(({ end }) => end),
    [...Array(64).fill('open'), 'closed', 'closed'],
  )
  rejected[0]?.leave()
  t.equal(admit('a').end, 'open')
})

t.test('a connection with more than 64 pending responses is closed', async (t) => {
  const { limiter, admit, cut } = open(t)
  const peer = admit('a')
  for (let count = 0; count < 64; count++) limiter.trackResponse(peer.socket, respond())
  t.equal(peer.end, 'open')
  limiter.trackResponse(peer.socket, respond())
  t.strictSame([peer.end, cut()], ['closed', { pipelined: 1 }])
  limiter.trackResponse(new Peer('b').socket, respond())
})

t.test('a large body is sent if it fits the limits of its address and of all', async (t) => {
  const { limiter, admit, reserve } = open(t)
  const [one, two, three, proxy] = [admit('a'), admit('a'), admit('b'), admit('proxy')]
  t.ok(reserve(one, 300))
  t.notOk(reserve(two, 201))
  t.ok(reserve(two, 200), 'as much as the limit of an address')
  t.equal(limiter.counts().unreadBytes, 500)
  t.notOk(reserve(three, 501))
  t.ok(reserve(three, 400))
  t.notOk(reserve(proxy, 101))
  t.ok(reserve(proxy, 100), 'as much as the limit of all')
  t.equal(limiter.counts().refused.response, 3)
  t.ok(limiter.reserveBody(new Peer('c').socket, respond(), 10_000), 'of a connection that is not tracked')
  three.leave()
  t.equal(limiter.counts().unreadBytes, 600, 'a closed connection frees its bytes')
  t.ok(reserve(proxy, 400))
})

t.test('a large body replaces those that have not been read for a second', async (t) => {
  const { limiter, admit, advance, reserve, cut } = open(t)
  const [slow, quick, next] = [admit('a'), admit('a'), admit('a')]
  t.ok(reserve(slow, 200))
  advance(750)
  t.notOk(reserve(next, 400), 'not yet')
  t.ok(reserve(quick, 100))
  advance(250)
  t.notOk(reserve(next, 600), 'what fits never closes none')
  t.strictSame([slow.end, cut()], ['open', {}])
  t.ok(reserve(next, 400))
  t.strictSame([slow.end, quick.end, cut()], ['reset', 'open', { unread_address: 1 }])
  t.equal(limiter.counts().unreadBytes, 500)
})

t.test('a large body as large as the limit of an address replaces all others there', async (t) => {
  const { admit, advance, reserve, cut } = open(t)
  const [slow, next] = [admit('a'), admit('a')]
  t.ok(reserve(slow, 1))
  advance(1_000)
  t.ok(reserve(next, 500))
  t.strictSame([slow.end, cut()], ['reset', { unread_address: 1 }])
})

t.test('a large body replaces none of another address whose own bytes fit', async (t) => {
  const { admit, advance, reserve, cut } = open(t)
  const [worst, slow, next] = [admit('b'), admit('a'), admit('a')]
  t.ok(reserve(worst, 400))
  t.ok(reserve(slow, 400))
  advance(1_000)
  t.ok(reserve(next, 200))
  t.strictSame([worst.end, slow.end, cut()], ['open', 'reset', { unread_address: 1 }])
})

t.test('a large body that exceeds the limit of all replaces the worst connection', async (t) => {
  const { limiter, admit, advance, reserve, cut } = open(t)
  const [worst, slow, next] = [admit('a'), admit('b'), admit('c')]
  t.ok(reserve(worst, 450))
  t.ok(reserve(slow, 400))
  advance(1_000)
  t.ok(reserve(next, 300))
  t.strictSame([worst.end, slow.end, cut()], ['reset', 'open', { unread_total: 1 }])
  t.equal(limiter.counts().unreadBytes, 700)
})

t.test('a peer that reads nothing for stallMs is closed, and its unread bytes are dropped', async (t) => {
  const { limiter, admit, advance, cut, cuts } = open(t, { stallMs: 1_000 })
  const [peer, other] = [admit('a'), admit('b')]
  peer.writableLength = 10
  advance(750)
  t.strictSame([peer.end, limiter.counts().unreadBytes, cuts], ['open', 10, []])
  advance(250)
  t.strictSame([peer.end, other.end, limiter.counts().unreadBytes, cuts], ['reset', 'open', 0, [1]])
  t.strictSame(cut(), { stalled: 1 })
})

t.test('a pause of this process is not counted against its peers', async (t) => {
  const { admit, advance, skip } = open(t, { stallMs: 1_000 })
  const peer = admit('a')
  peer.writableLength = 10
  skip(50_000)
  advance(250)
  t.equal(peer.end, 'open')
  advance(250)
  t.equal(peer.end, 'open', 'half a second of it')
  advance(250)
  t.equal(peer.end, 'reset')
})

t.test('while the service stops, a peer may stall for a second', async (t) => {
  const { limiter, admit, advance } = open(t)
  const peer = admit('a')
  peer.writableLength = 10
  limiter.startClosing()
  advance(750)
  t.equal(peer.end, 'open')
  advance(250)
  t.equal(peer.end, 'reset')
})

t.test('while the service stops, a shorter limit than a second stays', async (t) => {
  const { limiter, admit, advance } = open(t, { stallMs: 500 })
  const peer = admit('a')
  peer.writableLength = 10
  limiter.startClosing()
  advance(500)
  t.equal(peer.end, 'reset')
})

t.test('connections without a request are closed after idleMs, but no WebSockets', async (t) => {
  const { limiter, admit, advance, cut } = open(t, { idleMs: 1_000 })
  const [idle, busy, socket] = [admit('a'), admit('a'), admit('a')]
  limiter.trackResponse(busy.socket, respond())
  limiter.upgrade(socket.socket, 'a', () => {})
  advance(1_000)
  t.equal(idle.end, 'open')
  advance(250)
  t.strictSame([idle.end, busy.end, socket.end, cut()], ['closed', 'open', 'open', { idle: 1 }])
})

t.test('a peer that keeps its half open is closed after two seconds', async (t) => {
  const { admit, advance, cut } = open(t)
  const peer = admit('a')
  peer.writableFinished = true
  advance(2_000)
  t.equal(peer.end, 'open')
  advance(250)
  t.strictSame([peer.end, cut()], ['closed', { ended: 1 }])
})

t.test('above the limit of all, the worst connections are closed until the rest fits', async (t) => {
  const { limiter, admit, advance, cut, cuts } = open(t)
  const peers = [admit('a'), admit('b'), admit('c'), admit('proxy')] as const
  for (const [at, bytes] of [300, 310, 200, 190].entries()) peers[at]!.writableLength = bytes
  advance(250)
  t.strictSame([limiter.counts().unreadBytes, cut()], [1_000, {}], 'as much as the limit')
  peers[2].writableLength += 1
  advance(250)
  t.strictSame(
    peers.map(({ end }) => end),
    ['open', 'reset', 'open', 'open'],
  )
  t.strictSame([limiter.counts().unreadBytes, cut(), cuts], [691, { unread_total: 1 }, [1]])
})

t.test('above the limit of an address, only its connections are closed', async (t) => {
  const { admit, advance, cut } = open(t)
  const peers = [admit('a'), admit('a'), admit('b'), admit('proxy'), admit('proxy')] as const
  for (const [at, bytes] of [100, 400, 0, 250, 250].entries()) peers[at]!.writableLength = bytes
  advance(250)
  t.strictSame(cut(), {})
  peers[0].writableLength = 101
  peers[3].writableLength = 0
  advance(250)
  t.strictSame(
    [...peers.map(({ end }) => end), cut()],
    ['open', 'reset', 'open', 'open', 'open', { unread_address: 1 }],
  )
  peers[4].writableLength = 600
  advance(250)
  t.strictSame(cut(), { unread_address: 1 }, 'a proxy has no limit of its own')
})

t.test('a WebSocket counts for the client that its proxy names, and learns that it is closed', async (t) => {
  const { limiter, admit, advance } = open(t, { perAddress: 1 })
  const socket = admit('proxy')
  let closed = 0
  limiter.upgrade(socket.socket, 'a', () => closed++)
  limiter.upgrade(socket.socket, 'b', () => t.fail('it is upgraded once'))
  limiter.upgrade(new Peer('c').socket, 'c', () => t.fail('it is not tracked'))
  t.equal(admit('a').rejection, undefined, 'and not as a connection of its own')
  socket.writableLength = 501
  advance(250)
  t.strictSame([socket.end, closed], ['reset', 1])
})

t.test('a WebSocket keeps what it has not read, but no responses', async (t) => {
  const { limiter, admit, advance, reserve } = open(t)
  const [socket, other] = [admit('proxy'), admit('a')]
  t.ok(reserve(socket, 300))
  limiter.upgrade(socket.socket, 'a', () => {})
  t.notOk(reserve(other, 700))
  advance(250)
  t.equal(limiter.counts().unreadBytes, 0)
})

t.test('nothing is measured without connections, nor after a stop', async (t) => {
  const { limiter, admit, advance } = open(t, { stallMs: 500 })
  const first = admit('a')
  first.leave()
  t.equal(limiter.counts().http, 0)
  const second = admit('a')
  second.writableLength = 10
  advance(500)
  t.equal(second.end, 'reset', 'it is measured again')
  const [third, fourth] = [admit('a'), admit('a')]
  fourth.leave()
  third.writableLength = 10
  advance(500)
  t.equal(third.end, 'reset', 'while there are others')
  const fifth = admit('a')
  fifth.writableLength = 10
  limiter.stop()
  advance(5_000)
  t.equal(fifth.end, 'open')
})

t.test('a connection whose peer is gone is closed without a reset', async (t) => {
  const { admit, advance } = open(t, { stallMs: 250 })
  const peer = admit('a')
  peer.writableLength = 10
  peer.remoteAddress = undefined
  advance(250)
  t.equal(peer.end, 'closed')
})
