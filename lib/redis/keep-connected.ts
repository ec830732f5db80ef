import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from '../concurrency/pause.ts'
import { within } from '../concurrency/within.ts'
import {
  backOff,
  CONNECT_DEADLINE_MS,
  HANG_MS,
  type OpenSession,
  type Redis,
  type RedisEvents,
  type Session,
} from './session.ts'

const CHECK_MS = 1_000

/** A session with what ends its watch. */
interface Kept {
  session: Session
  lose: (error: unknown) => void
  lost: Promise<never>
}

/**
 * A connection that outlives its sessions: one that is lost, or whose servers hang without closing their connections, is
 * replaced by a new one, which finds the servers that are to be used now. `onDestroy` frees what all sessions share.
 */
export function keepConnected(
  open: OpenSession,
  { onError, onReady }: RedisEvents,
  onDestroy: () => void = () => {},
): Redis {
  const channels = new Map<string, (text: string) => void>()
  const closing = new AbortController()
  const { signal } = closing
  let current: Kept | undefined

  const openNext = async (): Promise<void> => {
    const { promise: lost, reject: lose } = Promise.withResolvers<never>()
    lost.catch(() => {})
    const session = await open({ onLost: lose, onError, onReady })
    // A reply of the former servers would be that of a past state, and its channels would be heard twice.
    current?.session.destroy()
    try {
      for (const [channel, listener] of channels)
        await within(CONNECT_DEADLINE_MS, session.subscribe(channel, listener))
      signal.throwIfAborted()
    } catch (error) {
      session.destroy()
      throw error
    }
    current = { session, lose, lost }
    onReady()
  }

  const replace = async (): Promise<void> => {
    for (let attempts = 0; !signal.aborted; attempts++) {
      try {
        return await openNext()
      } catch (error) {
        if (!signal.aborted) onError(error)
      }
      await pause(backOff(attempts), signal)
    }
  }

  /** Rejects when the session is lost. */
  const watch = async ({ session, lost }: Kept): Promise<never> => {
    for (;;) {
      await Promise.race([sleep(CHECK_MS, undefined, { signal }), lost])
      await Promise.race([within(HANG_MS, session.check()), lost])
    }
  }

  const keep = async (): Promise<void> => {
    while (current && !signal.aborted) {
      const error: unknown = await watch(current).catch((reason: unknown) => reason)
      if (signal.aborted) return
      onError(error)
      await replace()
    }
  }

  const need = (): Kept => {
    if (!current) throw new Error('Redis is not connected yet')
    return current
  }

  return {
    get commands() {
      return need().session.commands
    },
    connect: async () => {
      // Once more: a process that starts is busy, and may notice an answer too late.
      await openNext().catch(openNext)
      void keep()
    },
    confirm: async () => need().session.confirm(),
    subscribe: async (channel, listener) => {
      const { session, lose } = need()
      channels.set(channel, listener)
      await session.subscribe(channel, listener).catch(lose)
    },
    publish: async (channel, text) => need().session.publish(channel, text),
    destroy: () => {
      closing.abort()
      current?.session.destroy()
      onDestroy()
    },
  }
}
