import { setTimeout as sleep } from 'node:timers/promises'
import type { Sent } from './client.ts'

const INDEXING_MS = 120_000

interface KnownToken {
  address: string
  name: string
  status: string
}

export const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T

/** Records that clients have received, so that they request existing ones. */
export class World {
  tokens: KnownToken[] = []
  hashes: string[] = []
  uploads: string[] = []
  comments: number[] = []
  raises: string[] = []
  pools: string[] = []
  wallets: string[] = []
  readonly #send: (sent: Sent) => Promise<{ status: number; text: string }>

  constructor(send: (sent: Sent) => Promise<{ status: number; text: string }>) {
    this.#send = send
  }

  /** Waits until the service has indexed the history of the market. */
  async open(): Promise<void> {
    const deadline = performance.now() + INDEXING_MS
    for (;;) {
      await this.refresh()
      if ([this.tokens, this.raises, this.pools, this.hashes].every(({ length }) => length > 0)) return
      if (performance.now() > deadline) throw new Error(`The service has no market after ${INDEXING_MS / 1_000} s`)
      await sleep(1_000)
    }
  }

  async refresh(): Promise<void> {
    const [tokens, raises, pools, trades] = await Promise.all(
      ['/tokens?limit=100', '/raises?limit=50', '/staking/pools', '/transactions?limit=50'].map((path) =>
        this.#list(path),
      ),
    )
    if (tokens?.length) this.tokens = tokens as unknown as KnownToken[]
    if (raises?.length) this.raises = raises.map(({ id }) => String(id))
    if (pools?.length) this.pools = pools.map(({ id }) => String(id))
    if (trades?.length) {
      this.hashes = trades.map(({ txHash }) => String(txHash))
      this.wallets = trades.map(({ wallet, trader }) => String(wallet ?? trader))
    }
  }

  async #list(path: string): Promise<Record<string, unknown>[] | null> {
    const { status, text } = await this.#send({ method: 'GET', path, headers: {}, expect: [200] })
    return status === 200 ? JSON.parse(text).data.items : null
  }
}
