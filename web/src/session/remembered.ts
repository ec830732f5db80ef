import { storage } from '../lib/storage.ts'

/*
 * The wallet that the browser's session belongs to. Not secret: it only saves visitors without a session the request for one.
 */
const KEY = 'slipway.session'

export const readRemembered = (): string | null => storage.getItem(KEY)

export const storeRemembered = (wallet: string): void => storage.setItem(KEY, wallet)

/** Another tab may have started a session of another wallet, which stays. */
export function forgetRemembered(wallet: string): void {
  if (readRemembered() === wallet) storage.removeItem(KEY)
}
