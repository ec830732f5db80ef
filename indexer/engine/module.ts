import type { Transaction } from 'kysely'
import type { Hex } from 'viem'
import { ANSWER_UPDATED } from '../../chain/feed/aggregators.ts'
import type { ContractRead } from '../../chain/logs/contract-read.ts'
import type { Log } from '../../chain/logs/log.ts'
import type { QuoteAsset } from '../../chain/rates.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/client.ts'
import type { Statements } from '../../db/postgres/pipeline.ts'
import type { NewEvent } from '../../db/queries/outbox.ts'
import type { Database } from '../../db/schema.ts'
import type { Block, EventContext } from './batch.ts'
import type { RejectLog } from './rejected-logs.ts'
import type { ActionRow } from './store-actions.ts'

/** Contracts by address, with their kinds in DEPLOYMENTS. */
export type Deployed = ReadonlyMap<string, string>

/** The contracts of a module. */
export interface ModuleContracts {
  /** The configured ones. */
  addresses: Deployed
  /** The native coin as an ERC-20, the quote side of the pools of tokens that are priced in it. */
  wrappedNative: string
  /** The other assets in which tokens may be priced, by address. */
  quotes: ReadonlyMap<string, QuoteAsset>
  /** See IndexedContracts. */
  backfilling: ReadonlyMap<string, number>
}

/** The contracts whose logs are indexed. */
export interface IndexedContracts {
  /** In the order in which their events are applied and undone. */
  modules: readonly IndexerModule[]
  /** The configured contracts of each module, by its name. */
  addresses: ReadonlyMap<string, Deployed>
  /** See ModuleContracts. */
  wrappedNative: string
  quotes: ReadonlyMap<string, QuoteAsset>
  /**
   * The contracts whose history is being backfilled beside the head. What they have created up to this block is left to that: the
   * indexer does not know all of it yet.
   */
  backfilling: ReadonlyMap<string, number>
}

export const contractsOf = (
  { addresses, wrappedNative, quotes, backfilling }: IndexedContracts,
  { name }: Pick<IndexerModule, 'name'>,
): ModuleContracts => ({
  addresses: addresses.get(name) ?? new Map(),
  wrappedNative,
  quotes,
  backfilling,
})

/** An event of a module, with its position on the chain. */
export interface IndexedEvent {
  at: EventContext
}

/** Unix seconds of the newest block, before and after a batch. The sliding windows end there. */
export interface Clock {
  from: number
  to: number
}

/** A block up to which all blocks are indexed. clock: unix seconds of the newest block. */
export interface Checkpoint {
  number: number
  time: number
  clock: number
}

/** A new notification, with the position of its event. log_index: null for what follows from the time of the block. */
export interface NotificationRef {
  id: number
  block_number: number
  log_index: number | null
}

/** Filter of logs that must be applied first: any of these addresses and topic0s, and these other topics, or any of a list. */
export interface Prerequisite {
  addresses: readonly string[]
  topics: readonly Hex[]
  topic1?: string | readonly string[]
  topic2?: string
  /** Decides about a log where its topics do not suffice. */
  matches?(log: Log): boolean
  /**
   * Set if logs are foreign, and not rejected, as long as no such log is known: the token or contract. Of the prerequisites with
   * one subject, one suffices.
   */
  subject?: string
}

/** A contract with the block from which on its logs are indexed. */
export interface Recoverable {
  address: string
  since: number
}

/**
 * Configured contracts that hold what elsewhere are contracts of their own, such as the manager of all pools of Uniswap V4. What a
 * log is about is known by an id of 32 bytes, its topic1, so that only logs of followed ones are requested.
 */
export interface Singletons {
  /** Their kinds in DEPLOYMENTS. */
  deployments: readonly string[]
  /** topic0 of the indexed events. */
  topics: readonly Hex[]
}

/** Contracts that the logs of configured contracts create, such as tokens and pools. */
export interface CreatedContracts {
  /** topic0 of their events, without those of singletons. */
  topics: readonly Hex[]
  /** Addresses of the stored ones, and ids of those in singletons. by: only what this contract has created. */
  listKnown(db: Db, by?: string): Promise<string[]>
  /** Addresses and ids of those that these creations create. */
  discover(contracts: ModuleContracts, creations: readonly Pick<Block, 'number' | 'logs'>[]): string[]
  /** Those of which earlier versions may have dropped logs with these topics: see recover-logs.ts. */
  recoverable?: { topics: readonly Hex[]; list(db: Db): Promise<Recoverable[]> }
}

/** Decodes logs of given blocks, with the state that was loaded for them. It reads no database. */
export interface Decoder<Event extends IndexedEvent = IndexedEvent> {
  /** Whether a log is of a contract that the module's contracts created, or a shared contract's log about one. Depends on the chain alone. */
  isOfCreated?(block: number, log: Log): boolean
  /** Whether a log belongs to the history of a contract that is being backfilled: see IndexedContracts. */
  isLeftToBackfill?(log: Log): boolean
  /**
   * The effective events in order, in parts that are decoded as they are read; rejectLog is called for each invalid log.
   * Throws OutOfOrderError if a creation in these blocks is earlier than the stored one.
   */
  decode(blocks: readonly Block[], rejectLog: RejectLog): Iterable<readonly Event[]>
}

/** Changes of one transaction, from which live events are built. */
export interface ModuleUpdate<Event extends IndexedEvent = IndexedEvent> {
  chainId: number
  /** Symbol of the native coin. */
  nativeSymbol: string
  /** Blocks up to this height are final. */
  finalized: number
  /** The recent events, in chain order. */
  events: readonly Event[]
  /** All events that a reorg undid, however old: they may have been sent before. */
  undone: readonly Event[]
}

export interface LiveEvents {
  /** Sent before the events of any module. */
  retractions: NewEvent[]
  events: NewEvent[]
}

/** Writes the rows of new events in a transaction, which adds them in one or several parts. */
export interface EventWriter<Event extends IndexedEvent = IndexedEvent> {
  /** Approximate number of rows that are kept in memory until the end. */
  readonly pendingRows: number
  /** Statements of this part may still run when it resolves. */
  add(events: readonly Event[]): Promise<void>
  /** Writes the rows in memory, once. Returns the new notifications. */
  finish(): Promise<NotificationRef[]>
  /** The numbers of the tokens whose figures it has written, after `finish`. */
  readonly changedTokens?: readonly number[]
}

/**
 * A kind of contracts with its tables. The invariants of applyBatch hold for its writer: each event is applied once,
 * batches may come in any order, and `undo` restores the tables to what they were without the events from a height on.
 */
export interface IndexerModule<Event extends IndexedEvent = IndexedEvent> {
  /** Names its contracts in chain_state, and its data in live events: see lib/cache/data-versions.ts. */
  name: string
  /** The kinds of its contracts in DEPLOYMENTS. */
  deployments: readonly string[]
  /** Those of them whose logs are indexed only where the decoder says so, such as factories that others use as well. */
  shared?: readonly string[]
  singletons?: Singletons
  /** The kind of the shared contracts without which the events of a kind cannot be decoded. */
  needs?(deployment: string): string | undefined
  /** topic0 of the indexed events of the configured contracts, without those of singletons. */
  topics: readonly Hex[]
  /** Those of them that create something. Decoding depends on no other earlier event: see openDecoders. */
  creationTopics: readonly Hex[]
  created?: CreatedContracts
  /** What the log of a creation leaves out; undefined if nothing is missing. The engine hands over the answer: see getAnswer. */
  reads?(contracts: ModuleContracts, log: Log): ContractRead | undefined
  /** Tables that a rebuild empties, in an order that respects foreign keys. */
  derived: readonly string[]
  /** Stores the settings on which its rows depend, before a process begins to index. Other settings than before make it rebuild. */
  prepare?(trx: Transaction<Database>, config: Config): Promise<void>
  /**
   * Loads everything that decoding these blocks depends on. creations: the module's, in these blocks and in earlier ones; the
   * database may have them or not, and the decoder is the same.
   */
  openDecoder(
    db: Db,
    contracts: ModuleContracts,
    blocks: readonly Block[],
    creations: readonly Block[],
  ): Promise<Decoder<Event>>
  /**
   * Logs that a receipt sync ahead of the indexer has to apply before these, such as the creation of a pool, as far as
   * the database lacks them.
   */
  findPrerequisites(
    services: { db: Db; chain: Chain },
    contracts: ModuleContracts,
    block: Block,
  ): Promise<Prerequisite[]>
  /** Also called for a transaction without events, because the clock moves. */
  openWriter(trx: Transaction<Database>, clock: Clock, statements: Statements): EventWriter<Event>
  /**
   * Called when the indexer reaches events that receipt syncs have stored, after the others of the batch are written: only now are all
   * earlier events known. Must notify nobody twice. clock: unix seconds. Returns the new notifications.
   */
  notifyOfStored?(trx: Transaction<Database>, events: readonly Event[], clock: number): Promise<NotificationRef[]>
  /** Called with each new checkpoint, after its events are written. Returns the new notifications. */
  notifyByTime?(trx: Transaction<Database>, checkpoint: Checkpoint): Promise<NotificationRef[]>
  /**
   * events: all of them from the height on. The engine deletes actions and notifications. Returns the numbers of the tokens
   * whose figures it has changed or removed.
   */
  undo(trx: Transaction<Database>, events: readonly Event[], from: number): Promise<readonly number[]>
  /** The cache tags that these events change, besides the module's name: see lib/cache/data-versions.ts. */
  cacheTagsOf?(events: readonly Event[]): string[]
  /** The transactions of wallets among these events, as the API lists them. */
  toTransactions(events: readonly Event[]): ActionRow[]
  buildLiveEvents?(trx: Transaction<Database>, update: ModuleUpdate<Event>): Promise<LiveEvents>
  /** Live events about all modules, sent last whenever one of them has any. */
  buildSummaries?(trx: Transaction<Database>): Promise<NewEvent[]>
}

/** The writer of a module that applies all of a transaction's events at once. */
export function writeAtEnd<Event extends IndexedEvent>(
  apply: (trx: Transaction<Database>, events: readonly Event[], clock: Clock) => Promise<NotificationRef[]>,
): IndexerModule<Event>['openWriter'] {
  return (trx, clock) => {
    const events: Event[] = []
    return {
      get pendingRows() {
        return events.length
      },
      async add(part) {
        for (const event of part) events.push(event)
      },
      finish: () => apply(trx, events, clock),
    }
  }
}

/** A log with its context. */
export interface LocatedLog {
  at: EventContext
  log: Log
}

/** The logs of the given contracts, in order. */
export function pickLogs(blocks: readonly Block[], contracts: Deployed): LocatedLog[] {
  if (contracts.size === 0) return []
  const picked: LocatedLog[] = []
  for (const { number, time, nativeUsd, logs } of blocks) {
    for (const log of logs) {
      if (!contracts.has(log.address)) continue
      picked.push({ log, at: { blockNumber: number, logIndex: log.logIndex, txHash: log.txHash, time, nativeUsd } })
    }
  }
  return picked
}

/** topic0 of the logs that may be indexed. */
export interface Topics {
  /** Events of configured contracts and of the price feed. */
  configured: ReadonlySet<string>
  /** Events of the contracts that these create. */
  created: ReadonlySet<string>
  /** Events of singletons about what they hold. */
  held: ReadonlySet<string>
  wanted: ReadonlySet<string>
}

export function listTopics(modules: readonly IndexerModule[]): Topics {
  const configured = new Set<string>([...modules.flatMap((module) => module.topics), ANSWER_UPDATED])
  const created = new Set<string>(modules.flatMap((module) => module.created?.topics ?? []))
  const held = new Set<string>(modules.flatMap((module) => module.singletons?.topics ?? []))
  return { configured, created, held, wanted: new Set([...configured, ...created, ...held]) }
}
