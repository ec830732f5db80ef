import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { connect, createClient } from '../../sdk/src/index.ts'

interface Sent {
  type: string
  room?: string
  id?: number
  since?: number
}

/** More than the time in which the service counts messages. */
const WINDOW_MS = 11_000
/** Messages that the client sends in this time. */
const MESSAGES = 25

/** A client whose service is the test, by a clock that the test moves. */
function open(t: Test) {
  const sent: Sent[] = []
  const listeners = new Map<string, (event: unknown) => void>()
  class FakeSocket {
    readyState = 1
    send(text: string) {
      sent.push(JSON.parse(text) as Sent)
    }
    close() {}
    addEventListener(type: string, listen: (event: unknown) => void) {
      listeners.set(type, listen)
    }
  }
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
  const client = createClient({ baseUrl: 'http://service.example' })
  const live = connect(client, { WebSocket: FakeSocket, silenceMs: 1_000_000 })
  t.teardown(() => {
    live.close()
    mock.timers.reset()
  })
  listeners.get('open')?.({})
  return {
    live,
    /** What was sent since the last call, as `subscribe trades`. */
    takeSent: () => sent.splice(0).map(({ type, room }) => `${type} ${room}`),
    lastId: () => sent.at(-1)?.id,
    receive: (message: object) => listeners.get('message')?.({ data: JSON.stringify(message) }),
    /** Uses up the messages that may be sent now. */
    fill: () => {
      for (let count = sent.length; count < MESSAGES; count += 1) live.subscribe(`raise:${count}`, () => {})
      sent.splice(0)
    },
    passWindow: () => mock.timers.tick(WINDOW_MS),
  }
}

t.test('a room that is left before its turn is not subscribed', async (t) => {
  const { live, takeSent, fill, passWindow } = open(t)
  fill()
  for (let count = 0; count < 12; count += 1) {
    const leave = [live.subscribe('trades', () => {}), live.subscribe(`token:0x${count}`, () => {})]
    for (const end of leave) end()
  }
  live.subscribe('stats', () => {})
  live.subscribe('trades', () => {})()
  live.subscribe('trades', () => {})
  t.same(takeSent(), [], 'the messages of this time are used up')
  passWindow()
  t.same(takeSent().sort(), ['subscribe stats', 'subscribe trades'])
})

t.test('a room that is taken up again before its turn stays subscribed, without a message', async (t) => {
  const { live, takeSent, lastId, receive, fill, passWindow } = open(t)
  const received: [number, string, number | undefined][] = []
  const enter = (index: number, options = {}) =>
    live.subscribe(
      'trades',
      ({ type, ...rest }) => void received.push([index, type, (rest as { seq?: number }).seq]),
      options,
    )
  let leave = enter(0)
  receive({ type: 'subscribed', room: 'trades', seq: 5, id: lastId() })
  fill()
  for (let index = 1; index <= 12; index += 1) {
    leave()
    receive({ type: 'trade', room: 'trades', seq: 5 + index, data: {} })
    leave = enter(index, { since: 'last' })
  }
  await Promise.resolve()
  receive({ type: 'trade', room: 'trades', seq: 18, data: {} })
  t.same(received, [
    [0, 'subscribed', 5],
    [12, 'subscribed', 17],
    [12, 'trade', 18],
  ])
  passWindow()
  t.same(takeSent(), [])

  leave()
  t.same(takeSent(), ['unsubscribe trades'], 'it is left as soon as messages may be sent')
  enter(13)
  t.same(takeSent(), ['subscribe trades'])
})

t.test('a room that was left is taken up from an earlier position, too', async (t) => {
  const { live, receive, lastId, takeSent, fill, passWindow } = open(t)
  const leave = live.subscribe('trades', () => {})
  receive({ type: 'subscribed', room: 'trades', seq: 5, id: lastId() })
  receive({ type: 'trade', room: 'trades', seq: 9, data: {} })
  fill()
  leave()
  live.subscribe('trades', () => {}, { since: 7 })
  passWindow()
  t.same(takeSent(), ['subscribe trades'], 'which restarts its subscription')
})
