import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { People } from './people.ts'
import { pick, type World } from './world.ts'

interface Client {
  socket: WebSocket
  rooms: Map<string, number>
}

const ABREAST = 20
/** Average interval between actions of a socket. */
const ACTION_MS = 30_000
/** Maximum number of events that a replay goes back. */
const REPLAY = 200

/** Sockets that subscribe, unsubscribe, disconnect and replay missed events. */
export class Sockets {
  readonly #url: string
  readonly #world: World
  readonly #people: People
  readonly #clients = new Set<Client>()
  #messages = 0
  #replays = 0
  #breaks = 0
  #opening = 0

  constructor(url: string, world: World, people: People) {
    this.#url = url.replace('http', 'ws')
    this.#world = world
    this.#people = people
  }

  async open(count: number): Promise<void> {
    let left = count
    await Promise.all(
      Array.from({ length: ABREAST }, async () => {
        while (left-- > 0) await this.#open(new Map())
      }),
    )
  }

  /** Runs actions on random sockets, as many as the time since the last call allows. */
  act(ms: number): void {
    const expected = (this.#clients.size * ms) / ACTION_MS
    const count = Math.floor(expected) + (Math.random() < expected % 1 ? 1 : 0)
    const clients = [...this.#clients]
    for (let left = Math.min(count, clients.length); left > 0; left--) this.#actAt(pick(clients))
  }

  takeCounts() {
    const counts = { messages: this.#messages, replays: this.#replays, breaks: this.#breaks }
    this.#messages = 0
    this.#replays = 0
    this.#breaks = 0
    return { sockets: this.#clients.size, ...counts }
  }

  #actAt(client: Client): void {
    const room = [...client.rooms.keys()][0]
    const chance = Math.random()
    if (client.socket.readyState !== WebSocket.OPEN) return
    if (chance < 0.1) void this.#reconnect(client).catch(() => {})
    else if (chance < 0.3) client.socket.send('{"type":"ping"}')
    else this.#move(client, room, chance < 0.6)
  }

  #move(client: Client, room: string | undefined, leave: boolean): void {
    if (room !== undefined && leave) {
      client.rooms.delete(room)
      client.socket.send(JSON.stringify({ type: 'unsubscribe', room }))
    } else if (room !== undefined) {
      const since = Math.max(0, (client.rooms.get(room) ?? 0) - Math.floor(Math.random() * REPLAY))
      this.#replays++
      client.socket.send(JSON.stringify({ type: 'subscribe', room, since }))
    }
    if (client.rooms.size < 4) this.#subscribe(client)
  }

  #subscribe({ socket, rooms }: Client): void {
    if (Math.random() < 0.1) {
      const { wallet, token } = this.#people.wallet()
      socket.send(JSON.stringify({ type: 'subscribe', room: `wallet:${wallet}`, token }))
      return
    }
    const rest = ['trades', 'tokens', 'feed', 'stats', 'raises', 'staking']
    const room = Math.random() < 0.5 ? `token:${pick(this.#world.tokens).address}` : pick(rest)
    rooms.set(room, rooms.get(room) ?? 0)
    socket.send(JSON.stringify({ type: 'subscribe', room }))
  }

  /** Disconnects, and subscribes to the same channels after the last received `seq`. */
  async #reconnect(client: Client): Promise<void> {
    if (this.#opening > ABREAST) return
    this.#clients.delete(client)
    client.socket.terminate()
    await this.#open(client.rooms)
  }

  async #open(rooms: Map<string, number>): Promise<void> {
    this.#opening++
    const socket = new WebSocket(`${this.#url}/ws`, { perMessageDeflate: false })
    try {
      await once(socket, 'open')
    } finally {
      this.#opening--
    }
    const client = { socket, rooms }
    this.#clients.add(client)
    socket.on('message', (data) => this.#read(client, String(data)))
    socket.on('error', () => {})
    socket.on('close', () => {
      // Distinguishes a disconnect by the service from one by this client.
      if (!this.#clients.delete(client)) return
      this.#breaks++
      void this.#open(client.rooms).catch(() => {})
    })
    for (const [room, since] of rooms) {
      this.#replays++
      socket.send(JSON.stringify({ type: 'subscribe', room, ...(since > 0 && { since }) }))
    }
    if (rooms.size === 0) this.#subscribe(client)
  }

  #read({ rooms, socket }: Client, text: string): void {
    this.#messages++
    const [, room, seq] = /"room":"([^"]+)"(?:,"id":[^,]+)?,"seq":(\d+)/.exec(text) ?? []
    if (room !== undefined && rooms.has(room)) rooms.set(room, Number(seq))
    if (text.includes('REPLAY_GAP')) {
      const message = JSON.parse(text)
      rooms.set(message.room, 0)
      socket.send(JSON.stringify({ type: 'subscribe', room: message.room }))
    }
  }
}
