import type pg from 'pg'
import { createClient, NO_LIMITS } from '../../db/postgres/pools.ts'
import { OUTBOX_CHANNEL } from '../../db/queries/outbox.ts'

const RETRY_MS = 1_000

export interface LiveNotifications {
  close(): Promise<void>
}

interface ListenerOptions {
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void }
  /** Receives the sequence number of the last event of a commit, of any process. */
  onCommit: (last: number) => void
}

/**
 * Listens to PostgreSQL notifications on a connection of its own, and reconnects in the background. Notifications sent
 * meanwhile are lost, and so are all behind a pooler that shares connections: every process also polls the outbox.
 */
export function listenToOutbox(url: string, { log, onCommit }: ListenerOptions): LiveNotifications {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let lost = false

  const connect = async (): Promise<void> => {
    const opened = createClient(url, 'notifications', NO_LIMITS)
    client = opened
    // Both events may come for one failure.
    const retry = () => {
      if (closed || client !== opened) return
      client = undefined
      // It may be open, as where a standby refuses to listen.
      void opened.end().catch(() => {})
      timer = setTimeout(() => void connect(), RETRY_MS)
      timer.unref()
    }
    opened.on('error', (error) => {
      if (!lost && !closed) log.warn({ err: error }, 'Live events go without notifications of PostgreSQL')
      lost = true
      retry()
    })
    opened.on('end', retry)
    opened.on('notification', ({ payload }) => onCommit(Number(payload)))
    try {
      await opened.connect()
      await opened.query(`listen ${OUTBOX_CHANNEL}`)
      if (lost) log.info({}, 'Live events are notified by PostgreSQL again')
      lost = false
      // What was committed before.
      onCommit(Number.POSITIVE_INFINITY)
    } catch (error) {
      opened.emit('error', error as Error)
    }
  }
  void connect()

  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
