import { continueSession } from '@slipway/sdk'
import { createApi } from '@slipway/sdk/api'
import { readRemembered } from '../session/remembered.ts'
import { vaultFetch } from '../session/vault.ts'

/** URL of the service: the page's own origin, unless the build names another one. */
export const API_URL: string = import.meta.env.VITE_API_URL || location.origin

/** The cookie of a session goes to the page's own origin only. */
export const hasSessions = new URL(API_URL, location.origin).origin === location.origin

/** The SDK's client for the whole page. Its `token` has no signature: the worker keeps the real one. */
export const api = createApi({
  baseUrl: API_URL,
  fetch: vaultFetch,
  onUnauthorized: () => {
    renewal ??= renewToken().finally(() => {
      renewal = undefined
    })
    return renewal
  },
})

let renewal: Promise<boolean> | undefined

/** A token is valid for a day, the session of the browser for a week. */
async function renewToken(): Promise<boolean> {
  const expected = readRemembered()
  const wallet = expected && (await continueSession(api).catch(() => undefined))
  if (wallet && wallet === expected) return true
  api.token = undefined
  return false
}
