import type { Client } from '../client.ts'
import { readTime } from '../service-time.ts'
import { readExpiry, readToken } from '../token-claims.ts'

/** Where a token is kept: `localStorage`, `sessionStorage`, or any object of the same shape. */
export interface TokenStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export interface KeepSessionOptions {
  /** `localStorage` by default. */
  storage?: TokenStorage
  /** The default contains the service's URL, so that a token is never sent to another service. */
  key?: string
}

/** Longest time that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Keeps the client signed in across reloads of the page, and in its other tabs: takes over a stored token that has not expired,
 * stores each new one, and drops it when it expires or is revoked. Storage that is blocked or full is no error. Returns the
 * function that stops it. Scripts of the page can read the storage: with a service on the page's own origin, prefer
 * `signIn(client, wallet, { remember: true })` and `continueSession`.
 */
export function keepSession(
  client: Client,
  { storage = findStorage(), key = `slipway.token:${client.baseUrl}` }: KeepSessionOptions = {},
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const isValid = (token: string | undefined) => readToken(token, readTime(client)) !== undefined
  const store = (token: string | undefined) => {
    try {
      if (token === undefined) storage?.removeItem(key)
      else storage?.setItem(key, token)
    } catch {
      // Blocked or full: the session ends with the page.
    }
  }
  const dropWhenExpired = () => {
    clearTimeout(timer)
    const expiry = readExpiry(client.token)
    if (expiry === undefined) return
    timer = setTimeout(
      () => {
        if (isValid(client.token)) dropWhenExpired()
        else client.token = undefined
      },
      Math.min(Math.max(0, expiry - readTime(client)), MAX_TIMER_MS),
    )
    // A process of Node need not wait for it.
    ;(timer as { unref?: () => void }).unref?.()
  }
  const take = (token: string | null) => {
    if (token !== null && isValid(token)) client.token = token
    else store(undefined)
  }

  if (client.token === undefined) take(read(storage, key))
  else store(client.token)
  dropWhenExpired()
  const unwatch = client.watchToken(() => {
    store(isValid(client.token) ? client.token : undefined)
    dropWhenExpired()
  })
  const onStorage = (event: Event) => {
    const { key: changed, newValue } = event as Event & { key: string | null; newValue: string | null }
    // A cleared storage has no key.
    if (changed !== key && changed !== null) return
    client.token = newValue !== null && isValid(newValue) ? newValue : undefined
  }
  const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>
  page.addEventListener?.('storage', onStorage)
  return () => {
    unwatch()
    clearTimeout(timer)
    page.removeEventListener?.('storage', onStorage)
  }
}

/** Reading the property throws where storage is blocked. */
function findStorage(): TokenStorage | undefined {
  try {
    return (globalThis as { localStorage?: TokenStorage }).localStorage
  } catch {
    return undefined
  }
}

function read(storage: TokenStorage | undefined, key: string): string | null {
  try {
    return storage?.getItem(key) ?? null
  } catch {
    return null
  }
}
