import { createNames } from '@slipway/sdk/helpers'
import { useEffect, useSyncExternalStore } from 'react'
import { api } from '../lib/api.ts'
import type { Config } from './config.tsx'

/** Usernames by wallet, from every response that carries an author, and from requests for all other wallets of a page. */
const names = createNames(api)

export const learnNames = names.learn

export const learnDemoNames = ({ demo }: Config) =>
  learnNames(
    (demo?.accounts ?? [])
      .filter(({ name }) => !/^Account \d+$/.test(name))
      .map(({ address, name }) => ({ wallet: address, username: name })),
  )

/** The username of a wallet, once it is known that it has one. `isKnown`: the caller has the name from elsewhere. */
export function useName(wallet: string | null | undefined, isKnown = false): string | null {
  useEffect(() => {
    if (wallet && !isKnown) names.request(wallet)
  }, [wallet, isKnown])
  return useSyncExternalStore(names.subscribe, () => (wallet ? (names.get(wallet) ?? null) : null))
}
