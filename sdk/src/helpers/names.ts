import type { Client } from '../client.ts'
import { listAuthors } from '../operations.ts'

/** What has a wallet and its username: authors, profiles, holders. */
export interface Named {
  wallet: string
  username: string | null
}

/** Usernames by wallet. */
export interface Names {
  /** The username of a wallet, if it is known. */
  get(wallet: string): string | undefined
  /** Keeps the names of records that were read anyway. */
  learn(records: Iterable<Named | null | undefined>): void
  /** Requests the name of a wallet, unless it is known or was requested. Wallets of the same moment share a request. */
  request(wallet: string): void
  /** Calls `listen` when names have become known. Returns the function that stops it. */
  subscribe(listen: () => void): () => void
}

export interface NamesOptions {
  /** Milliseconds in which wallets are collected for one request; 150 by default. */
  collectMs?: number
}

/** Maximum of a request. */
const BATCH = 200

/** Creates a cache of usernames: a page of trades costs one request, and each wallet only the first. */
export function createNames(client: Client, { collectMs = 150 }: NamesOptions = {}): Names {
  const names = new Map<string, string>()
  const listeners = new Set<() => void>()
  const requested = new Set<string>()
  const collected = new Set<string>()

  const learn: Names['learn'] = (records) => {
    let isChanged = false
    for (const record of records) {
      if (!record?.username || names.get(record.wallet.toLowerCase()) === record.username) continue
      names.set(record.wallet.toLowerCase(), record.username)
      isChanged = true
    }
    if (isChanged) for (const listen of [...listeners]) listen()
  }

  const requestCollected = async () => {
    const wallets = [...collected]
    collected.clear()
    for (let start = 0; start < wallets.length; start += BATCH) {
      const batch = wallets.slice(start, start + BATCH)
      try {
        learn((await listAuthors(client, { body: { wallets: batch } })).items)
      } catch {
        // Addresses do as well; the next `request` of these wallets sends another.
        for (const wallet of batch) requested.delete(wallet)
      }
    }
  }

  return {
    get: (wallet) => names.get(wallet.toLowerCase()),
    learn,
    request: (given) => {
      const wallet = given.toLowerCase()
      if (names.has(wallet) || requested.has(wallet)) return
      requested.add(wallet)
      collected.add(wallet)
      if (collected.size === 1) setTimeout(() => void requestCollected(), collectMs)
    },
    subscribe: (listen) => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
  }
}
