import { sql, type Transaction } from 'kysely'
import { parseUsd } from '../../chain/amounts.ts'
import { type BulkTarget, saveRows } from '../../db/bulk.ts'
import { toBytes } from '../../db/hex.ts'
import type { Database } from '../../db/schema.ts'
import { addWalletTurnover, type Deltas, type WalletSums, type WalletTurnover } from './deltas.ts'

const PERIODS = ['total', 'h24', 'd7', 'd30'] as const
type Period = (typeof PERIODS)[number]

interface WalletRow {
  wallet: string
  figures: WalletSums
}

const target: BulkTarget<WalletRow> & { key: string[] } = {
  table: 'wallet_figures',
  key: ['wallet'],
  columns: [
    { name: 'wallet', type: 'hex', value: (row) => row.wallet },
    ...PERIODS.flatMap((period) => [
      { name: `trades_${period}`, type: 'bigint' as const, value: (row: WalletRow) => row.figures[period].trades },
      { name: `volume_${period}`, type: 'numeric' as const, value: (row: WalletRow) => row.figures[period].volume },
      {
        name: `volume_usd_${period}`,
        type: 'numeric8' as const,
        value: (row: WalletRow) => row.figures[period].volumeUsd,
      },
      { name: `realized_${period}`, type: 'numeric' as const, value: (row: WalletRow) => row.figures[period].realized },
      {
        name: `realized_usd_${period}`,
        type: 'numeric8' as const,
        value: (row: WalletRow) => row.figures[period].realizedUsd,
      },
    ]),
  ],
}

type StoredWallet = { wallet: string } & Record<`trades_${Period}`, number> &
  Record<`${'volume' | 'volume_usd' | 'realized' | 'realized_usd'}_${Period}`, string>

type StoredWallets = ReadonlyMap<string, StoredWallet>

const toKeys = (wallets: Iterable<string>): Buffer[] => Array.from(wallets, toBytes)

/** The stored figures of these wallets. */
export async function loadWallets(trx: Transaction<Database>, wallets: Iterable<string>): Promise<StoredWallets> {
  const keys = toKeys(wallets)
  if (keys.length === 0) return new Map()
  const { rows } = await sql<StoredWallet>`
    select * from wallet_figures where wallet = any(${keys}::bytea[])`.execute(trx)
  return new Map(rows.map((row) => [row.wallet, row]))
}

/** Adds the deltas to the wallets' stored figures, and new or recent traders to the platform's deltas. */
export async function saveWallets(trx: Transaction<Database>, deltas: Deltas, stored: StoredWallets): Promise<void> {
  const written = [...deltas.wallets].map(([wallet, sum]) => {
    const row = stored.get(wallet)
    const figures = {
      total: parseTurnover(row, 'total'),
      h24: parseTurnover(row, 'h24'),
      d7: parseTurnover(row, 'd7'),
      d30: parseTurnover(row, 'd30'),
    }
    const before = { ever: figures.total.trades > 0, today: figures.h24.trades > 0 }
    for (const period of PERIODS) addWalletTurnover(figures[period], sum[period])
    deltas.platform.traders += Number(figures.total.trades > 0) - Number(before.ever)
    deltas.platform.tradersH24 += Number(figures.h24.trades > 0) - Number(before.today)
    return { wallet, figures }
  })
  await saveRows(trx, target, written, ({ wallet }) => !stored.has(wallet))
}

/** After an undo: deletes wallets without trades. */
export async function dropIdleWallets(trx: Transaction<Database>, wallets: Iterable<string>): Promise<void> {
  await sql`delete from wallet_figures where wallet = any(${toKeys(wallets)}::bytea[]) and trades_total = 0`.execute(
    trx,
  )
}

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
