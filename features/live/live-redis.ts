import { createClient } from 'redis'
import type { LiveEvent } from '../../lib/live/live-events.ts'

const CONNECT_DEADLINE_MS = 5_000
/** Longer messages go without their events: whoever hears one reads the table. */
const MAX_MESSAGE_LENGTH = 256 * 1024

/** Word of events that follow one another: prev is the one before the first of them. */
export interface LiveMessage {
  prev: number
  last: number
  events?: readonly LiveEvent[]
}

export interface LiveRelay {
  /** Lets the other processes know, if it can. */
  publish(message: LiveMessage): void
  close(): Promise<void>
}

interface RelayOptions {
  /** Processes of one database share one. */
  channel: string
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void }
  onMessage: (message: LiveMessage) => void
}

/**
 * Carries word of events between processes through Redis pub/sub, which keeps nothing: what is said while a connection is down
 * is lost, and those who listen have to look for themselves. Connects in the background, again and again.
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
  // A connection that subscribes does nothing else.
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
    // The client subscribes again by itself whenever it has connected again.
    await subscriber.subscribe(name, (text) => {
      const message = parse(text)
      if (message) onMessage(message)
    })
  }
  // Both reject only when they are closed before they have connected.
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
