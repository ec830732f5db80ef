import { sql, type Transaction } from 'kysely'
import type { Hex } from 'viem'
import { type BulkTarget, writeRows } from '../../../db/bulk.ts'
import type { Db } from '../../../db/client.ts'
import type { Database } from '../../../db/schema.ts'
import type { Block } from '../batch.ts'
import type { IndexedContracts } from '../module.ts'
import { getAnswer, hasAnswers, listPending, type PendingRead, setAnswer } from './answers.ts'

interface StoredRead {
  block_number: number
  log_index: number
  block_hash: string
  answer: Hex | null
}

const target: BulkTarget<StoredRead> = {
  table: 'contract_reads',
  key: ['block_number', 'log_index'],
  columns: [
    { name: 'block_number', type: 'bigint', value: (row) => row.block_number },
    { name: 'log_index', type: 'integer', value: (row) => row.log_index },
    { name: 'block_hash', type: 'hex', value: (row) => row.block_hash },
    { name: 'answer', type: 'hex', value: (row) => row.answer },
  ],
}

/** Stores the answers that belong to the logs of these blocks. */
export async function storeAnswers(
  trx: Transaction<Database>,
  blocks: readonly Pick<Block, 'number' | 'hash' | 'logs'>[],
): Promise<void> {
  if (!hasAnswers()) return
  const rows: StoredRead[] = []
  for (const { number, hash, logs } of blocks) {
    for (const log of logs) {
      const answer = getAnswer(log)
      if (answer !== undefined) rows.push({ block_number: number, log_index: log.logIndex, block_hash: hash, answer })
    }
  }
  await writeRows(trx, target, rows)
}

/** Looks up the stored answers of these logs. Returns the reads without a row. */
export async function loadAnswers(db: Db, pending: readonly PendingRead[]): Promise<PendingRead[]> {
  if (pending.length === 0) return []
  const heights = [...new Set(pending.map(({ block }) => block.number))]
  const { rows } = await sql<StoredRead>`
    select block_number, log_index, block_hash, answer from contract_reads
    where block_number = any(${heights}::bigint[])`.execute(db)
  const stored = new Map(rows.map((row) => [`${row.block_number}/${row.log_index}/${row.block_hash}`, row]))
  return pending.filter(({ block, log }) => {
    const row = stored.get(`${block.number}/${log.logIndex}/${block.hash}`)
    if (row) setAnswer(log, row.answer)
    return row === undefined
  })
}

/** Completes the logs of stored blocks. One without a row, of a version that read nothing, counts as not readable. */
export async function completeStored(
  db: Db,
  contracts: IndexedContracts,
  blocks: readonly Pick<Block, 'number' | 'hash' | 'logs'>[],
): Promise<void> {
  for (const { log } of await loadAnswers(db, listPending(contracts, blocks))) setAnswer(log, null)
}

/** Deletes the answers of blocks that are undone, from a height on. */
export const deleteAnswers = async (trx: Transaction<Database>, from: number): Promise<void> => {
  await sql`delete from contract_reads where block_number >= ${from}`.execute(trx)
}
