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

/** null removes it. */
export function storeRemembered(wallet: string | null): void {
  try {
    if (wallet === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, wallet)
  } catch {
    // Storage is blocked: the next page signs in again.
  }
}
