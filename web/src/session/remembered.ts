/*
 * The wallet that the browser's session belongs to. Not secret: it only saves visitors without a session the request for one.
 */
const KEY = 'slipway.session'

export function readRemembered(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

export function storeRemembered(wallet: string): void {
  try {
    localStorage.setItem(KEY, wallet)
  } catch {
    // Storage is blocked: the next page signs in again.
  }
}

/** Another tab may have started a session of another wallet, which stays. */
export function forgetRemembered(wallet: string): void {
  if (readRemembered() !== wallet) return
  try {
    localStorage.removeItem(KEY)
  } catch {
    // Storage is blocked, so nothing was stored.
  }
}
