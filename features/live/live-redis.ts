import { createClient } from 'redis'
import type { LiveEvent } from './live-event.ts'

const CONNECT_DEADLINE_MS = 5_000
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
export function openRedisRelay(url: string, { channel, log, onMessage }: RelayOptions): LiveRelay {
  const name = `slipway:live:${channel}`
  const connect = () =>
    createClient({
      url,
      disableOfflineQueue: true,
      socket: {
        connectTimeout: CONNECT_DEADLINE_MS,
        reconnectStrategy: (attempts) => Math.min(50 * 2 ** Math.min(attempts, 6), 2_000),
      },
    })
  // A connection in subscriber mode cannot publish.
  const [publisher, subscriber] = [connect(), connect()]
  let lost = false
  for (const client of [publisher, subscriber]) {
    client.on('error', (error: unknown) => {
      if (!lost) log.warn({ err: error }, 'Live events go without Redis')
      lost = true
    })
  }
  subscriber.on('ready', () => {
    if (lost) log.info({}, 'Live events go through Redis again')
    lost = false
  })
  const start = async () => {
    await subscriber.connect()
    // The client resubscribes after a reconnect.
    await subscriber.subscribe(name, (text) => {
      const message = parse(text)
      if (message) onMessage(message)
    })
  }
  // Both reject only if closed before they have connected.
  start().catch(() => {})
  publisher.connect().catch(() => {})
  return {
    publish: ({ prev, last, events }) => {
      const full = JSON.stringify({ prev, last, events })
      const text = full.length > MAX_MESSAGE_LENGTH ? JSON.stringify({ prev, last }) : full
      publisher.publish(name, text).catch(() => {})
    },
    close: async () => {
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
