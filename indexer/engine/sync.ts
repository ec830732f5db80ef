import { sql, type Transaction } from 'kysely'
import type { Chain, Receipt } from '../../chain/client.ts'
import { parseLog } from '../../chain/logs.ts'
import type { NodeBudget } from '../../chain/node-budget.ts'
import { isNodeFailure } from '../../chain/node-failure.ts'
import type { Db, Transact } from '../../db/client.ts'
import { positionTable } from '../../db/queries/positions.ts'
import type { Database } from '../../db/schema.ts'
import { AppError, isAppError } from '../../errors.ts'
import { type ChainEvent, interpretBlocks } from '../market/interpret-blocks.ts'
import {
  applyBatch,
  applyBatches,
  FinalityError,
  isRetryableConflict,
  readQuoteUsd,
  requireNotHalted,
  StaleBatchError,
} from './apply.ts'
import type { Block, BlockId } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { type Action, pickLogs } from './domain.ts'
import { domains } from './domains.ts'
import { wantedTopics } from './fetch.ts'
import { findPrerequisites } from './find-prerequisites.ts'
import { readPriceAt } from './read-price.ts'
import { loadRegistry, type Registry } from './registry.ts'
import {
  type BranchComparison,
  compareWithNode,
  pendingError,
  RETRY_AFTER_SECONDS,
  requireCanonical,
  requireCurrentBranch,
  requireUnchanged,
} from './require-canonical.ts'

/** How long a sync waits for a pending transaction. */
const MINING_WAIT_MS = 4_000
const MINING_POLL_MS = 100
/** Retry-After while halted: nothing changes until the chain or an operator acts. */
const HALTED_RETRY_SECONDS = 30
/** The most transactions applied with one request. With more prerequisites the indexer is as fast. */
const MAX_PREREQUISITES = 64

export interface SyncRequest {
  txHash: string
  /** Lower-case. */
  wallet: string
  /** The kind of the claimed action: 'create', 'buy', 'sell', or one of a domain. */
  kind: string
  /** Restricts the claim to actions on this subject; each subject is claimed separately. */
  subject?: string
}

export interface SyncServices {
  db: Db
  chain: Chain
  /** Reads from the node on the first call. */
  getContracts: () => Promise<Contracts>
  /** Runs the transactions that take the apply lock; default: on db. */
  transactSync?: Transact
  /** Woken after a commit that has written live events. */
  live?: { notifyCommitted(): void }
}

const transact = <T>({ db, transactSync }: SyncServices, work: (trx: Transaction<Database>) => Promise<T>) =>
  transactSync ? transactSync(work) : db.transaction().execute(work)

export interface Synced {
  /** Positions of the wallet's events of that kind, in order. */
  positions: { blockNumber: number; logIndex: number }[]
}

/**
 * Receipt sync: checks a wallet's transaction, applies its events as the indexer would, and claims them for the wallet.
 * Rejects with an AppError if it is unknown, pending, reverted, without such an event, another wallet's or claimed
 * already, if the node fails, or if it contradicts final blocks. Nothing is written then.
 */
export async function syncTransaction(services: SyncServices, request: SyncRequest): Promise<Synced> {
  try {
    return await claimTransaction(services, request)
  } catch (error) {
    // The node is on another branch than the service, or has switched branches meanwhile. On the canonical branch the
    // transaction is not known to be mined.
    if (error instanceof StaleBatchError || isRetryableConflict(error)) throw pendingError()
    if (error instanceof FinalityError)
      throw new AppError('FINALITY_BROKEN', { reason: error.message }, { retryAfter: HALTED_RETRY_SECONDS })
    if (isNodeFailure(error))
      throw new AppError('NODE_UNAVAILABLE', {}, { cause: error, retryAfter: RETRY_AFTER_SECONDS })
    throw error
  }
}

async function claimTransaction(services: SyncServices, request: SyncRequest): Promise<Synced> {
  const { kind, subject } = request
  const state = await services.db.selectFrom('chain_state').select('halted').executeTakeFirst()
  if (state) requireNotHalted(state)
  const budget = services.chain.startBudget()
  const isOfKind = (action: Action) => action.kind === kind && (subject === undefined || action.subject === subject)
  let transaction = await readTransaction(services, request.txHash.toLowerCase(), budget)
  // Retry once: the reads may straddle a reorg.
  if (!transaction.actions.some(isOfKind))
    transaction = await readTransaction(services, request.txHash.toLowerCase(), budget)
  try {
    return await writeSyncClaim(services, request, { ...transaction, actions: transaction.actions.filter(isOfKind) })
  } catch (error) {
    if (isAppError(error, 'EVENT_MISSING') || isAppError(error, 'TRANSACTION_FOREIGN'))
      await budget.run(() => requireCurrentBranch(services, transaction))
    throw error
  }
}

async function writeSyncClaim(
  services: SyncServices,
  { txHash, wallet, kind, subject }: SyncRequest,
  { actions, blocks, canonicalBlocks, contracts, registry }: ReadTransaction,
): Promise<Synced> {
  if (actions.length === 0) throw new AppError('EVENT_MISSING')
  const own = actions.filter((action) => action.wallet === wallet)
  if (own.length === 0) throw new AppError('TRANSACTION_FOREIGN')

  const positions = own.map(({ at }) => ({ blockNumber: at.blockNumber, logIndex: at.logIndex }))
  const written = await transact(services, async (trx) => {
    // Insert the claim first: concurrent requests wait here, and then find it taken.
    const claim = await trx
      .insertInto('claims')
      .values({ tx_hash: txHash.toLowerCase(), wallet, kind: subject === undefined ? kind : `${kind} ${subject}` })
      .onConflict((conflict) => conflict.doNothing())
      .returning('tx_hash')
      .executeTakeFirst()
    if (!claim) throw new AppError('TRANSACTION_ALREADY_INDEXED')
    const batches = blocks.map((block) => ({ blocks: [block], canonicalBlocks, advance: null }))
    await applyBatches(trx, contracts, batches)
    requireUnchanged(registry, await loadRegistry(trx, contracts, blocks))
    const found = await findWritten(trx, positions)
    if (found.length === 0) throw new AppError('EVENT_MISSING')
    return found
  })
  services.live?.notifyCommitted()
  return { positions: written }
}

/** The positions with a stored trade or action. A rejected event, such as a second creation of a raise, has no row. */
async function findWritten(trx: Transaction<Database>, positions: Synced['positions']): Promise<Synced['positions']> {
  const isAt = (table: 'trades' | 'actions') =>
    sql`exists (select from ${sql.table(table)} r
      where r.block_number = wanted.block_number and r.log_index = wanted.log_index)`
  const { rows } = await sql<{ block_number: number; log_index: number }>`
    select block_number, log_index from ${positionTable(positions)} where ${isAt('trades')} or ${isAt('actions')}
    order by block_number, log_index`.execute(trx)
  return rows.map((row) => ({ blockNumber: row.block_number, logIndex: row.log_index }))
}

function readActions(contracts: Contracts, block: Block, registry: Registry): Action[] {
  const ofMarket = interpretBlocks([block], registry).flatMap(toActions)
  return [
    ...ofMarket,
    ...domains.flatMap(({ name, readActions: readActs }) => readActs(pickLogs([block], contracts[name]))),
  ]
}

/**
 * The actor of an event, not the sender of the transaction: routers and smart accounts send for others. A sale by an
 * unknown seller cannot be claimed.
 */
function toActions(event: ChainEvent): Action[] {
  const { at } = event
  if (event.kind === 'trade') {
    return event.traderKnown ? [{ kind: event.side, wallet: event.trader, at }] : []
  }
  return event.kind === 'create' ? [{ kind: 'create', wallet: event.creator, at }] : []
}

interface ReadTransaction {
  /** The transaction's part of its block, after its prerequisites. */
  blocks: Block[]
  canonicalBlocks: BlockId[]
  actions: Action[]
  contracts: Contracts
  /** The launches and graduations that it was decoded with. */
  registry: Registry
}

async function readTransaction(services: SyncServices, txHash: string, budget: NodeBudget): Promise<ReadTransaction> {
  const { chain, db } = services
  const { contracts, block, stored } = await budget.run(async () => {
    const receipt = await waitForReceipt(chain, txHash)
    if (receipt.status === 'reverted') {
      await requireCanonical(chain, [{ number: receipt.blockNumber, hash: receipt.blockHash }])
      throw new AppError('TRANSACTION_REVERTED')
    }
    const contracts = await services.getContracts()
    const block = await makeBlock(services, contracts, receipt)
    return { contracts, block, stored: await compareWithNode(services) }
  })
  // Outside of the budget, because waiting for the database is not the node's fault.
  const canonicalBlocks = await leaveOldBranch(services, contracts, stored)
  return budget.run(async () => {
    const blocks = await gatherPrerequisites(services, contracts, block, txHash)
    const registry = await loadRegistry(db, contracts, blocks)
    await requireCanonical(chain, blocks)
    return { blocks, canonicalBlocks, actions: readActions(contracts, block, registry), contracts, registry }
  })
}

/** A transaction's part of its block after those of its direct and indirect prerequisites, oldest first. */
async function gatherPrerequisites(
  services: SyncServices,
  contracts: Contracts,
  block: Block,
  txHash: string,
): Promise<Block[]> {
  const { chain, db } = services
  const gathered = new Map([[txHash, block]])
  // Iterating a Map includes entries that are added meanwhile.
  for (const part of gathered.values()) {
    for (const hash of await findPrerequisites(db, chain, contracts, part)) {
      if (gathered.has(hash)) continue
      if (gathered.size >= MAX_PREREQUISITES) throw pendingError()
      const found = await chain.getReceipt(hash)
      if (found) gathered.set(hash, await makeBlock(services, contracts, found))
    }
  }
  const firstLog = ({ logs }: Block) => logs[0]?.logIndex ?? 0
  return [...gathered.values()].sort((a, b) => a.number - b.number || firstLog(a) - firstLog(b))
}

async function waitForReceipt(chain: Chain, txHash: string): Promise<Receipt> {
  const deadline = Date.now() + MINING_WAIT_MS
  for (;;) {
    const receipt = await chain.getReceipt(txHash)
    if (receipt) return receipt
    if (!(await chain.hasTransaction(txHash))) throw new AppError('TRANSACTION_NOT_FOUND')
    if (Date.now() >= deadline) throw pendingError()
    await new Promise((resolve) => setTimeout(resolve, MINING_POLL_MS))
  }
}

/**
 * Undoes stored blocks that the node has orphaned, if the indexer has not done so yet: both branches may contain the
 * same launch. Returns the node's blocks at the heights that are not final.
 */
async function leaveOldBranch(
  services: SyncServices,
  contracts: Contracts,
  { stored, canonicalBlocks }: BranchComparison,
): Promise<BlockId[]> {
  const hashes = new Map(stored.map(({ number, hash }) => [number, hash]))
  if (canonicalBlocks.some(({ number, hash }) => hashes.get(number) !== hash)) {
    await transact(services, (trx) => applyBatch(trx, contracts, { blocks: [], canonicalBlocks, advance: null }))
    services.live?.notifyCommitted()
  }
  return canonicalBlocks
}

async function makeBlock({ db, chain }: SyncServices, contracts: Contracts, receipt: Receipt): Promise<Block> {
  const [header, quoteUsd] = await Promise.all([
    chain.getHeaderByHash(receipt.blockHash),
    contracts.feed === null ? null : readPrice(db, chain, contracts, receipt.blockNumber),
  ])
  // A reorg between the two requests: the transaction is pending again.
  if (!header) throw pendingError()
  // Not the receipt's logs, which are not verified against the block's header.
  const ofBlock = await chain.readBlockLogs(header, wantedTopics).catch(async (error: unknown) => {
    const isKnown = await chain.getHeaderByHash(header.hash)
    throw isKnown ? error : pendingError()
  })
  const txHash = receipt.txHash.toLowerCase()
  const logs = ofBlock.filter(({ transactionHash }) => transactionHash.toLowerCase() === txHash).map(parseLog)
  const { number, hash, parentHash, time } = header
  return { number, hash, parentHash, time, quoteUsd, logs }
}

/** Falls back to the last stored price. */
async function readPrice(db: Db, chain: Chain, contracts: Contracts, block: number): Promise<bigint | null> {
  return (await readPriceAt(chain, contracts, block)) ?? readQuoteUsd(db)
}
