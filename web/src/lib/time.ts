import { useSyncExternalStore } from 'react'

const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
export const formatTime = (iso: string): string => full.format(new Date(iso))

const toMinute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
/** Without seconds, where there is little room. */
export const formatMinute = (iso: string): string => toMinute.format(new Date(iso))

/** The service's time in milliseconds at the start of performance.now(); undefined before the first response. */
let origin: number | undefined

/**
 * Takes the time of a response, its header Date. The clock of the browser may be wrong, and the times that the chain compares are not
 * its own. A response that was cached or slow is old, but none is early: the latest time counts.
 */
export function learnTime(date: string | null): void {
  const time = Date.parse(date ?? '') - performance.now()
  if (time > (origin ?? Number.NEGATIVE_INFINITY)) origin = time
}

/** The time of the service in milliseconds since 1970. */
export const readTime = (): number => (origin === undefined ? Date.now() : Math.round(origin + performance.now()))

let now = readTime()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function subscribe(listen: () => void): () => void {
  listeners.add(listen)
  now = readTime()
  timer ??= setInterval(() => {
    now = readTime()
    for (const one of listeners) one()
  }, 1_000)
  return () => {
    listeners.delete(listen)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time of the service in milliseconds, from one timer for the whole page. Changes at most every `stepMs`. */
export function useNow(stepMs = 1_000): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Math.max(now, 0) / stepMs) * stepMs)
}
