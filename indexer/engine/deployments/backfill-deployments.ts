import { sql, type Transaction } from 'kysely'
import type { Chain } from '../../../chain/rpc/client.ts'
import { isNodeFailure } from '../../../chain/rpc/node-failure.ts'
import { lockForApply } from '../../../db/apply-lock.ts'
import type { Db, Transact } from '../../../db/client.ts'
import type { Database } from '../../../db/schema.ts'
import { pause } from '../../../lib/concurrency/pause.ts'
import { type Applied, applyBatch } from '../apply.ts'
import { type FetchedRange, isLinkedTo, makeRange } from '../backfill.ts'
import type { Block } from '../batch.ts'
import { deleteEmptyBlocks } from '../blocks.ts'
import { type Contracts, lowerCheckpoint } from '../contracts.ts'
import { ChainMovedError, isRetryableConflict, LeaseLostError, StaleBatchError } from '../errors.ts'
import { Fetcher } from '../fetch.ts'
import { toMultirange } from '../unproven.ts'

/** In blocks; the first range is small, because a chain may be dense. */
const [FIRST_SPAN, MAX_SPAN] = [100, 10_000]
const MAX_GROWTH = 4
/** Target number of logs in a range, and the most in a batch of several blocks: the head waits for a batch at most. */
const [RANGE_LOGS, BATCH_LOGS] = [8_000, 2_000]
/** So many blocks are left to the head, which reads them again in one step. */
const CLOSE_BLOCKS = 16
/** Between looks at a bulk load, whose missing indexes would make batches slow. */
const LOADING_MS = 1_000
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [1_000, 60_000]
const PROGRESS_MS = 5_000

export interface DeploymentBackfillOptions {
  db: Db
  chain: Chain
  contracts: Contracts
  /** Runs the transactions, behind the fence. */
  transact: Transact
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  signal: AbortSignal
  onApplied?: ((applied: Applied) => void) | undefined
  /** In blocks and logs; for tests. */
  sizes?: { firstSpan?: number; batchLogs?: number; closeBlocks?: number }
}

/** A contract whose history is not complete. `reached`: the height up to which it is. */
interface History {
  address: string
  kind: string
  startBlock: number
  reached: number
}

/**
 * Indexes the history of the contracts that operators have added, one after another, beside the head and in small batches. Each
 * continues where it was interrupted. Resolves when all are complete or the signal aborts; failures of the node or the database are
 * retried.
 */
export async function backfillDeployments(options: DeploymentBackfillOptions): Promise<void> {
  const { log, signal } = options
  let failures = 0
  while (!signal.aborted) {
    try {
      const history = await findHistory(options)
      if (history === undefined) return
      await backfill(options, history, () => {
        failures = 0
      })
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLostError) return
      // What is stored or on the chain has changed meanwhile.
      const isQuick = failures === 0 && (error instanceof StaleBatchError || error instanceof ChainMovedError)
      const retryInMs = isQuick ? 0 : Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10))
      failures += 1
      const reason = isNodeFailure(error) ? 'No node answers' : 'The backfill of an added contract failed'
      if (!isQuick) log.warn({ err: error, retryInMs }, `${reason}; it continues later`)
      await pause(retryInMs, signal)
    }
  }
}

async function findHistory({ db, contracts }: DeploymentBackfillOptions): Promise<History | undefined> {
  const row = await db
    .selectFrom('deployments')
    .select(['address', 'kind', 'start_block', 'backfilled_to'])
    .where('followed_from', 'is not', null)
    .where('completed_at', 'is', null)
    // A contract of a kind that this version does not know is left alone.
    .where(
      'kind',
      'in',
      contracts.modules.flatMap(({ deployments }) => deployments),
    )
    .orderBy('added_at')
    .executeTakeFirst()
  if (!row) return undefined
  const { address, kind, start_block: startBlock } = row
  return { address, kind, startBlock, reached: row.backfilled_to ?? startBlock - 1 }
}

async function backfill(options: DeploymentBackfillOptions, history: History, onProgress: () => void): Promise<void> {
  const { db, chain, log, signal, sizes = {} } = options
  const { address } = history
  const own = limitContracts(options.contracts, history)
  let { reached } = history
  let [span, fetcher, last]: [number, Fetcher?, FetchedRange['to']?] = [sizes.firstSpan ?? FIRST_SPAN]
  let reported = Date.now()
  log.info({ address, kind: history.kind, reached }, 'Indexing the history of an added contract')
  while (!signal.aborted) {
    const { end, isLoading } = await readState(db)
    if (isLoading) {
      await pause(LOADING_MS, signal)
      continue
    }
    if (end - reached <= (sizes.closeBlocks ?? CLOSE_BLOCKS)) {
      if (await complete(options, history, reached)) return
      continue
    }
    fetcher ??= await Fetcher.open(db, chain, own, reached, undefined, address)
    const requested = await fetcher.requestRange({ from: reached + 1, to: Math.min(reached + span, end) })
    const range = await makeRange(fetcher, requested, [requested.range.from])
    if (last && !isLinkedTo(range, last)) throw new ChainMovedError(`Block ${last.number} was replaced`)
    last = range.to
    for (const part of splitRange(range, reached, sizes.batchLogs ?? BATCH_LOGS)) {
      if (signal.aborted) return
      if (!(await applyPart(options, history, part))) return
      reached = part.to
      onProgress()
    }
    const wanted = Math.round((span * RANGE_LOGS) / Math.max(requested.count, 1))
    span = Math.min(MAX_SPAN, Math.max(1, Math.min(wanted, span * MAX_GROWTH)))
    if (Date.now() - reported < PROGRESS_MS) continue
    reported = Date.now()
    log.info({ address, block: reached, behind: end - reached }, 'Indexing the history of an added contract')
  }
}

/** The contract alone, with those whose events name its pools. */
function limitContracts({ modules, addresses, ...others }: Contracts, { address, kind }: History): Contracts {
  const limited = modules.map(({ name, deployments, needs }) => {
    const isNeeded = (one: string) => deployments.includes(kind) && one === needs?.(kind)
    const own = [...(addresses.get(name) ?? [])].filter(([known, one]) => known === address || isNeeded(one))
    return [name, new Map(own)] as const
  })
  return { ...others, modules, addresses: new Map(limited) }
}

/** The height up to which blocks are final and indexed. */
async function readState(db: Db): Promise<{ end: number; checkpoint: number; finalized: number; isLoading: boolean }> {
  const {
    checkpoint_number: checkpoint,
    finalized_number: finalized,
    bulk_load,
  } = await db
    .selectFrom('chain_state')
    .select(['checkpoint_number', 'finalized_number', 'bulk_load'])
    .executeTakeFirstOrThrow()
  return { end: Math.min(checkpoint, finalized), checkpoint, finalized, isLoading: bulk_load !== null }
}

/** Blocks after a height, up to another one. */
interface Part {
  after: number
  to: number
  blocks: Block[]
}

/** The blocks with logs, in parts of so many logs; a larger block is a part of its own. */
function splitRange({ blocks, to }: FetchedRange, after: number, batchLogs: number): Part[] {
  const parts: Part[] = []
  let [part, logs]: [Block[], number] = [[], 0]
  const end = (at: number) => {
    parts.push({ after: parts.at(-1)?.to ?? after, to: at, blocks: part })
    part = []
    logs = 0
  }
  for (const block of blocks) {
    if (block.logs.length === 0) continue
    if (part.length > 0 && logs + block.logs.length > batchLogs) end(block.number - 1)
    part.push(block)
    logs += block.logs.length
  }
  end(to.number)
  return parts
}

/** Returns false if the part cannot be applied in this order, and the head reads the rest of the history. */
async function applyPart(options: DeploymentBackfillOptions, history: History, part: Part): Promise<boolean> {
  const { contracts, log, transact, onApplied } = options
  const { after, to, blocks } = part
  const { address } = history
  try {
    const applied = await transact(async (trx) => {
      await lockForApply(trx)
      const { rows } = await sql`
        update deployments set backfilled_to = ${to} where address = ${address} and completed_at is null
          and coalesce(backfilled_to, start_block - 1) = ${after} returning address`.execute(trx)
      if (rows.length === 0) throw new StaleBatchError(`The history of ${address} has moved`)
      if (blocks.length === 0) return undefined
      const written = await applyBatch(trx, contracts.modules, { blocks, advance: null, isHistory: true })
      const { finalized } = await readState(trx)
      await deleteEmptyBlocks({ from: after + 1, below: Math.min(to + 1, finalized) }).execute(trx)
      return written
    })
    if (applied) onApplied?.(applied)
    return true
  } catch (error) {
    if (!isRetryableConflict(error)) throw error
    log.warn(
      { err: error, address, block: after },
      'A launch is stored with a later one; the head reads from there again',
    )
    await complete(options, history, after, true)
    return false
  }
}

/**
 * Leaves what is above a height to the head, which now requests everything that the contract has created. Returns false while more
 * is left than the head reads in one step, unless it must.
 */
async function complete(
  { log, transact }: DeploymentBackfillOptions,
  { address, startBlock }: History,
  reached: number,
  must = false,
): Promise<boolean> {
  const isDone = await transact(async (trx) => {
    await lockForApply(trx)
    const { end, checkpoint } = await readState(trx)
    if (!must && end - reached > CLOSE_BLOCKS) return false
    await addUnproven(trx, startBlock, Math.min(reached, checkpoint))
    await lowerCheckpoint(trx, reached)
    // What was fetched ahead lacks what the contract has created.
    await sql`update chain_state set undo_count = undo_count + 1`.execute(trx)
    await sql`update deployments set completed_at = now(), backfilled_to = ${reached} where address = ${address}`.execute(
      trx,
    )
    return true
  })
  if (isDone) log.info({ address, block: reached }, 'The history of an added contract is indexed')
  return isDone
}

async function addUnproven(trx: Transaction<Database>, from: number, to: number): Promise<void> {
  if (to < from) return
  await sql`update chain_state set unproven = unproven + ${toMultirange([{ from, to }])}`.execute(trx)
}
