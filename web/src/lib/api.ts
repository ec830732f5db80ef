import { continueSession } from '@slipway/sdk'
import { createApi } from '@slipway/sdk/api'
import { vaultFetch } from '../session/vault.ts'

/** URL of the service: the page's own origin, unless the build names another one. */
export const API_URL: string = import.meta.env.VITE_API_URL || location.origin

/** The cookie of a session goes to the page's own origin only. */
export const hasSessions = new URL(API_URL, location.origin).origin === location.origin

/** The SDK's client for the whole page. Its `token` has no signature: the worker keeps the real one. */
export const api = createApi({
  baseUrl: API_URL,
  fetch: vaultFetch,
  onUnauthorized: (_, wallet) => {
    renewal ??= renewToken(wallet).finally(() => {
      renewal = undefined
    })
    return renewal
  },
})

let renewal: Promise<boolean> | undefined

type SignInSilently = (wallet: string) => Promise<boolean>
let signInSilently: SignInSilently | undefined

/** Sets what signs a wallet in without asking anybody. Resolves to whether it did. */
export function setSilentSignIn(next: SignInSilently | undefined): void {
  signInSilently = next
}

/**
 * A token is valid for a day, the session of the browser for a week. That session may be of another wallet by now, which another
 * tab signed in: then this wallet signs in again, or is signed out.
 */
async function renewToken(wallet: string | undefined): Promise<boolean> {
  const rejected = api.token
  if (hasSessions && wallet && (await continueSession(api, { wallet }).catch(() => undefined))) return true
  if (api.token === rejected) api.token = undefined
  if (!wallet || !signInSilently) return false
  return signInSilently(wallet).catch(() => false)
}
