import { sql, type Transaction } from 'kysely'
import { parseUsd } from '../../chain/amounts.ts'
import { type BulkTarget, type Column, saveRows, tableOf } from '../../db/bulk.ts'
import { toBytes } from '../../db/hex.ts'
import type { Database } from '../../db/schema.ts'
import type { Deltas } from './deltas.ts'
import { addWalletSums, PERIODS, type Period, sumOf, type WalletSums, type WalletTurnover } from './turnover.ts'

interface WalletRow {
  wallet: string
  figures: WalletSums
  /** The only kind of launchpad on which it has traded; null: on several. */
  kind: string | null
}

/** The part of a wallet's figures that is on one kind of launchpad. */
interface PartRow extends WalletRow {
  kind: string
  isStored: boolean
  isChanged: boolean
}

const figureColumns: Column<WalletRow>[] = [
  { name: 'wallet', type: 'hex', value: (row) => row.wallet },
  { name: 'launchpad_kind', type: 'text', value: (row) => row.kind },
  ...PERIODS.flatMap((period): Column<WalletRow>[] => [
    { name: `trades_${period}`, type: 'bigint', value: (row) => row.figures[period].trades },
    { name: `volume_${period}`, type: 'numeric', value: (row) => row.figures[period].volume },
    { name: `volume_usd_${period}`, type: 'numeric8', value: (row) => row.figures[period].volumeUsd },
    { name: `realized_${period}`, type: 'numeric', value: (row) => row.figures[period].realized },
    { name: `realized_usd_${period}`, type: 'numeric8', value: (row) => row.figures[period].realizedUsd },
  ]),
]

const target: BulkTarget<WalletRow> & { key: string[] } = {
  table: 'wallet_figures',
  key: ['wallet'],
  columns: figureColumns,
}
const partTarget: BulkTarget<PartRow> & { key: string[] } = {
  table: 'wallet_launchpad_figures',
  key: ['wallet', 'launchpad_kind'],
  columns: figureColumns,
}

type StoredWallet = { wallet: string; launchpad_kind: string | null } & Record<`trades_${Period}`, number> &
  Record<`${'volume' | 'volume_usd' | 'realized' | 'realized_usd'}_${Period}`, string>
type StoredPart = StoredWallet & { launchpad_kind: string }

interface StoredWallets {
  figures: ReadonlyMap<string, StoredWallet>
  /** The parts of wallets that have traded on several kinds of launchpads. */
  parts: ReadonlyMap<string, readonly StoredPart[]>
}

const toKeys = (wallets: Iterable<string>): Buffer[] => Array.from(wallets, toBytes)

/** The stored figures of these wallets. */
export async function loadWallets(trx: Transaction<Database>, wallets: Iterable<string>): Promise<StoredWallets> {
  const keys = toKeys(wallets)
  if (keys.length === 0) return { figures: new Map(), parts: new Map() }
  const { rows } = await sql<StoredWallet>`
    select * from wallet_figures where wallet = any(${keys}::bytea[])`.execute(trx)
  const divided = rows.filter((row) => row.launchpad_kind === null)
  return {
    figures: new Map(rows.map((row) => [row.wallet, row])),
    parts: divided.length === 0 ? new Map() : await loadParts(trx, divided),
  }
}

async function loadParts(
  trx: Transaction<Database>,
  divided: readonly StoredWallet[],
): Promise<Map<string, StoredPart[]>> {
  const keys = toKeys(divided.map(({ wallet }) => wallet))
  const { rows } = await sql<StoredPart>`
    select * from wallet_launchpad_figures where wallet = any(${keys}::bytea[])`.execute(trx)
  return Map.groupBy(rows, ({ wallet }) => wallet)
}

/** Adds the deltas to the wallets' stored figures, and new or recent traders to the platform's deltas. */
export async function saveWallets(trx: Transaction<Database>, deltas: Deltas, stored: StoredWallets): Promise<void> {
  const { walletsByKind: byKind } = deltas
  const only = byKind.size === 1 ? [...byKind.keys()][0] : undefined
  const saved: PartRow[] = []
  const dropped: PartRow[] = []
  const written = [...deltas.wallets].map(([wallet, sums]): WalletRow => {
    const row = stored.figures.get(wallet)
    const figures = parseSums(row)
    const before = { ever: figures.total.trades > 0, today: figures.h24.trades > 0 }
    addWalletSums(figures, sums)
    deltas.platform.traders += Number(figures.total.trades > 0) - Number(before.ever)
    deltas.platform.tradersH24 += Number(figures.h24.trades > 0) - Number(before.today)
    if (only !== undefined && (row === undefined || row.launchpad_kind === only)) return { wallet, figures, kind: only }
    const known = stored.parts.get(wallet) ?? []
    // Its kinds are unknown: see completeKinds.
    if (row?.launchpad_kind === null && known.length === 0) return { wallet, figures, kind: null }
    const parts = divide(wallet, row, known, byKind)
    const left = parts.filter((part) => part.figures.total.trades > 0)
    const isDivided = left.length > 1
    for (const part of parts) {
      if (!isDivided || part.figures.total.trades === 0) {
        if (part.isStored) dropped.push(part)
      } else if (part.isChanged) saved.push(part)
    }
    return { wallet, figures, kind: isDivided ? null : (left[0]?.kind ?? null) }
  })
  await saveRows(trx, target, written, ({ wallet }) => !stored.figures.has(wallet))
  await saveRows(trx, partTarget, saved, ({ isStored }) => !isStored)
  await dropParts(trx, dropped)
}

/** The wallet's figures on each kind of launchpad, with the deltas. */
function divide(
  wallet: string,
  row: StoredWallet | undefined,
  stored: readonly StoredPart[],
  byKind: Deltas['walletsByKind'],
): PartRow[] {
  const parts = new Map<string, PartRow>()
  for (const part of stored) {
    const kind = part.launchpad_kind
    parts.set(kind, { wallet, kind, figures: parseSums(part), isStored: true, isChanged: false })
  }
  if (row && row.launchpad_kind !== null) {
    const kind = row.launchpad_kind
    parts.set(kind, { wallet, kind, figures: parseSums(row), isStored: false, isChanged: true })
  }
  for (const [kind, wallets] of byKind) {
    const sums = wallets.get(wallet)
    if (!sums) continue
    const { figures, isStored = false } = parts.get(kind) ?? {}
    parts.set(kind, { wallet, kind, figures: figures ? sumOf(figures, sums) : sums, isStored, isChanged: true })
  }
  return [...parts.values()]
}

/**
 * Wallets that a version before the migration 0030 has inserted have no kind, and no figures by kind. Where all tokens are of one kind,
 * it becomes theirs; else the derived tables are rebuilt.
 */
export async function completeKinds(trx: Transaction<Database>): Promise<void> {
  const withoutKind = await sql<{ wallets: number }>`
    select count(*) as wallets from wallet_figures where launchpad_kind is null and trades_total > 0`.execute(trx)
  const divided = await sql<{ wallets: number }>`
    select count(distinct wallet) as wallets from wallet_launchpad_figures`.execute(trx)
  if (withoutKind.rows[0]?.wallets === divided.rows[0]?.wallets) return
  const { rows: kinds } = await sql<{ kind: string }>`select distinct kind from launchpad_figures`.execute(trx)
  if (kinds.length === 1)
    await sql`update wallet_figures set launchpad_kind = ${kinds[0]?.kind} where launchpad_kind is null`.execute(trx)
  else await trx.updateTable('chain_state').set({ rules: 0 }).execute()
}

async function dropParts(trx: Transaction<Database>, parts: readonly PartRow[]): Promise<void> {
  if (parts.length === 0) return
  await sql`delete from wallet_launchpad_figures f using ${tableOf(figureColumns.slice(0, 2), parts)}
    where f.wallet = k.wallet and f.launchpad_kind = k.launchpad_kind`.execute(trx)
}

/** After an undo: deletes wallets without trades. */
export async function dropIdleWallets(trx: Transaction<Database>, wallets: Iterable<string>): Promise<void> {
  await sql`delete from wallet_figures where wallet = any(${toKeys(wallets)}::bytea[]) and trades_total = 0`.execute(
    trx,
  )
}

const parseSums = (row: StoredWallet | undefined): WalletSums => ({
  total: parseTurnover(row, 'total'),
  h24: parseTurnover(row, 'h24'),
  d7: parseTurnover(row, 'd7'),
  d30: parseTurnover(row, 'd30'),
})

function parseTurnover(row: StoredWallet | undefined, period: Period): WalletTurnover {
  if (!row) return { trades: 0, volume: 0n, volumeUsd: 0n, realized: 0n, realizedUsd: 0n }
  return {
    trades: row[`trades_${period}`],
    volume: BigInt(row[`volume_${period}`]),
    volumeUsd: parseUsd(row[`volume_usd_${period}`]),
    realized: BigInt(row[`realized_${period}`]),
    realizedUsd: parseUsd(row[`realized_usd_${period}`]),
  }
}
