import type { Client } from './client.ts'
import { createPacer } from './pacer.ts'
import type { EventData, EventType, Room, RoomEvents } from './rooms.ts'
import type { Schema } from './types.ts'

/** Messages to a room's handler: its events, and changes of the subscription. */
export type RoomMessage<Name extends Room> =
  | {
      [Type in RoomEvents[Name] & EventType]: { type: Type; room: string; seq: number; data: EventData[Type] }
    }[RoomEvents[Name] & EventType]
  /** Subscribed: every event after `seq` follows. Repeated after each reconnection that resumed without a gap. */
  | { type: 'subscribed'; room: string; seq: number; snapshot?: Schema<'Token'>[] }
  /** Events after `since` are lost, and those after `seq` follow: reload the current state over HTTP. */
  | { type: 'gap'; room: string; since: number; seq: number; snapshot?: Schema<'Token'>[] }
  /** The subscription was rejected or revoked. It is retried on the next connection, by subscribing again, and when the client signs in. */
  | { type: 'refused'; room: string; code: string; message: string }

export interface LiveOptions {
  /** Replaces the global WebSocket, such as with `ws` in Node. */
  WebSocket?: new (
    url: string,
  ) => SocketLike
  /** Called on each change: connecting, open, or permanently closed. */
  onStatus?: (status: LiveStatus) => void
  /** Delay after the first failed connection; doubles up to `maxDelayMs`. Up to half of it is randomly subtracted. */
  minDelayMs?: number
  maxDelayMs?: number
  /** Silence after which the socket is probed; after the same time again, it is replaced. */
  silenceMs?: number
}
export type LiveStatus = 'connecting' | 'open' | 'closed'

export interface SocketLike {
  readonly readyState: number
  send(text: string): void
  close(code?: number): void
  // biome-ignore lint/suspicious/noExplicitAny: event types differ between platforms
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listen: (event: any) => void): void
}

export interface Live {
  /** The seq of the last message of any room: what is read over HTTP from now on contains all events up to it. */
  readonly seq: number | undefined
  /** Resolves when the first room is subscribed. */
  readonly started: Promise<void>
  /**
   * Subscribes to a room. A room may have many handlers. `since` is the seq of the last known event; `last` is `seq`, unless
   * the room has a handler already. `ask` has further fields of the subscribe message: such a subscription has one handler; see
   * subscribeView. Returns the unsubscribe function.
   */
  subscribe<Name extends Room>(
    room: Name,
    handle: (message: RoomMessage<Name>) => void,
    options?: { since?: number | 'last'; ask?: object | undefined },
  ): () => void
  /** Closes the socket and ends all subscriptions, permanently. */
  close(): void
}

type AnyMessage = RoomMessage<Room>

interface Place {
  /** Its key in `places`: the room, unless it has fields of its own to ask with. */
  key: string
  room: string
  ask: object | undefined
  /** Without any, it is left, but may be taken up again until the unsubscribe message is sent. */
  handlers: Set<(message: AnyMessage) => void>
  /** seq of the last event; undefined until the room is subscribed, or starts from `since`. */
  seq: number | undefined
  /** Id of the pending subscribe message. */
  asked: number | undefined
  /** Whether that message was sent: the service may have subscribed it. */
  isSent: boolean
  /** The seq that the service could not resume from. */
  lost: number | undefined
  /** The token of the last subscribe message. */
  token: string | undefined
  /** Whether events arrive. */
  isEntered: boolean
  isRefused: boolean
}

interface Incoming {
  type: string
  room?: string
  id?: string | number
  seq?: number
  code?: string
  message?: string
  snapshot?: Schema<'Token'>[]
}

const OPEN = 1
const VIEW = 'view:'

/**
 * Opens the service's WebSocket and keeps it open until `close`: reconnects with exponential backoff and jitter, and resumes
 * every room after its last event, so that each handler receives each event once and in order.
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
  let lastSeq: number | undefined
  let start = () => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  let isClosed = false
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let silenceTimer: ReturnType<typeof setTimeout> | undefined
  const pacer = createPacer((message) => {
    if (socket?.readyState === OPEN) socket.send(JSON.stringify(message))
  })

  const pauseOf = (times: number) => Math.min(maxDelayMs, minDelayMs * 2 ** times) * (0.5 + Math.random() / 2)
  const isHeard = (place: Place) => places.get(place.key) === place && place.handlers.size > 0
  const placesOf = (room?: string) => [...places.values()].filter((place) => place.room === room)
  const findAsked = (id?: string | number) =>
    [...places.values()].find(({ asked }) => asked !== undefined && asked === id)

  const remove = (place: Place) => {
    if (places.get(place.key) === place) places.delete(place.key)
  }

  /** A room that is taken up again before its turn stays subscribed. */
  const leave = (place: Place) => {
    if (socket?.readyState !== OPEN) return remove(place)
    pacer.send(() => {
      if (place.handlers.size > 0) return undefined
      remove(place)
      if (!place.isSent) return undefined
      place.isSent = false
      return unsubscribeFrom(place.room)
    })
  }

  const unsubscribeFrom = (room: string) =>
    room !== '' && !placesOf(room).some(({ isSent }) => isSent) ? { type: 'unsubscribe', room } : undefined

  const enter = (place: Place) => {
    if (socket?.readyState !== OPEN) return
    place.asked = ++lastId
    place.isEntered = false
    place.isRefused = false
    pacer.send(() => {
      if (!isHeard(place)) {
        // It was left before its turn.
        place.asked = undefined
        if (!place.isSent) remove(place)
        return undefined
      }
      place.isSent = true
      place.token = place.room.startsWith('wallet:') ? client.token : undefined
      return {
        type: 'subscribe',
        room: place.room,
        id: place.asked,
        ...place.ask,
        ...(place.seq !== undefined && { since: place.seq }),
        ...(place.token !== undefined && { token: place.token }),
      }
    })
  }

  const enterLater = (place: Place) => {
    const here = socket
    setTimeout(() => {
      if (isHeard(place) && socket === here && place.asked === undefined && !place.isEntered) enter(place)
    }, pauseOf(2))
  }

  const dispatch = (place: Place, message: AnyMessage) => {
    for (const handle of [...place.handlers])
      try {
        handle(message)
      } catch (error) {
        // Rethrow as an uncaught error: it must not keep the event from other handlers, nor close the socket.
        queueMicrotask(() => {
          throw error
        })
      }
  }

  const handleSubscribed = (place: Place, { room = '', seq = 0, snapshot }: Incoming) => {
    place.asked = undefined
    place.room = room
    place.isEntered = true
    const { lost } = place
    place.lost = undefined
    place.seq = seq
    start()
    const details = { room, seq, ...(snapshot && { snapshot }) }
    dispatch(place, lost === undefined ? { type: 'subscribed', ...details } : { type: 'gap', since: lost, ...details })
  }

  const handleError = (error: Incoming) => {
    const { room, id } = error
    for (const place of id === undefined ? placesOf(room) : [findAsked(id)]) if (place) handleFailure(place, error)
  }

  const handleFailure = (place: Place, { code = '', message = '' }: Incoming) => {
    place.asked = undefined
    place.isSent = false
    place.isEntered = false
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
      dispatch(place, { type: 'refused', room: place.room, code, message })
    }
  }

  const handleMessage = (message: Incoming) => {
    if (message.type === 'error') return handleError(message)
    const { type, room, id, seq } = message
    if (seq === undefined) return
    const asked = type === 'subscribed' ? findAsked(id) : undefined
    const heard = asked ? [asked] : placesOf(room)
    // The seq of a view counts by itself.
    if (heard[0] && !room?.startsWith(VIEW)) lastSeq = Math.max(lastSeq ?? 0, seq)
    if (asked) handleSubscribed(asked, message)
    // It was left before its room was known.
    else if (type === 'subscribed' && room?.startsWith(VIEW)) pacer.send(() => unsubscribeFrom(room))
    if (type === 'subscribed') return
    for (const place of heard) {
      // Events of the previous subscription are sent again after the new subscribed message.
      if (place.asked !== undefined || place.seq === undefined || seq <= place.seq) continue
      place.seq = seq
      dispatch(place, message as AnyMessage)
    }
  }

  const watch = (here: SocketLike) => {
    clearTimeout(silenceTimer)
    silenceTimer = setTimeout(() => {
      pacer.send(() => ({ type: 'ping' }))
      silenceTimer = setTimeout(() => drop(here), silenceMs)
    }, silenceMs)
  }

  /** Runs once per socket, without waiting for its close event, which a dead socket may delay. */
  const drop = (here: SocketLike) => {
    if (socket !== here) return
    socket = undefined
    clearTimeout(silenceTimer)
    pacer.clear()
    for (const place of places.values()) {
      place.asked = undefined
      place.isSent = false
      place.isEntered = false
      if (place.handlers.size === 0) remove(place)
    }
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
    // A close event follows. Without a listener, an error of `ws` would end the process.
    here.addEventListener('error', () => {})
  }

  // A wallet that has signed in again hears its rooms again.
  const forgetToken = client.watchToken(() => {
    for (const place of places.values()) if (place.isRefused && client.token && isHeard(place)) enter(place)
  })

  onStatus?.('connecting')
  open()

  return {
    get seq() {
      return lastSeq
    },
    started,
    subscribe(name, handle, { since: wanted, ask } = {}) {
      if (isClosed) throw new Error('The socket is closed')
      const room = name.toLowerCase()
      const key = ask ? `#${++lastId}` : room
      let place = places.get(key)
      const isLeft = place?.handlers.size === 0
      const since = wanted !== 'last' ? wanted : place ? undefined : lastSeq
      let mustEnter = false
      if (!place) {
        place = {
          key,
          // The service names the room of the others.
          room: ask ? '' : room,
          ask,
          handlers: new Set(),
          seq: since,
          asked: undefined,
          isSent: false,
          lost: undefined,
          token: undefined,
          isEntered: false,
          isRefused: false,
        }
        places.set(key, place)
        mustEnter = true
      } else if (since !== undefined && (place.seq === undefined || since < place.seq)) {
        if (!isLeft) throw new RangeError(`${room} already has a subscription from a later seq: close that first`)
        place.seq = since
        mustEnter = true
      } else if (isLeft) {
        mustEnter = !place.isEntered && place.asked === undefined
      }
      const heard = place
      const handler = handle as (message: AnyMessage) => void
      heard.handlers.add(handler)
      if (mustEnter || heard.isRefused) enter(heard)
      // A later handler of a room learns, too, that its events arrive.
      if (heard.isEntered)
        queueMicrotask(() => {
          const { seq } = heard
          if (heard.isEntered && seq !== undefined && heard.handlers.has(handler))
            handler({ type: 'subscribed', room, seq })
        })
      return () => {
        heard.handlers.delete(handler)
        if (heard.handlers.size === 0 && places.get(key) === heard) leave(heard)
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      places.clear()
      forgetToken()
      clearTimeout(retryTimer)
      if (socket) drop(socket)
      onStatus?.('closed')
    },
  }
}
