import type { Transaction } from 'kysely'
import { parseLog } from '../../chain/logs/log.ts'
import type { Chain, Receipt } from '../../chain/rpc/client.ts'
import type { NodeBudget } from '../../chain/rpc/node-budget.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import type { Db, Transact } from '../../db/client.ts'
import { areTradesArchived } from '../../db/queries/archives.ts'
import { type ClaimFilter, findClaimable, hasClaim, insertClaim, isTrade } from '../../db/queries/claims.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import type { Database } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import type { DataChange } from '../../lib/cache/data-versions.ts'
import { applyBatch, applyBatches, readNativeUsd, requireNotHalted } from './apply.ts'
import type { Block, BlockId } from './batch.ts'
import { type Contracts, findIndexed, readUndoCount } from './contracts.ts'
import { FinalityError, isRetryableConflict, StaleBatchError } from './errors.ts'
import { findPrerequisites } from './find-prerequisites.ts'
import type { Addition } from './live-events.ts'
import type { IndexerModule } from './module.ts'
import { listTopics } from './module.ts'
import { type Prices, readPricesAt } from './prices/price-tracker.ts'
import { completeFetched } from './reads/read-answers.ts'
import {
  areCanonical,
  type BranchComparison,
  compareWithNode,
  pendingError,
  RETRY_AFTER_SECONDS,
  readNotFinal,
  requireCanonical,
} from './require-canonical.ts'

/** How long a sync waits for a pending transaction. */
const MINING_WAIT_MS = 4_000
/** Polls slow down, so that a transaction that is never mined takes few requests. */
const FIRST_POLL_MS = 100
const LAST_POLL_MS = 500
/** Retry-After while halted: nothing changes until the chain or an operator acts. */
const HALTED_RETRY_SECONDS = 30
/** The most transactions applied with one request, its own included. With more of them the client waits for the indexer. */
const MAX_TRANSACTIONS = 64

export interface SyncRequest extends Omit<ClaimFilter, 'blockNumber'> {
  /** Lower-case. */
  wallet: string
  /**
   * Writes what the client sent about the claimed events, given their positions. Runs in the transaction of the claim, so the data
   * is neither lost nor written twice. Resolves to what that changes.
   */
  storeClientData?: (trx: Transaction<Database>, positions: readonly LogPosition[]) => Promise<Addition>
}

export interface SyncServices {
  db: Db
  chain: Chain
  /** Reads from the node on the first call. */
  getContracts: () => Promise<Contracts>
  /** Runs the transactions that take the apply lock; default: on db. */
  transactSync?: Transact
  /** Woken after a commit that has written live events. */
  live?: { notifyCommitted(change: DataChange): void }
  log?: { warn(fields: object, message: string): void }
}

const transact = <T>({ db, transactSync }: SyncServices, work: (trx: Transaction<Database>) => Promise<T>) =>
  transactSync ? transactSync(work) : db.transaction().execute(work)

export interface Synced {
  /** Positions of the wallet's events of that kind, in order. */
  positions: LogPosition[]
}

/**
 * Receipt sync: applies the events of a wallet's transaction as the indexer would, and claims them for the wallet.
 * Rejects with an AppError if it is unknown, pending, reverted, without such an event, another wallet's or claimed
 * already, if the node fails, or if it contradicts final blocks. Nothing is written then, but orphaned blocks stay undone.
 */
export async function syncTransaction(services: SyncServices, request: SyncRequest): Promise<Synced> {
  const filter = { ...request, txHash: request.txHash.toLowerCase() }
  try {
    return await applyAndClaim(services, filter).catch((error: unknown) => {
      // Retry once: the reads may straddle a reorg, or an earlier sync conflicts with this one.
      if (isStale(error)) return applyAndClaim(services, filter)
      throw error
    })
  } catch (error) {
    // Node and database were on different branches twice. The client repeats the sync, as for a transaction that is not mined.
    if (isStale(error)) throw pendingError()
    if (error instanceof FinalityError)
      throw new AppError('FINALITY_BROKEN', { reason: error.message }, { retryAfter: HALTED_RETRY_SECONDS })
    if (isNodeFailure(error))
      throw new AppError('NODE_UNAVAILABLE', {}, { cause: error, retryAfter: RETRY_AFTER_SECONDS })
    throw error
  }
}

const isStale = (error: unknown): boolean => error instanceof StaleBatchError || isRetryableConflict(error)

/** The transaction has no event for this claim, given the stored blocks. */
class NothingToClaimError extends Error {
  readonly reason: 'EVENT_MISSING' | 'TRANSACTION_FOREIGN'
  /** Blocks whose presence on the chain shows that all stored blocks are on it: see readNotFinal. */
  readonly tips: readonly BlockId[]

  constructor(reason: NothingToClaimError['reason'], tips: readonly BlockId[]) {
    super(reason)
    this.reason = reason
    this.tips = tips
  }
}

async function applyAndClaim(services: SyncServices, request: SyncRequest): Promise<Synced> {
  const state = await services.db.selectFrom('chain_state').select('halted').executeTakeFirst()
  if (state) requireNotHalted(state)
  const budget = services.chain.startBudget()
  const transaction = await readTransaction(services, request.txHash, budget)
  try {
    if (transaction.ownPart.logs.length === 0)
      throw new NothingToClaimError('EVENT_MISSING', (await readNotFinal(services.db)).tips)
    const { positions, change } = await transact(services, (trx) => writeClaim(trx, transaction, request))
    services.live?.notifyCommitted(change)
    return { positions }
  } catch (error) {
    if (!(error instanceof NothingToClaimError)) throw error
    // A final response only if the blocks that it follows from are on the chain: the stored ones, and those just read.
    const deciding = [...error.tips, ...transaction.parts]
    if (await budget.run(() => areCanonical(services.chain, deciding))) throw new AppError(error.reason)
    throw new StaleBatchError('A block that the answer depends on was orphaned')
  }
}

/**
 * Applies the transaction, selects the wallet's events of that kind, and inserts the claim. Returns their positions
 * and what changed; an error rolls everything back.
 */
async function writeClaim(
  trx: Transaction<Database>,
  { parts, ownPart, canonicalBlocks, undoCount, modules, isComplete }: ReadTransaction,
  { wallet, storeClientData, ...request }: SyncRequest,
): Promise<Synced & { change: DataChange }> {
  const filter = { ...request, blockNumber: ownPart.number }
  // Repeated requests do not wait for the apply lock.
  if (await hasClaim(trx, filter, wallet)) throw new AppError('TRANSACTION_ALREADY_INDEXED')
  const batches = parts.map((part) => ({ batch: { blocks: [part], canonicalBlocks, advance: null } }))
  let positions: LogPosition[] = []
  const { change } = await applyBatches(trx, modules, batches, async (rejected) => {
    if ((await readUndoCount(trx)) !== undoCount) throw new StaleBatchError('Blocks were undone meanwhile')
    const isUndecided = rejected.undecided > 0 || !isComplete
    positions = await claim(trx, filter, wallet, isUndecided)
    return (await storeClientData?.(trx, positions)) ?? { cacheTags: [], events: [] }
  })
  return { positions, change }
}

/** Returns the positions of the claimed events. */
async function claim(
  trx: Transaction<Database>,
  filter: ClaimFilter,
  wallet: string,
  isUndecided: boolean,
): Promise<LogPosition[]> {
  const found = await findClaimable(trx, filter)
  const own = found.filter((event) => event.wallet === wallet)
  // A log that was left out, because its creation is unknown, may be the wallet's event.
  if (own.length === 0 && isUndecided) throw pendingError()
  // Its trades are indexed, but not in the database any more.
  if (found.length === 0 && isTrade(filter.kind) && (await areTradesArchived(trx, filter.blockNumber)))
    throw new AppError('TRANSACTION_ALREADY_INDEXED')
  if (found.length === 0) throw new NothingToClaimError('EVENT_MISSING', (await readNotFinal(trx)).tips)
  if (own.length === 0) throw new NothingToClaimError('TRANSACTION_FOREIGN', (await readNotFinal(trx)).tips)
  if (!(await insertClaim(trx, filter, wallet))) throw new AppError('TRANSACTION_ALREADY_INDEXED')
  return own.map(({ blockNumber, logIndex }) => ({ blockNumber, logIndex }))
}

interface ReadTransaction {
  /** The transaction's part of its block, after those of its prerequisites. */
  parts: Block[]
  /** The transaction's part of its block. */
  ownPart: Block
  canonicalBlocks: BlockId[]
  /** Read before the prerequisites. */
  undoCount: number
  modules: readonly IndexerModule[]
  /** False if logs may have been taken as foreign because the node did not show what they depend on. */
  isComplete: boolean
}

async function readTransaction(services: SyncServices, txHash: string, budget: NodeBudget): Promise<ReadTransaction> {
  const { chain, db } = services
  const { contracts, ownPart, comparison } = await budget.run(async () => {
    const receipt = await waitForReceipt(chain, txHash)
    if (receipt.status === 'reverted') {
      await requireCanonical(chain, [{ number: receipt.blockNumber, hash: receipt.blockHash }])
      throw new AppError('TRANSACTION_REVERTED')
    }
    // With fewer contracts than the indexer has, the block would be stored without the logs of the others.
    const contracts = await findIndexed(db, await services.getContracts())
    if (contracts === undefined) throw pendingError()
    const ownPart = await makePart(services, contracts, receipt)
    return { contracts, ownPart, comparison: await compareWithNode(services) }
  })
  // Outside of the budget, because waiting for the database is not the node's fault.
  await undoOtherBranch(services, contracts.modules, comparison)
  const undoCount = await readUndoCount(db)
  const gathered = await budget.run(async () => {
    const gathered = await gatherPrerequisites(services, contracts, ownPart, txHash)
    await requireCanonical(chain, gathered.parts)
    return gathered
  })
  return { ...gathered, ownPart, canonicalBlocks: comparison.canonicalBlocks, undoCount, modules: contracts.modules }
}

/** A transaction's part of its block after those of its direct and indirect prerequisites, oldest first. */
async function gatherPrerequisites(
  services: SyncServices,
  contracts: Contracts,
  ownPart: Block,
  txHash: string,
): Promise<Pick<ReadTransaction, 'parts' | 'isComplete'>> {
  const { chain, db } = services
  const gathered = new Map([[txHash, ownPart]])
  let isComplete = true
  // Iterating a Map includes entries that are added meanwhile.
  for (const part of gathered.values()) {
    const { transactions, areComplete } = await findPrerequisites(db, chain, contracts, part)
    isComplete &&= areComplete
    for (const hash of transactions) {
      if (gathered.has(hash)) continue
      if (gathered.size >= MAX_TRANSACTIONS) throw pendingError()
      const found = await chain.getReceipt(hash)
      // Its log was shown: a node lags, or the chain has switched branches.
      if (!found) throw pendingError()
      gathered.set(hash, await makePart(services, contracts, found))
    }
  }
  const firstLog = ({ logs }: Block) => logs[0]?.logIndex ?? 0
  const parts = [...gathered.values()].sort((a, b) => a.number - b.number || firstLog(a) - firstLog(b))
  return { parts, isComplete }
}

/** The waits for receipts under way. */
const waits = new WeakMap<Chain, Map<string, Promise<Receipt>>>()

/** All requests for a transaction share one wait, which has a budget of its own: the first of them may end before it. */
function waitForReceipt(chain: Chain, txHash: string): Promise<Receipt> {
  const ofChain = waits.get(chain) ?? new Map<string, Promise<Receipt>>()
  waits.set(chain, ofChain)
  const wait =
    ofChain.get(txHash) ??
    chain
      .startBudget()
      .run(() => pollReceipt(chain, txHash))
      .finally(() => ofChain.delete(txHash))
  ofChain.set(txHash, wait)
  return wait
}

async function pollReceipt(chain: Chain, txHash: string): Promise<Receipt> {
  const deadline = Date.now() + MINING_WAIT_MS
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(1.5 * pauseMs, LAST_POLL_MS)) {
    const receipt = await chain.getReceipt(txHash)
    if (receipt) return receipt
    if (!(await chain.hasTransaction(txHash))) throw new AppError('TRANSACTION_NOT_FOUND')
    if (Date.now() >= deadline) throw pendingError()
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/**
 * Undoes the stored blocks that are not on the node's branch, in a transaction of its own, unless the indexer has done so. It runs
 * before the prerequisites are looked for, because a creation of an orphaned block would count as stored. Returns the node's blocks
 * at the heights of stored blocks that are not final.
 */
async function undoOtherBranch(
  services: SyncServices,
  modules: readonly IndexerModule[],
  { stored, canonicalBlocks }: BranchComparison,
): Promise<void> {
  const hashes = new Map(stored.map(({ number, hash }) => [number, hash]))
  if (canonicalBlocks.some(({ number, hash }) => hashes.get(number) !== hash)) {
    const batch = { blocks: [], canonicalBlocks, advance: null }
    const { change, undone } = await transact(services, (trx) => applyBatch(trx, modules, batch))
    services.live?.notifyCommitted(change)
    if (undone.length > 0)
      services.log?.warn({ undone: undone.length }, 'The chain was reorganised; a receipt sync undid the old branch')
  }
}

/** The part of its block that is of a transaction. */
async function makePart({ db, chain }: SyncServices, contracts: Contracts, receipt: Receipt): Promise<Block> {
  const [header, prices] = await Promise.all([
    chain.getHeaderByHash(receipt.blockHash),
    readPrices(db, chain, contracts, receipt.blockNumber),
  ])
  // A reorg between the two requests: the transaction is pending again.
  if (!header) throw pendingError()
  // Not the receipt's logs, which are not verified against the block's header.
  const { logs: ofBlock } = await chain
    .readBlockLogs(header, listTopics(contracts.modules).wanted)
    .catch(async (error: unknown) => {
      const isKnown = await chain.getHeaderByHash(header.hash)
      throw isKnown ? error : pendingError()
    })
  const txHash = receipt.txHash.toLowerCase()
  const logs = ofBlock.filter(({ transactionHash }) => transactionHash.toLowerCase() === txHash).map(parseLog)
  const { number, hash, parentHash, time } = header
  const isCertain = await completeFetched({ db, chain }, contracts, [{ number, hash, logs }], { mayGiveUp: false })
  // The indexer stores the log without the answer, and repeats the read. A sync must not decide that.
  if (!isCertain) throw pendingError()
  return { number, hash, parentHash, time, ...prices, logs }
}

/** Prices at a block. That of the native coin is the last stored one if the node lacks the state of the block. */
async function readPrices(db: Db, chain: Chain, contracts: Contracts, block: number): Promise<Prices> {
  const prices = await readPricesAt(chain, contracts, block)
  if (prices.nativeUsd !== null || contracts.feed === null) return prices
  return { ...prices, nativeUsd: await readNativeUsd(db) }
}
