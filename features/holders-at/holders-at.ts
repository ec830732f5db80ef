import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/client.ts'
import { inSnapshot } from '../../db/in-snapshot.ts'
import { findBalances, readLaterLogs } from '../../db/queries/forensics/holders-at.ts'
import { type HolderKeyset, type HolderRow, listHolders } from '../../db/queries/holders.ts'
import type { LaunchRow } from '../../db/queries/launches.ts'
import { findOutboxState, listLaterChanges } from '../../db/queries/outbox.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'

interface HoldersAtQuery {
  token: Pick<LaunchRow, 'id' | 'address'>
  block: number
  limit: number
  after: HolderKeyset | null
}

/** The amounts that the transfers of a token in packed logs added to each wallet. */
export type SumTransfers = (packed: readonly string[], token: string) => ReadonlyMap<string, bigint>

/** The wallets whose balance has changed since a block. */
interface Restored {
  /** Those that held the token after the block, with their balances then, in order. */
  rows: readonly HolderRow[]
  wallets: readonly string[]
  /** Number of the last event in the outbox whose commit is in it. */
  seq: number
}

/** About 15 MB. The sums of one block have at most two wallets for each of 20,000 logs. */
const MAX_WALLETS = 50_000
/** Within the retention of the outbox, which says whether the token has changed since. */
const KEEP_MS = 30_000

/**
 * Holders of a token after an earlier block, by the balance that they had: the present ones, less the transfers of later blocks. These
 * are summed once for all pages, and again when the token has changed.
 */
export class HoldersAt {
  readonly #kept = new LRUCache<string, Restored>({
    maxSize: MAX_WALLETS,
    sizeCalculation: ({ wallets }) => wallets.length + 1,
    ttl: KEEP_MS,
  })
  readonly #running = new Map<string, Promise<Restored>>()
  readonly #sumTransfers: SumTransfers

  constructor(sumTransfers: SumTransfers) {
    this.#sumTransfers = sumTransfers
  }

  async list(db: Db, query: HoldersAtQuery): Promise<HolderRow[]> {
    // A failure is repeated below, with the error of this request's own snapshot.
    await this.#running.get(keyOf(query))?.catch(() => {})
    return inSnapshot(db, async (trx) => {
      const { token, limit, after } = query
      const { rows, wallets } = await this.#restore(trx, query)
      const restored = after === null ? rows : rows.filter((row) => compare(row, toRow(after)) > 0)
      const unchanged = await listHolders(trx, { tokenId: token.id, without: wallets, limit, after })
      return [...restored.slice(0, limit), ...unchanged].sort(compare).slice(0, limit)
    })
  }

  /** trx: a snapshot. What was summed in an earlier one holds if no commit between the two has changed the token. */
  async #restore(trx: Db, query: HoldersAtQuery): Promise<Restored> {
    const key = keyOf(query)
    const seq = (await findOutboxState(trx))?.last ?? 0
    const kept = this.#kept.get(key)
    if (kept && (await isUnchanged(trx, query.token.address, { from: kept.seq, to: seq }))) {
      kept.seq = seq
      return kept
    }
    const running = restore(trx, query, { seq, sumTransfers: this.#sumTransfers })
    this.#running.set(key, running)
    try {
      const restored = await running
      this.#kept.set(key, restored)
      return restored
    } finally {
      if (this.#running.get(key) === running) this.#running.delete(key)
    }
  }
}

const keyOf = ({ token, block }: HoldersAtQuery): string => `${token.id} ${block}`

async function restore(
  trx: Db,
  { token, block }: HoldersAtQuery,
  { seq, sumTransfers }: { seq: number; sumTransfers: SumTransfers },
): Promise<Restored> {
  const later = sumTransfers(await readLaterLogs(trx, { tokenId: token.id, block }), token.address)
  const wallets = [...later.keys()]
  const rows = (await findBalances(trx, token.id, wallets))
    .map((row) => ({ ...row, balance: (BigInt(row.balance) - later.get(row.wallet)!).toString() }))
    .filter(({ balance }) => BigInt(balance) > 0n)
    .sort(compare)
  return { rows, wallets, seq }
}

/** Numbers follow the order of commits. A snapshot that is older than `from` may be of another branch of the chain. */
async function isUnchanged(trx: Db, token: string, { from, to }: { from: number; to: number }): Promise<boolean> {
  if (from === to) return true
  if (from > to) return false
  const { changes } = await listLaterChanges(trx, from)
  return !changes.some(({ cacheTags }) => cacheTags.includes('token') || cacheTags.includes(cacheTagOf(token)))
}

type Ranked = Pick<HolderRow, 'balance' | 'wallet'>
const toRow = ([balance, wallet]: HolderKeyset): Ranked => ({ balance, wallet })

/** The highest balance first, and the order of wallets among equal ones. */
function compare(a: Ranked, b: Ranked): number {
  const [one, other] = [BigInt(a.balance), BigInt(b.balance)]
  if (one !== other) return one > other ? -1 : 1
  return a.wallet < b.wallet ? -1 : a.wallet > b.wallet ? 1 : 0
}
