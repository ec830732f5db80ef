import { pause } from '../../lib/concurrency/pause.ts'
import { connectRedis } from '../../lib/redis/connect-redis.ts'
import type { RedisPlace } from '../../lib/redis/redis-place.ts'
import type { LiveEvent } from './live-event.ts'

const RETRY_MS = 500
/** In characters. Longer messages are sent without events: receivers then read the outbox. */
const MAX_MESSAGE_LENGTH = 256 * 1024

/** Announces consecutive events: `prev` is the seq before the first of them, `last` that of the last. */
export interface LiveMessage {
  prev: number
  last: number
  events?: readonly LiveEvent[]
}

export interface LiveRelay {
  /** Notifies the other processes. Failures are ignored: every process also polls the outbox. */
  publish(message: LiveMessage): void
  close(): Promise<void>
}

interface RelayOptions {
  /** Shared by all processes of one database. */
  channel: string
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void }
  onMessage: (message: LiveMessage) => void
}

/**
 * Relays events between processes over Redis pub/sub. Messages sent while a connection is down are lost: receivers must
 * detect gaps. Connects and reconnects in the background.
 */
export function openRedisRelay(place: RedisPlace, { channel, log, onMessage }: RelayOptions): LiveRelay {
  const name = `slipway:live:${channel}`
  let lost = false
  const onError = (error: unknown) => {
    if (!lost) log.warn({ err: error }, 'Live events go without Redis')
    lost = true
  }
  const onBack = () => {
    if (lost) log.info({}, 'Live events go through Redis again')
    lost = false
  }
  // A connection in subscriber mode cannot publish.
  const publisher = connectRedis(place, { onError, onReady: () => {} })
  const subscriber = connectRedis(place, { onError, onReady: onBack })
  const listen = () =>
    subscriber.subscribe(name, (text) => {
      const message = parse(text)
      if (!message) return
      onBack()
      onMessage(message)
    })
  const closed = new AbortController()
  /** After the first connect, a connection is made again by itself. */
  const start = async (connect: () => Promise<unknown>) => {
    while (!closed.signal.aborted) {
      const error = await connect().then(
        () => null,
        (reason: unknown) => reason ?? new Error('Unknown'),
      )
      if (error === null || closed.signal.aborted) return
      onError(error)
      await pause(RETRY_MS, closed.signal)
    }
  }
  start(() => subscriber.connect())
    .then(listen)
    .catch(() => {})
  start(() => publisher.connect())
  return {
    publish: ({ prev, last, events }) => {
      const full = JSON.stringify({ prev, last, events })
      const text = full.length > MAX_MESSAGE_LENGTH ? JSON.stringify({ prev, last }) : full
      publisher.publish(name, text).catch(() => {})
    },
    close: async () => {
      closed.abort()
      publisher.destroy()
      subscriber.destroy()
    },
  }
}

function parse(text: string): LiveMessage | undefined {
  try {
    const message = JSON.parse(text) as LiveMessage
    return Number.isSafeInteger(message.prev) && Number.isSafeInteger(message.last) ? message : undefined
  } catch {
    return undefined
  }
}
