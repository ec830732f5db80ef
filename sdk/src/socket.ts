import type { Client } from './client.ts'
import { createPacer } from './pacer.ts'
import type { EventData, EventType, Room, RoomEvents } from './rooms.ts'

/** What a handler of a room is told: its events, and what becomes of its place in the room. */
export type RoomMessage<Name extends Room> =
  | {
      [Type in RoomEvents[Name] & EventType]: { type: Type; room: string; seq: number; data: EventData[Type] }
    }[RoomEvents[Name] & EventType]
  /** The room is entered: every event after `seq` follows. Told again after each break that it went on from. */
  | { type: 'subscribed'; room: string; seq: number }
  /** Events after `since` are lost for good, and those after `seq` follow: read the present state over HTTP now. */
  | { type: 'gap'; room: string; since: number; seq: number }
  /** The room could not be entered, or was lost. It is tried again with the next connection, or by subscribing anew. */
  | { type: 'refused'; room: string; code: string; message: string }

export interface LiveOptions {
  /** Instead of the platform's own: as `ws` of Node. */
  WebSocket?: new (
    url: string,
  ) => SocketLike
  /** Told of each change: a connection is being made, is there, or is closed for good. */
  onStatus?: (status: LiveStatus) => void
  /** Of the pause after the first failed connection; doubled with each, up to `maxDelayMs`, of which a random half is taken off. */
  minDelayMs?: number
  maxDelayMs?: number
  /** How long the socket may be silent before it is asked whether it lives; as long again, and it is replaced. */
  silenceMs?: number
}
export type LiveStatus = 'connecting' | 'open' | 'closed'

export interface SocketLike {
  readonly readyState: number
  send(text: string): void
  close(code?: number): void
  // biome-ignore lint/suspicious/noExplicitAny: each platform has its own events; these have what is read of them
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listen: (event: any) => void): void
}

export interface Live {
  /**
   * Hears a room. The same room may be heard by many handlers. `since` is the seq of the last event that is known already.
   * Returns what ends it.
   */
  subscribe<Name extends Room>(
    room: Name,
    handle: (message: RoomMessage<Name>) => void,
    options?: { since?: number },
  ): () => void
  /** Leaves all rooms, for good. */
  close(): void
}

type AnyMessage = RoomMessage<Room>

interface Place {
  room: string
  handlers: Set<(message: AnyMessage) => void>
  /** The last event heard; undefined until the room is entered or told where to begin. */
  seq: number | undefined
  /** The subscribe that is waited for. */
  asked: number | undefined
  /** The seq that could not be gone on from. */
  lost: number | undefined
  /** The token it was asked with. */
  token: string | undefined
  isRefused: boolean
}

interface Incoming {
  type: string
  room?: string
  id?: string | number
  seq?: number
  code?: string
  message?: string
}

const OPEN = 1

/**
 * Opens the socket of the service and keeps it open until `close`: connects again after a break, with growing random pauses,
 * and goes on in every room after the last event heard, so that each handler hears each event once and in order.
 */
export function connect(client: Client, options: LiveOptions = {}): Live {
  const { minDelayMs = 500, maxDelayMs = 30_000, silenceMs = 40_000, onStatus } = options
  const Socket = options.WebSocket ?? (globalThis as unknown as { WebSocket: LiveOptions['WebSocket'] }).WebSocket
  if (!Socket) throw new TypeError('This platform has no WebSocket: give one as an option')
  const url = `${client.baseUrl.replace(/^http/, 'ws')}/ws`

  const places = new Map<string, Place>()
  let socket: SocketLike | undefined
  let failures = 0
  let lastId = 0
  let isClosed = false
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let silenceTimer: ReturnType<typeof setTimeout> | undefined
  const pacer = createPacer((message) => {
    if (socket?.readyState === OPEN) socket.send(JSON.stringify(message))
  })

  const pauseOf = (times: number) => Math.min(maxDelayMs, minDelayMs * 2 ** times) * (0.5 + Math.random() / 2)
  const isHeard = (place: Place) => places.get(place.room) === place

  const enter = (place: Place) => {
    if (socket?.readyState !== OPEN) return
    place.asked = ++lastId
    place.isRefused = false
    place.token = place.room.startsWith('wallet:') ? client.token : undefined
    pacer.send({
      type: 'subscribe',
      room: place.room,
      id: place.asked,
      ...(place.seq !== undefined && { since: place.seq }),
      ...(place.token !== undefined && { token: place.token }),
    })
  }

  const enterLater = (place: Place) => {
    const here = socket
    setTimeout(() => {
      if (isHeard(place) && socket === here && place.asked === undefined) enter(place)
    }, pauseOf(2))
  }

  const tell = (place: Place, message: AnyMessage) => {
    for (const handle of [...place.handlers])
      try {
        handle(message)
      } catch (error) {
        // One that fails must neither keep the event from the others nor end the socket; it fails where all can see.
        queueMicrotask(() => {
          throw error
        })
      }
  }

  const handleSubscribed = (place: Place, { room, seq }: { room: string; seq: number }) => {
    place.asked = undefined
    const { lost } = place
    place.lost = undefined
    place.seq = seq
    tell(place, lost === undefined ? { type: 'subscribed', room, seq } : { type: 'gap', room, since: lost, seq })
  }

  const handleError = ({ code = '', message = '', room = '', id }: Incoming) => {
    const place = id === undefined ? places.get(room) : [...places.values()].find(({ asked }) => asked === id)
    if (!place) return
    place.asked = undefined
    if (code === 'REPLAY_GAP') {
      place.lost = place.seq ?? 0
      place.seq = undefined
      enter(place)
    } else if (code === 'UNAVAILABLE' || code === 'RATE_LIMITED') {
      enterLater(place)
    } else if (code === 'UNAUTHORIZED' && client.token !== undefined && client.token !== place.token) {
      enter(place)
    } else {
      place.isRefused = true
      tell(place, { type: 'refused', room: place.room, code, message })
    }
  }

  const handleMessage = (message: Incoming) => {
    if (message.type === 'error') return handleError(message)
    const place = message.room === undefined ? undefined : places.get(message.room)
    if (!place || message.seq === undefined) return
    if (message.type === 'subscribed') {
      if (message.id === place.asked) handleSubscribed(place, message as { room: string; seq: number })
      return
    }
    // Whatever is left of an earlier stay in the room comes again after the new subscribed.
    if (place.asked !== undefined || place.seq === undefined || message.seq <= place.seq) return
    place.seq = message.seq
    tell(place, message as AnyMessage)
  }

  const watch = (here: SocketLike) => {
    clearTimeout(silenceTimer)
    silenceTimer = setTimeout(() => {
      pacer.send({ type: 'ping' })
      silenceTimer = setTimeout(() => drop(here), silenceMs)
    }, silenceMs)
  }

  /** Once for each socket, however it ends. A dead one may take long to say that it is closed, and is not waited for. */
  const drop = (here: SocketLike) => {
    if (socket !== here) return
    socket = undefined
    clearTimeout(silenceTimer)
    pacer.clear()
    for (const place of places.values()) place.asked = undefined
    here.close()
    if (isClosed) return
    onStatus?.('connecting')
    retryTimer = setTimeout(open, pauseOf(failures++))
  }

  const open = () => {
    const here = new Socket(url)
    socket = here
    watch(here)
    here.addEventListener('open', () => {
      if (socket !== here) return
      onStatus?.('open')
      for (const place of places.values()) enter(place)
    })
    here.addEventListener('message', ({ data }: { data: unknown }) => {
      if (socket !== here) return
      failures = 0
      watch(here)
      handleMessage(JSON.parse(String(data)) as Incoming)
    })
    here.addEventListener('close', () => drop(here))
    // A close follows; unheard, an error of `ws` would end the process.
    here.addEventListener('error', () => {})
  }

  onStatus?.('connecting')
  open()

  return {
    subscribe(name, handle, { since } = {}) {
      if (isClosed) throw new Error('The socket is closed')
      const room = name.toLowerCase()
      let place = places.get(room)
      if (!place) {
        place = {
          room,
          handlers: new Set(),
          seq: since,
          asked: undefined,
          lost: undefined,
          token: undefined,
          isRefused: false,
        }
        places.set(room, place)
        enter(place)
      } else if (since !== undefined && (place.seq === undefined || since < place.seq)) {
        throw new RangeError(`${room} is heard already, from a later seq: close that first`)
      }
      if (place.isRefused) enter(place)
      const heard = place
      const handler = handle as (message: AnyMessage) => void
      heard.handlers.add(handler)
      return () => {
        heard.handlers.delete(handler)
        if (heard.handlers.size > 0 || !isHeard(heard)) return
        places.delete(room)
        pacer.send({ type: 'unsubscribe', room })
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      places.clear()
      clearTimeout(retryTimer)
      if (socket) drop(socket)
      onStatus?.('closed')
    },
  }
}
