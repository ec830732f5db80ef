import type { Db } from '../../db/client.ts'
import { findBalances, readLaterLogs } from '../../db/queries/forensics/holders-at.ts'
import { type HolderKeyset, type HolderRow, listHolders } from '../../db/queries/holders.ts'
import type { LaunchRow } from '../../db/queries/launches.ts'
import { sumTransfers } from '../../indexer/forensics/sum-transfers.ts'

interface HoldersAtQuery {
  token: Pick<LaunchRow, 'id' | 'address'>
  block: number
  limit: number
  after: HolderKeyset | null
}

/**
 * Holders of a token after a block, by the balance that they had: the present ones, less the transfers of later blocks. db: a
 * transaction that reads one snapshot.
 */
export async function readHoldersAt(db: Db, { token, block, limit, after }: HoldersAtQuery): Promise<HolderRow[]> {
  const later = sumTransfers(await readLaterLogs(db, { tokenId: token.id, block }), token.address)
  const changed = await findBalances(db, token.id, [...later.keys()])
  const restored = changed
    .map((row) => ({ ...row, balance: (BigInt(row.balance) - later.get(row.wallet)!).toString() }))
    .filter((row) => BigInt(row.balance) > 0n && (after === null || compare(row, toRow(after)) > 0))
  const unchanged = await listHolders(db, { tokenId: token.id, without: [...later.keys()], limit, after })
  return [...restored, ...unchanged].sort(compare).slice(0, limit)
}

type Ranked = Pick<HolderRow, 'balance' | 'wallet'>
const toRow = ([balance, wallet]: HolderKeyset): Ranked => ({ balance, wallet })

/** The highest balance first, and the order of wallets among equal ones. */
function compare(a: Ranked, b: Ranked): number {
  const [one, other] = [BigInt(a.balance), BigInt(b.balance)]
  if (one !== other) return one > other ? -1 : 1
  return a.wallet < b.wallet ? -1 : a.wallet > b.wallet ? 1 : 0
}
