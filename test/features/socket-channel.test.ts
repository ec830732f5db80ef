import t from 'tap'
import { Channel, createEventBuffer, type Subscription } from '../../features/live/sockets/channel.ts'
import type { Connection } from '../../features/live/sockets/connection.ts'
import { frameEvent, frameText } from '../../features/live/sockets/frame.ts'

const eventOf = (seq: number, data = '{}') => ({ seq, rooms: ['trades'], type: 'trade', data })
const frameOf = (...seqs: number[]) => Buffer.concat(seqs.map((seq) => frameEvent(eventOf(seq), 'trades'))).toString()

/** A subscription that records what is written; `isOpen` false: the connection was dropped. */
function subscribe(channel: Channel, { isBuffered = false, isOpen = true } = {}) {
  const writes: string[] = []
  const write = (bytes: Buffer) => {
    if (isOpen) writes.push(bytes.toString())
    return isOpen
  }
  const connection = { write } as unknown as Connection
  const subscription: Subscription = {
    connection,
    channel,
    grant: null,
    buffer: isBuffered ? createEventBuffer() : null,
  }
  return { writes, subscription, sent: channel.add(subscription) }
}

t.test('the events of a batch are written at once, and counted for each connection', async (t) => {
  const channel = new Channel('trades', 1_000)
  t.ok(channel.empty)
  t.equal(channel.publish(eventOf(1)), 0, 'for nobody')
  const [one, two] = [subscribe(channel), subscribe(channel)]
  const gone = subscribe(channel, { isOpen: false })
  t.notOk(channel.empty)
  t.equal(channel.flush(), 0)
  t.equal(channel.publish(eventOf(2)), 0)
  t.equal(channel.flush(), 2)
  channel.publish(eventOf(3))
  channel.publish(eventOf(4))
  t.equal(channel.flush(), 4)
  t.equal(channel.flush(), 0, 'once')
  for (const { writes } of [one, two]) t.strictSame(writes, [frameOf(2), frameOf(3, 4)])
  t.strictSame(gone.writes, [])
})

t.test('a batch is written as soon as it exceeds 64 KB', async (t) => {
  const channel = new Channel('trades', 1_000)
  const { writes } = subscribe(channel)
  const overhead = frameEvent(eventOf(1, 'x'.repeat(60_000)), 'trades').length - 60_000
  t.equal(channel.publish(eventOf(1, 'x'.repeat(60_000))), 0)
  t.equal(channel.publish(eventOf(2, 'x'.repeat(5_536 - 2 * overhead))), 0, 'as much as a batch holds')
  t.equal(channel.publish(eventOf(3)), 3)
  t.equal(writes.length, 1)
  t.equal(channel.publish(eventOf(4)), 0, 'the next batch begins')
})

t.test('a subscription begins and ends between events', async (t) => {
  const channel = new Channel('trades', 1_000)
  const early = subscribe(channel)
  channel.publish(eventOf(1))
  const late = subscribe(channel)
  t.equal(late.sent, 1)
  channel.publish(eventOf(2))
  t.equal(channel.remove(early.subscription), 2)
  channel.publish(eventOf(3))
  channel.flush()
  t.strictSame(early.writes, [frameOf(1), frameOf(2)])
  t.strictSame(late.writes, [frameOf(2), frameOf(3)])
  channel.remove(late.subscription)
  t.ok(channel.empty)
})

t.test('events wait for a replay, and those that it has sent are dropped', async (t) => {
  const channel = new Channel('trades', 1_000)
  const waiting = subscribe(channel, { isBuffered: true })
  t.notOk(channel.empty)
  for (const seq of [1, 2, 3]) channel.publish(eventOf(seq))
  t.equal(channel.flush(), 0, 'nothing is live')
  t.strictSame(waiting.writes, [])
  t.equal(channel.goLive(waiting.subscription, 1), 2)
  t.strictSame(waiting.writes, [frameOf(2, 3)])
  t.equal(channel.goLive(waiting.subscription, 0), 0, 'it is live')
  channel.publish(eventOf(4))
  t.equal(channel.flush(), 1)
  t.strictSame(waiting.writes, [frameOf(2, 3), frameOf(4)])
  const [none, gone] = [
    subscribe(channel, { isBuffered: true }),
    subscribe(channel, { isBuffered: true, isOpen: false }),
  ]
  channel.publish(eventOf(5))
  t.equal(channel.goLive(none.subscription, 5), 1, 'the batch of those that are live')
  t.strictSame(none.writes, [])
  t.equal(channel.goLive(gone.subscription, 0), 0)
  const left = subscribe(new Channel('other', 1_000), { isBuffered: true })
  left.subscription.channel.remove(left.subscription)
  t.ok(left.subscription.channel.empty)
})

t.test('a buffer that overflows keeps nothing', async (t) => {
  const size = frameEvent(eventOf(1), 'trades').length
  const channel = new Channel('trades', 2 * size)
  const { subscription } = subscribe(channel, { isBuffered: true })
  channel.publish(eventOf(1))
  channel.publish(eventOf(2))
  t.match(subscription.buffer, { bytes: 2 * size, overflowed: false, frames: { length: 2 } })
  channel.publish(eventOf(3))
  t.match(subscription.buffer, { bytes: 3 * size, overflowed: true, frames: { length: 0 } })
  channel.publish(eventOf(4))
  t.match(subscription.buffer, { bytes: 3 * size, frames: { length: 0 } })
})

t.test('the length of a frame takes one, three or nine bytes', async (t) => {
  const head = (length: number) => [
    ...frameText('x'.repeat(length)).subarray(0, length < 126 ? 2 : length < 65_536 ? 4 : 10),
  ]
  t.strictSame(head(0), [0x81, 0])
  t.strictSame(head(125), [0x81, 125])
  t.strictSame(head(126), [0x81, 126, 0, 126])
  t.strictSame(head(65_535), [0x81, 126, 255, 255])
  t.strictSame(head(65_536), [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0])
  t.strictSame(frameText('é'), Buffer.from([0x81, 2, 0xc3, 0xa9]), 'in bytes')
})
