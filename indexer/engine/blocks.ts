import { sql, type Transaction } from 'kysely'
import { parseUsd } from '../../chain/amounts.ts'
import type { ReadPrices } from '../../chain/rates.ts'
import { appendRows, type BulkTarget, writeRows } from '../../db/bulk.ts'
import type { Db } from '../../db/client.ts'
import { toBytes } from '../../db/hex.ts'
import type { Database } from '../../db/schema.ts'
import type { Block, BlockId } from './batch.ts'
import { finishCompression, packLogs, unpackLogs } from './pack-logs.ts'
import { storeAnswers } from './reads/store-answers.ts'

const target: BulkTarget<Block> = {
  table: 'blocks',
  key: ['number'],
  update: ['log_count', 'logs'],
  columns: [
    { name: 'number', type: 'bigint', value: (block) => block.number },
    { name: 'hash', type: 'hex', value: (block) => block.hash },
    { name: 'time', type: 'bigint', value: (block) => block.time },
    { name: 'quote_usd', type: 'numeric8', value: ({ nativeUsd }) => nativeUsd },
    { name: 'quote_prices', type: 'text', value: ({ quotePrices }) => writePrices(quotePrices) },
    { name: 'log_count', type: 'integer', value: (block) => block.logs.length },
    { name: 'logs', type: 'bytea', value: ({ logs }) => (logs.length === 0 ? null : packLogs(logs)) },
  ],
}

/**
 * The lowest height where the stored block differs from the batch: by its hash, or (with comparePrices) by its USD
 * price. An unknown price of the batch never conflicts: nodes drop the state of old blocks. A stored unknown one does.
 */
export async function findConflict(
  trx: Transaction<Database>,
  blocks: readonly (BlockId & Partial<Pick<Block, 'nativeUsd' | 'quotePrices'>>)[],
  { comparePrices }: { comparePrices: boolean },
): Promise<number | undefined> {
  if (blocks.length === 0) return undefined
  const stored = await trx
    .selectFrom('blocks')
    .select(['number', 'hash', 'quote_usd', 'quote_prices'])
    .where(sql<boolean>`number = any(${blocks.map(({ number }) => number)}::bigint[])`)
    .orderBy('number')
    .execute()
  const offered = new Map(blocks.map((block) => [block.number, block]))
  return stored.find(({ number, hash, quote_usd, quote_prices }) => {
    const block = offered.get(number)
    if (!block || block.hash !== hash) return block !== undefined
    if (!comparePrices) return false
    const isOther = (block.nativeUsd ?? null) !== null && block.nativeUsd !== parsePrice(quote_usd)
    return (
      isOther ||
      Object.entries(block.quotePrices ?? {}).some(([asset, price]) => parsePrices(quote_prices)?.[asset] !== price)
    )
  })?.number
}

/** Blocks with all their logs, stored and new, in order. */
export interface MergedBlocks {
  blocks: readonly Block[]
  /** Whether a log is applied for the first time. */
  isNew(block: number, log: number): boolean
  /** Whether the block has a row. */
  isStored(block: number): boolean
}

/** Adds the logs that are stored already to those of the blocks. Writes nothing. */
export async function mergeStored(trx: Transaction<Database>, blocks: readonly Block[]): Promise<MergedBlocks> {
  const { rows } = await sql<Omit<StoredBlock, 'hash' | 'time'>>`
    select number, quote_usd, quote_prices, logs from blocks
    where number = any(${blocks.map(({ number }) => number)}::bigint[])`.execute(trx)
  const known = new Map(rows.map((row) => [row.number, row]))
  const applied = new Map<number, Set<number>>()
  const merged = blocks.map((block) => {
    const row = known.get(block.number)
    if (!row) return block
    const stored = row.logs ? unpackLogs(toBytes(row.logs)) : []
    const indexes = new Set(stored.map(({ logIndex }) => logIndex))
    applied.set(block.number, indexes)
    const logs = [...stored, ...block.logs.filter(({ logIndex }) => !indexes.has(logIndex))]
    logs.sort((a, b) => a.logIndex - b.logIndex)
    // A block keeps its first price: its earlier events were valued with it.
    const [nativeUsd, quotePrices] = [parsePrice(row.quote_usd), parsePrices(row.quote_prices)]
    return { ...block, nativeUsd, quotePrices, logs }
  })
  return {
    blocks: merged,
    isNew: (block, log) => !applied.get(block)?.has(log),
    isStored: (block) => known.has(block),
  }
}

/** Stores the blocks with their logs, and what contracts answered about these. Their partitions must exist. */
export async function writeBlocks(trx: Transaction<Database>, { blocks, isStored }: MergedBlocks): Promise<void> {
  await finishCompression(blocks)
  await appendRows(
    trx,
    target,
    blocks.filter(({ number }) => !isStored(number)),
  )
  await writeRows(
    trx,
    target,
    blocks.filter(({ number }) => isStored(number)),
  )
  await storeAnswers(trx, blocks)
}

/** Deletes the blocks of [from, below) without logs. Only those that a reorg can still replace are needed. */
export const deleteEmptyBlocks = ({ from, below }: { from: number; below: number }) =>
  sql`delete from blocks where log_count = 0 and number >= ${from} and number < ${below}`

interface StoredBlock {
  number: number
  hash: string
  time: number
  quote_usd: string | null
  quote_prices: string | null
  /** Packed, as 0x text. */
  logs: string | null
}

/** Stored blocks of [from, to] that have logs, in ascending order. */
export async function readBlocks(
  trx: Transaction<Database>,
  { from, to, limit }: { from: number; to?: number; limit?: number },
): Promise<Block[]> {
  const { rows } = await sql<StoredBlock>`
    select number, hash, time, quote_usd, quote_prices, logs from blocks
    where number >= ${from} and number <= ${to ?? Number.MAX_SAFE_INTEGER} and log_count > 0
    order by number limit ${limit ?? null}`.execute(trx)
  return rows.map(toBlock)
}

/** Stored blocks at these heights, by height. */
export async function readStored(db: Db, heights: readonly number[]): Promise<Map<number, Block>> {
  const { rows } = await sql<StoredBlock>`
    select number, hash, time, quote_usd, quote_prices, logs from blocks where number = any(${heights}::bigint[])`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.number, toBlock(row)]))
}

const toBlock = (row: StoredBlock): Block => ({
  number: row.number,
  hash: row.hash,
  parentHash: null,
  time: row.time,
  nativeUsd: parsePrice(row.quote_usd),
  quotePrices: parsePrices(row.quote_prices),
  logs: row.logs ? unpackLogs(toBytes(row.logs)) : [],
})

/** The last prices that were written: those of most blocks are those of the block before. */
let written: { prices: ReadPrices; text: string } | undefined

function writePrices(prices: ReadPrices | null): string | null {
  if (prices === null) return null
  if (written?.prices !== prices) written = { prices, text: JSON.stringify(prices) }
  return written.text
}

const parsePrices = (text: string | null): ReadPrices | null =>
  text === null ? null : (JSON.parse(text) as ReadPrices)

function parsePrice(text: string | null): bigint | null {
  return text === null ? null : parseUsd(text)
}
