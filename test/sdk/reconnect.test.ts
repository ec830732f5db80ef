import t from 'tap'
import { connect, createClient } from '../../sdk/src/index.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

interface Sent {
  type: string
  room?: string
  id?: number
  since?: number
  token?: string
}

/** Sockets whose other end is the test. */
function createSockets() {
  const opened: FakeSocket[] = []
  class FakeSocket {
    readyState = 0
    readonly sent: Sent[] = []
    readonly #listeners = new Map<string, (event: unknown) => void>()
    constructor() {
      opened.push(this)
    }
    send(text: string) {
      this.sent.push(JSON.parse(text) as Sent)
    }
    close() {}
    addEventListener(type: string, listen: (event: unknown) => void) {
      this.#listeners.set(type, listen)
    }
    open() {
      this.readyState = 1
      this.#listeners.get('open')?.({})
    }
    receive(message: object) {
      this.#listeners.get('message')?.({ data: JSON.stringify(message) })
    }
    end() {
      this.readyState = 3
      this.#listeners.get('close')?.({})
    }
    /** The subscribe messages, in order. */
    get subscriptions() {
      return this.sent.filter(({ type }) => type === 'subscribe')
    }
  }
  return { opened, WebSocket: FakeSocket }
}

const until = async <T>(find: () => T | undefined): Promise<T> => {
  await waitUntil(String(find), () => find() !== undefined, { pauseMs: 1 })
  return find() as T
}

t.test('a gap is reported once, and the channel resumes from its new subscription', async (t) => {
  const { opened, WebSocket } = createSockets()
  const client = createClient({ baseUrl: 'http://service.example' })
  const live = connect(client, { WebSocket, minDelayMs: 1, maxDelayMs: 1 })
  t.teardown(() => live.close())
  const received: [type: string, seq: number | undefined, since?: number][] = []
  live.subscribe('trades', (message) => {
    const { type, seq, since } = message as { type: string; seq?: number; since?: number }
    received.push(since === undefined ? [type, seq] : [type, seq, since])
  })
  const enter = async (index: number, expected: object) => {
    const socket = await until(() => opened[index])
    socket.open()
    const asked = await until(() => socket.subscriptions.at(-1))
    t.match(asked, { room: 'trades', ...expected })
    return { socket, id: Number(asked.id) }
  }
  const first = await enter(0, {})
  t.notOk('since' in (first.socket.subscriptions[0] ?? {}))
  first.socket.receive({ type: 'subscribed', room: 'trades', seq: 5, id: first.id })
  first.socket.receive({ type: 'trade', room: 'trades', seq: 6, data: {} })
  first.socket.receive({ type: 'trade', room: 'trades', seq: 6, data: {} })
  first.socket.end()

  const second = await enter(1, { since: 6 })
  second.socket.receive({ type: 'error', code: 'REPLAY_GAP', message: 'gone', id: second.id })
  const again = await until(() => second.socket.subscriptions[1])
  t.notOk('since' in again, 'from now on')
  second.socket.receive({ type: 'subscribed', room: 'trades', seq: 90, id: again.id })
  second.socket.receive({ type: 'trade', room: 'trades', seq: 91, data: {} })
  second.socket.end()

  const third = await enter(2, { since: 91 })
  third.socket.receive({ type: 'subscribed', room: 'trades', seq: 91, id: third.id })
  third.socket.receive({ type: 'trade', room: 'trades', seq: 92, data: {} })
  t.strictSame(received, [
    ['subscribed', 5],
    ['trade', 6],
    ['gap', 90, 6],
    ['trade', 91],
    ['subscribed', 91],
    ['trade', 92],
  ])
})

t.test('the position of a connection is the latest of all channels, and later channels can use it', async (t) => {
  const { opened, WebSocket } = createSockets()
  const live = connect(createClient({ baseUrl: 'http://service.example' }), { WebSocket })
  t.teardown(() => live.close())
  t.equal(live.seq, undefined)
  for (const room of ['trades', 'tokens'] as const) live.subscribe(room, () => {})
  opened[0]!.open()
  const [trades, tokens] = await until(() =>
    opened[0]!.subscriptions.length === 2 ? opened[0]!.subscriptions : undefined,
  )
  opened[0]!.receive({ type: 'subscribed', room: 'trades', seq: 90, id: trades!.id })
  t.equal(live.seq, 90)
  opened[0]!.receive({ type: 'subscribed', room: 'tokens', seq: 50, id: tokens!.id })
  t.equal(live.seq, 90, 'an earlier one changes nothing')
  opened[0]!.receive({ type: 'trade', room: 'trades', seq: 91, data: {} })
  t.equal(live.seq, 91)
  live.subscribe('stats', () => {}, { since: 'last' })
  t.match(await until(() => opened[0]!.subscriptions[2]), { room: 'stats', since: 91 })
})

t.test('a subscription that was rejected for its token is retried only with another token', async (t) => {
  const wallet = `0x${'1'.repeat(40)}`
  const refuse = async (code: string, token: string | undefined, next: string | undefined) => {
    const { opened, WebSocket } = createSockets()
    const client = createClient({ baseUrl: 'http://service.example', ...(token !== undefined && { token }) })
    const live = connect(client, { WebSocket })
    const received: string[] = []
    live.subscribe(`wallet:${wallet}`, ({ type }) => void received.push(type))
    const [socket] = opened
    socket!.open()
    const [asked] = await until(() => (socket!.subscriptions.length > 0 ? socket!.subscriptions : undefined))
    client.token = next
    socket!.receive({ type: 'error', code, message: 'No', id: asked!.id })
    const outcome = await until(() => {
      if (socket!.subscriptions.length > 1) return `entered with ${socket!.subscriptions[1]!.token}`
      return received[0]
    })
    live.close()
    return outcome
  }
  t.equal(await refuse('UNAUTHORIZED', 'old', 'new'), 'entered with new')
  t.equal(await refuse('UNAUTHORIZED', undefined, 'new'), 'entered with new')
  t.equal(await refuse('UNAUTHORIZED', 'old', 'old'), 'refused')
  t.equal(await refuse('UNAUTHORIZED', 'old', undefined), 'refused')
  t.equal(await refuse('UNAUTHORIZED', undefined, undefined), 'refused')
  t.equal(await refuse('NOT_FOUND', 'old', 'new'), 'refused', 'another reason')
})

t.test(
  'a channel is left with the last of its handlers, once, and not by one of an earlier subscription',
  async (t) => {
    const { opened, WebSocket } = createSockets()
    const live = connect(createClient({ baseUrl: 'http://service.example' }), {
      WebSocket,
      minDelayMs: 1,
      maxDelayMs: 1,
    })
    t.teardown(() => live.close())
    const [first, second] = [live.subscribe('trades', () => {}), live.subscribe('trades', () => {})]
    const socket = await until(() => opened[0])
    socket.open()
    await until(() => socket.subscriptions[0])
    const left = () => socket.sent.filter(({ type }) => type === 'unsubscribe').length
    first()
    t.equal(left(), 0, 'another handler is left')
    second()
    await until(() => (left() === 1 ? true : undefined))
    live.subscribe('trades', () => {})
    second()
    first()
    await until(() => socket.subscriptions[1])
    // What is sent after it shows that nothing else was.
    live.subscribe('tokens', () => {})
    await until(() => socket.subscriptions[2])
    t.equal(left(), 1, 'handlers of an earlier subscription leave nothing')
  },
)
