import { readTime as readServiceTime } from '@slipway/sdk'
import { useSyncExternalStore } from 'react'
import { api } from './api.ts'

const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
export const formatTime = (iso: string): string => full.format(new Date(iso))

const toMinute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
/** Without seconds, where there is little room. */
export const formatMinute = (iso: string): string => toMinute.format(new Date(iso))

/** The time of the service in milliseconds since 1970. */
export const readTime = (): number => readServiceTime(api)

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
