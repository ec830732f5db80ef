import { createClient } from '@slipway/sdk'
import { vaultFetch } from '../session/vault.ts'

/** URL of the service: the page's own origin, unless the build names another one. */
export const API_URL: string = import.meta.env.VITE_API_URL || location.origin

/** The SDK's client for the whole page. Its `token` has no signature: the worker keeps the real one. */
export const api = createClient({
  baseUrl: API_URL,
  fetch: vaultFetch,
  onUnauthorized: () => {
    api.token = undefined
    return false
  },
})
