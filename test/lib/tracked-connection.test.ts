import t from 'tap'
import { PeerGroup, TrackedConnection, type TrackedResponse } from '../../lib/connections/tracked-connection.ts'
import { Peer, respond } from './support/peer.ts'

t.test('a connection is idle since its last pending response', async (t) => {
  const peer = new Peer('a')
  const connection = new TrackedConnection(peer.socket, new PeerGroup('a', true), 10)
  t.equal(connection.idleSince, 10)
  connection.measure(20, 10)
  t.equal(connection.idleSince, 10)
  const response = respond()
  t.equal(connection.push(response), 1)
  t.equal(connection.push(respond()), 2)
  connection.measure(30, 10)
  t.equal(connection.idleSince, 30)
  connection.clearResponses()
  t.equal(connection.pendingResponses, 0)
  connection.measure(40, 10)
  t.equal(connection.idleSince, 30)
  t.equal(connection.push(respond({ writableFinished: true })), 0)
  Object.assign(response, { writableFinished: true })
  t.equal(connection.push(respond()), 1)
})

t.test('unread bytes are those in the socket, and those of bodies that wait before it', async (t) => {
  const unread = (writableLength: number, ...responses: TrackedResponse[]) => {
    const peer = new Peer('a')
    peer.writableLength = writableLength
    const connection = new TrackedConnection(peer.socket, new PeerGroup('a', true), 0)
    for (const response of responses) connection.push(response)
    connection.measure(1, 1)
    return connection.unread
  }
  t.equal(unread(0), 0)
  t.equal(unread(7), 7)
  t.equal(unread(7, respond()), 7)
  t.equal(unread(7, respond({ bytes: 10 })), 10, 'the socket holds a part of the first body')
  t.equal(unread(12, respond({ bytes: 10 })), 12)
  t.equal(unread(7, respond({ bytes: 10 }), respond({ bytes: 20 })), 30)
  t.equal(unread(7, respond(), respond({ bytes: 20, writableLength: 25 })), 32, 'a later one is buffered')
  t.equal(unread(7, respond(), respond({ bytes: 20, writableLength: 15 })), 27)
  t.equal(unread(7, respond({ bytes: 10, writableFinished: true })), 7)
})

t.test('a peer stalls while bytes wait and the kernel accepts none', async (t) => {
  const peer = new Peer('a')
  const connection = new TrackedConnection(peer.socket, new PeerGroup('a', true), 0)
  const measure = () => {
    connection.measure(0, 100)
    return [connection.waitingMs, connection.stalledMs]
  }
  t.strictSame(measure(), [0, 0])
  peer.writableLength = 50
  t.strictSame(measure(), [100, 100])
  t.strictSame(measure(), [200, 200])
  peer._handle = { bytesWritten: 30, writeQueueSize: 10 }
  t.strictSame(measure(), [300, 0], 'some were accepted')
  peer._handle = { bytesWritten: 40, writeQueueSize: 20 }
  t.strictSame(measure(), [400, 100], 'more were queued, none accepted')
  peer._handle = null
  t.strictSame(measure(), [500, 200], 'a socket without its handle makes no progress')
  connection.unread = 10
  t.equal(connection.cutPriority, 10 * 1.7)
  peer.writableLength = 0
  t.strictSame(measure(), [0, 0])
  t.equal(connection.endedMs, 0)
  peer.writableFinished = true
  measure()
  measure()
  t.equal(connection.endedMs, 200)
})
