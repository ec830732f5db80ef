import { isRejectedByUser, toUserMessage } from '@slipway/sdk'
import { useEffect, useSyncExternalStore } from 'react'

const SHOWN_MS = 8_000
const MAX_SHOWN = 3

let texts: readonly string[] = []
const listeners = new Set<() => void>()

function change(next: readonly string[]): void {
  texts = next
  for (const listen of listeners) listen()
}

const subscribe = (listen: () => void) => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

/** Tells the user in a corner of the page that an action failed, unless the user declined it. For actions without a form. */
export function showFailure(error: unknown): void {
  if (isRejectedByUser(error)) return
  const text = toUserMessage(error)
  change([text, ...texts.filter((one) => one !== text)].slice(0, MAX_SHOWN))
}

/** The messages that are shown now, newest first, and what removes one. */
export function useFailures() {
  const shown = useSyncExternalStore(subscribe, () => texts)
  useEffect(() => {
    if (shown.length === 0) return
    const timer = setTimeout(() => change([]), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [shown])
  return { texts: shown, dismiss: (text: string) => change(texts.filter((one) => one !== text)) }
}
