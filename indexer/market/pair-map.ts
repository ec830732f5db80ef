/** A wallet at a token. */
export interface Pair {
  token: string
  wallet: string
}

/**
 * Something of wallets at tokens. Two levels of maps instead of one of joined keys: a joined key is a new string at every
 * look-up, to be put together and hashed again, which was a tenth of a backfill's processor time.
 */
export class PairMap<V> {
  readonly #tokens = new Map<string, Map<string, V>>()

  get(token: string, wallet: string): V | undefined {
    return this.#tokens.get(token)?.get(wallet)
  }

  set(token: string, wallet: string, value: V): void {
    let wallets = this.#tokens.get(token)
    if (wallets === undefined) {
      wallets = new Map()
      this.#tokens.set(token, wallets)
    }
    wallets.set(wallet, value)
  }

  /** By token, and within a token in the order in which they were set. */
  values(): V[] {
    return [...this.#tokens.values()].flatMap((wallets) => [...wallets.values()])
  }
}
