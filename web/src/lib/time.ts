import { useSyncExternalStore } from 'react'

/** `12s`, `5m`, `3h`, `2d`. */
export function formatAge(iso: string | null, now: number): string {
  if (iso === null) return '–'
  const seconds = Math.max(0, Math.floor((now - Date.parse(iso)) / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** `in 5m`, `in 2d`, or `3h ago`. */
export function formatDistance(iso: string, now: number): string {
  const time = Date.parse(iso)
  if (time <= now) return `${formatAge(iso, now)} ago`
  return `in ${formatAge(new Date(now).toISOString(), time)}`
}

const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
export const formatTime = (iso: string): string => full.format(new Date(iso))

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function subscribe(listen: () => void): () => void {
  listeners.add(listen)
  now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const one of listeners) one()
  }, 1_000)
  return () => {
    listeners.delete(listen)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time in milliseconds, from one timer for the whole page. Changes at most every `stepMs`. */
export function useNow(stepMs = 1_000): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Math.max(now, 0) / stepMs) * stepMs)
}
