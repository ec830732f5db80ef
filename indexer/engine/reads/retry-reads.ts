import { sql, type Transaction } from 'kysely'
import type { Hex } from 'viem'
import type { Chain } from '../../../chain/rpc/client.ts'
import { lockForApply } from '../../../db/apply-lock.ts'
import type { Db } from '../../../db/client.ts'
import { bytes } from '../../../db/hex.ts'
import type { Database } from '../../../db/schema.ts'
import { pause } from '../../../lib/concurrency/pause.ts'
import { readStored } from '../blocks.ts'
import { type Contracts, lowerCheckpoint } from '../contracts.ts'
import { LeaseLostError } from '../errors.ts'
import type { Lease } from '../lease.ts'
import { reindex } from '../reindex.ts'
import { listPending } from './answers.ts'

/** Between looks for reads that are due, and after a rebuild, which reads all stored logs. */
const [PAUSE_MS, REBUILD_PAUSE_MS] = [60_000, 600_000]
/** The most reads of a round, and of those in flight. */
const [READS, READS_AT_ONCE] = [5_000, 64]
/** An attempt follows the one before after 1, 2, 4 … minutes, and at least once a day. */
const isDue = sql`attempted_at < now() - least(interval '1 day', interval '1 minute' * power(2, least(attempts, 11) - 1))`

interface RetryOptions {
  db: Db
  chain: Chain
  contracts: Contracts
  fence: Lease['fence']
  log: { warn(fields: object, message: string): void }
  /** Whether the indexer is at the head; reads wait while it is not. */
  isCaughtUp: () => boolean
  signal: AbortSignal
}

interface OpenRead {
  block_number: number
  log_index: number
  block_hash: string
}

/** An answer that is certain now. */
type Answered = OpenRead & { answer: Hex }

/** Repeats reads that gave no certain answer, until the signal aborts or the lease is lost. */
export async function runReadRetries(options: RetryOptions): Promise<void> {
  const { log, signal, isCaughtUp } = options
  while (!signal.aborted) {
    let pauseMs = PAUSE_MS
    try {
      if (isCaughtUp() && (await retryReads(options)) > 0) pauseMs = REBUILD_PAUSE_MS
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLostError) return
      log.warn({ err: error }, 'What contracts say about launches could not be read again; retrying in a minute')
    }
    await pause(pauseMs, signal)
  }
}

/**
 * Tries the reads that are due once more. Once an answer is certain, its log has another meaning, and logs of what it creates may be
 * missing: so all derived tables are rebuilt, and the chain is read again from its block on. Returns the number of new answers.
 */
export async function retryReads({
  db,
  chain,
  contracts,
  fence,
  log,
}: Pick<RetryOptions, 'db' | 'chain' | 'contracts' | 'fence' | 'log'>): Promise<number> {
  const { rows } = await sql<OpenRead>`
    select block_number, log_index, block_hash from contract_reads where answer is null and ${isDue}
    order by attempted_at limit ${READS}`.execute(db)
  if (rows.length === 0) return 0
  const stored = await readStored(
    db,
    rows.map((row) => row.block_number),
  )
  const answered: Answered[] = []
  const attempt = async (row: OpenRead) => {
    const block = stored.get(row.block_number)
    const own = block && listPending(contracts, [block]).find((one) => one.log.logIndex === row.log_index)
    // A node that fails now is asked again in a while, as one that has no answer.
    const answer = own && (await chain.readAtLog(own.read, own.block).catch(() => null))
    if (answer) answered.push({ ...row, answer })
    else await countAttempt(db, row)
  }
  for (let at = 0; at < rows.length; at += READS_AT_ONCE)
    await Promise.all(rows.slice(at, at + READS_AT_ONCE).map(attempt))
  if (answered.length === 0) return 0
  log.warn(
    { answers: answered.length },
    'What contracts say about launches is known now; rebuilding the derived tables',
  )
  await reindex(db, contracts.modules, undefined, async (trx) => {
    await fence(trx)
    await lockForApply(trx)
    for (const one of answered) await storeAnswer(trx, one)
    await lowerCheckpoint(trx, Math.min(...answered.map((one) => one.block_number)) - 1)
    // What others have decoded or fetched is stale.
    await sql`update chain_state set undo_count = undo_count + 1`.execute(trx)
  })
  return answered.length
}

const isRow = ({ block_number, log_index, block_hash }: OpenRead) =>
  sql`block_number = ${block_number}::bigint and log_index = ${log_index}::integer and block_hash = ${bytes(block_hash)}`

const countAttempt = (db: Db, row: OpenRead) =>
  sql`update contract_reads set attempts = attempts + 1, attempted_at = now() where ${isRow(row)}`.execute(db)

/** Nothing if a reorg has removed the log meanwhile. */
const storeAnswer = (trx: Transaction<Database>, row: Answered) =>
  sql`update contract_reads set answer = ${bytes(row.answer)} where ${isRow(row)}`.execute(trx)
