import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { liveEvents } from '../../../schemas/tokens.ts'
import { createSocketApp, type Received } from '../../support/sockets.ts'

const trade = liveEvents.trade.data.examples[0]
const live = await createSocketApp(t, { RATE_LIMITS: 'off', SOCKET_BUFFER_BYTES: '65536' })
const { events } = live
const launchpad = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
let rooms = 0
/** A room of this test alone. */
const newRoom = () => `raise:${launchpad}-${++rooms}`
const emit = (room: string) => events.emit([room], 'trade', trade)
const seqsOf = (messages: Received[]) => messages.map(({ seq }) => seq)

t.test('since replays missed events, oldest first, and continues live', async (t) => {
  const [room, other] = [newRoom(), newRoom()]
  const seqs = [emit(room), emit(room), emit(room)]
  emit(other)
  const client = await live.connect()
  t.same(await client.ask({ type: 'subscribe', room, since: seqs[0], id: 1 }), {
    type: 'subscribed',
    room,
    id: 1,
    seq: seqs[0],
  })
  const next = emit(room)
  t.same(seqsOf(await client.take(3)), [seqs[1], seqs[2], next])
  t.same(await client.ask({ type: 'subscribe', room, since: next }), { type: 'subscribed', room, seq: next })
  t.same(await client.untilPong(), [], 'nothing was missed')
  t.same(await client.ask({ type: 'subscribe', room, since: 0 }), { type: 'subscribed', room, seq: 0 })
  t.same(seqsOf(await client.take(4)), [...seqs, next], 'all of it, over again')
  t.same(client.problems, [])
})

t.test('a history of many pages is complete, at the client’s pace', async (t) => {
  const room = newRoom()
  const seqs = Array.from({ length: 1_950 }, () => emit(room))
  const client = await live.connect()
  client.send({ type: 'subscribe', room, since: 0 })
  t.equal((await client.next()).type, 'subscribed')
  client.stall()
  // More than may lie unread: read from the store when there is room for it, and not before.
  while (seqs.length < 4_000) {
    seqs.push(emit(room))
    if (seqs.length % 100 === 0) await turn()
  }
  client.transport.resume()
  t.same(seqsOf(await client.take(seqs.length)), seqs)
  t.match(live.app.sockets.hub.counts().dropped, { slow: 0 })
  const last = emit(room)
  t.same(seqsOf(await client.take(1)), [last])
})

t.test('a client that unsubscribes during a replay gets no event of it after the confirmation', async (t) => {
  const room = newRoom()
  const seqs = Array.from({ length: 300 }, () => emit(room))
  const client = await live.connect()
  // The second page is read when the client has unsubscribed.
  const { promise: isLeft, resolve: leave } = Promise.withResolvers<void>()
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
  let pages = 0
  events.beforeReplay = async () => {
    if (++pages === 1) return
    ask()
    await isLeft
  }
  t.match(await client.ask({ type: 'subscribe', room, since: 0 }), { type: 'subscribed' })
  await isAsked
  client.send({ type: 'unsubscribe', room, id: 1 })
  const received = await client.untilPong()
  t.match(received.at(-1), { type: 'unsubscribed', room, id: 1 })
  t.ok(received.length - 1 < seqs.length, 'the first page')
  leave()
  t.same(await client.untilPong(), [], 'not the second')
  events.beforeReplay = async () => {}
})

t.test('events during a replay arrive once and in order', async (t) => {
  const step = fc.record({
    missed: fc.nat(450),
    during: fc.array(fc.nat(40), { maxLength: 8 }),
    since: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  const client = await live.connect()
  await fc.assert(
    fc.asyncProperty(step, async ({ missed, during, since }) => {
      const room = newRoom()
      const start = events.head
      const before = Array.from({ length: missed }, () => emit(room))
      const from = start + Math.floor(since * missed)
      const waves = [...during]
      const after: number[] = []
      events.beforeReplay = async () => {
        for (let count = waves.shift() ?? 0; count > 0; count--) after.push(emit(room))
        await turn()
        for (let count = waves.shift() ?? 0; count > 0; count--) after.push(emit(room))
      }
      t.teardown(() => {
        events.beforeReplay = async () => {}
      })
      const answer = await client.ask({ type: 'subscribe', room, since: from })
      if (answer.type !== 'subscribed' || answer.seq !== from) return false
      for (const count of waves.splice(0)) {
        for (let at = 0; at < count; at++) after.push(emit(room))
        await turn()
      }
      const wanted = [...before.filter((seq) => seq > from), ...after]
      const got = seqsOf(await client.take(wanted.length))
      await client.ask({ type: 'unsubscribe', room })
      return JSON.stringify(got) === JSON.stringify(wanted)
    }),
    { numRuns: 60 },
  )
  t.same(client.problems, [])
})

t.test('a new subscriber receives only later events', async (t) => {
  const room = newRoom()
  const [early, late] = [await live.connect(), await live.connect()]
  await early.ask({ type: 'subscribe', room })
  const asked = late.ask({ type: 'subscribe', room })
  const seqs: number[] = []
  let subscribed: Received | undefined
  void asked.then((answer) => {
    subscribed = answer
  })
  while (!subscribed) {
    seqs.push(emit(room), emit(room), emit(room))
    await turn()
  }
  seqs.push(emit(room))
  t.same(seqsOf(await early.take(seqs.length)), seqs)
  const wanted = seqs.filter((seq) => seq > (subscribed?.seq as number))
  t.same(seqsOf(await late.take(wanted.length)), wanted, 'all after the seq that it received')
})

t.test('a gap that is too old, or of another history, is an error without subscription', async (t) => {
  const room = newRoom()
  const first = emit(room)
  const second = emit(room)
  events.trim(second)
  const client = await live.connect()
  const refusal = {
    type: 'error',
    code: 'REPLAY_GAP',
    message: 'Events after since are missing here; subscribe without it',
    room,
    id: 1,
  }
  emit(room)
  t.same(await client.ask({ type: 'subscribe', room, since: first, id: 1 }), refusal)
  t.same(await client.ask({ type: 'subscribe', room, since: events.head + 1000, id: 1 }), refusal)
  emit(room)
  t.same(await client.untilPong(), [])
  t.match(await client.ask({ type: 'subscribe', room, since: second }), { type: 'subscribed' }, 'one that is not')
  t.same(client.problems, [])
})

t.test('a lagging replica waits for the client’s position and repeats nothing', async (t) => {
  const room = newRoom()
  emit(room)
  const client = await live.connect()
  const since = events.head + 2
  const answer = client.ask({ type: 'subscribe', room, since })
  await turn()
  emit(room)
  emit(room)
  t.same(await answer, { type: 'subscribed', room, seq: since })
  const next = emit(room)
  t.same(seqsOf(await client.untilPong()), [next])
})

t.test('a failing store is reported, and the client can unsubscribe or retry', async (t) => {
  const room = newRoom()
  emit(room)
  const client = await live.connect()
  events.beforeReplay = () => Promise.reject(new Error('The database is gone'))
  t.match(await client.ask({ type: 'subscribe', room, since: 0, id: 1 }), {
    type: 'error',
    code: 'UNAVAILABLE',
    room,
    id: 1,
  })
  emit(room)
  t.same(await client.untilPong(), [], 'it is not in the room')
  // The first page answers, the second does not.
  let pages = 0
  events.beforeReplay = async () => {
    if (++pages > 1) throw new Error('The database is gone')
  }
  const long = newRoom()
  const { channels } = live.app.sockets.hub.counts()
  for (let count = 0; count < 300; count++) emit(long)
  t.match(await client.ask({ type: 'subscribe', room: long, since: events.head - 299, id: 2 }), { type: 'subscribed' })
  const received = await client.untilPong()
  t.match(received.at(-1), { type: 'error', code: 'UNAVAILABLE', room: long })
  t.equal(live.app.sockets.hub.counts().channels, channels, 'no event is held back for a subscription that has ended')
  events.beforeReplay = async () => {}
  const last = received.filter(({ type }) => type === 'trade').at(-1)?.seq as number
  t.match(await client.ask({ type: 'subscribe', room: long, since: last }), { type: 'subscribed', seq: last })
  t.equal((await client.untilPong()).at(-1)?.seq, events.head)
  t.same(client.problems, [])
})
