import { listAuthors } from '@slipway/sdk'
import { useEffect, useSyncExternalStore } from 'react'
import { api } from '../lib/api.ts'
import type { Config } from './config.tsx'

/** Usernames by wallet, from every response that carries an author, and from requests for all other wallets of a page. */
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

/** Time to collect the wallets of a page, which are then requested together. */
const COLLECT_MS = 150
/** Maximum of a request. */
const BATCH = 200

const requested = new Set<string>()
const collected = new Set<string>()

function request(wallet: string): void {
  if (names.has(wallet) || requested.has(wallet)) return
  requested.add(wallet)
  collected.add(wallet)
  if (collected.size === 1) setTimeout(() => void requestCollected(), COLLECT_MS)
}

async function requestCollected(): Promise<void> {
  const wallets = [...collected]
  collected.clear()
  for (let start = 0; start < wallets.length; start += BATCH) {
    const batch = wallets.slice(start, start + BATCH)
    try {
      const { items } = await listAuthors(api, { body: { wallets: batch } })
      learnNames(items)
    } catch {
      // Addresses do as well; the next page that shows these wallets requests them again.
      for (const wallet of batch) requested.delete(wallet)
    }
  }
}

const subscribe = (listen: () => void) => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

/** The username of a wallet, once it is known that it has one. `isKnown`: the caller has the name from elsewhere. */
export function useName(given: string | null | undefined, isKnown = false): string | null {
  const wallet = given?.toLowerCase()
  useEffect(() => {
    if (wallet && !isKnown) request(wallet)
  }, [wallet, isKnown])
  return useSyncExternalStore(subscribe, () => (wallet ? (names.get(wallet) ?? null) : null))
}
