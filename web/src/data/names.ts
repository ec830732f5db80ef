import { useSyncExternalStore } from 'react'
import type { Config } from './config.tsx'

/** Usernames by wallet, from every response that carries an author. Names cost no request of their own. */
const names = new Map<string, string>()
const listeners = new Set<() => void>()

interface Named {
  wallet: string
  username: string | null
}

export function learnNames(authors: Iterable<Named | null | undefined>): void {
  let isChanged = false
  for (const author of authors) {
    if (!author?.username || names.get(author.wallet) === author.username) continue
    names.set(author.wallet, author.username)
    isChanged = true
  }
  if (isChanged) for (const listen of listeners) listen()
}

export const learnDemoNames = ({ demo }: Config) =>
  learnNames(
    (demo?.accounts ?? [])
      .filter(({ name }) => !/^Account \d+$/.test(name))
      .map(({ address, name }) => ({ wallet: address, username: name })),
  )

const subscribe = (listen: () => void) => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

/** The username of a wallet, if any response has named it. */
export function useName(wallet: string | null | undefined): string | null {
  return useSyncExternalStore(subscribe, () => (wallet ? (names.get(wallet.toLowerCase()) ?? null) : null))
}
