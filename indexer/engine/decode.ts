import type { Log } from '../../chain/logs/log.ts'
import type { Db } from '../../db/client.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import { type Block, isSame } from './batch.ts'
import { pickCreations } from './creations.ts'
import { contractsOf, type Decoder, type IndexedContracts, type IndexedEvent, type IndexerModule } from './module.ts'
import { completeStored } from './reads/store-answers.ts'
import { RejectedLogs, type RejectLog } from './rejected-logs.ts'

/** The events of each module, in the order of the modules. */
export type DecodedEvents = readonly { module: IndexerModule; events: readonly IndexedEvent[] }[]

export interface Decoders {
  /**
   * Whether a log is indexed. The result depends on the chain alone, so the indexer, which requests these logs, and a
   * receipt sync, which gets all logs of its transaction, store the same ones.
   */
  isIndexed(block: number, log: Log): boolean
  /** Whether the backfill of a contract brings the log. Until then, another batch leaves it out. */
  isLeftToBackfill(log: Log): boolean
  /**
   * The events, in parts that are decoded as they are read. rejectLog is called for each invalid log, which then has no effect.
   */
  decode(blocks: readonly Block[], rejectLog?: RejectLog): Iterable<DecodedEvents>
}

/**
 * Opens the decoders of all modules for these blocks. Besides the logs themselves, decoding may depend on earlier creations
 * only (creationTopics), and a decoder knows all of them:
 *
 *   those that are committed when it is opened, from the database, and
 *   those of earlier blocks that may not be committed then, and of its own blocks, from `uncommitted` and `blocks`.
 *
 * A module gets these others as one list, and loads the same for each: so it cannot depend on which of them are committed. What
 * contracts have answered about a creation counts as a part of its log.
 */
export async function openDecoders(
  db: Db,
  contracts: IndexedContracts,
  blocks: readonly Block[],
  uncommitted: readonly Block[] = [],
): Promise<Decoders> {
  const creations = pickCreations(contracts, [...uncommitted, ...blocks])
  await completeStored(db, contracts, creations)
  const decoders: { module: IndexerModule; decoder: Decoder }[] = []
  // One by one, because a transaction has one connection.
  for (const module of contracts.modules) {
    decoders.push({ module, decoder: await module.openDecoder(db, contractsOf(contracts, module), blocks, creations) })
  }
  const configured = topicsOfConfigured(contracts)
  return {
    // A configured contract keeps its role, even if another one claims to have created it.
    isIndexed: (block, log) =>
      configured.get(log.address)?.has(log.topic0) ?? decoders.some(({ decoder }) => decoder.isOfCreated?.(block, log)),
    isLeftToBackfill: (log) =>
      contracts.backfilling.size > 0 && decoders.some(({ decoder }) => decoder.isLeftToBackfill?.(log)),
    decode: (blocks, rejectLog = () => {}) =>
      joinParts(decoders.map(({ module, decoder }) => ({ module, parts: decoder.decode(blocks, rejectLog) }))),
  }
}

interface ModuleParts {
  module: IndexerModule
  parts: Iterable<readonly IndexedEvent[]>
}

/** Parts with the events of all modules; a module with fewer parts has no events in the last ones. */
export function* joinParts(decoded: readonly ModuleParts[]): Generator<DecodedEvents> {
  const modules = decoded.map(({ module, parts }) => ({ module, iterator: parts[Symbol.iterator]() }))
  for (;;) {
    const next = modules.map(({ module, iterator }) => ({ module, ...iterator.next() }))
    if (next.every(({ done }) => done)) return
    yield next.map(({ module, done, value }) => ({ module, events: done ? [] : value }))
  }
}

/** Blocks whose new logs are decoded as their events are read. */
export interface DecodedBlocks {
  /** Without foreign logs and, once all parts have been read, without those that lack a creation. */
  readonly blocks: readonly Block[]
  /** The events. Read them once: kept in memory until they are applied, they would cost more than decoding them. */
  parts: Iterable<DecodedEvents>
  /** Complete once all parts have been read. */
  rejected: RejectedLogs
  /** The events of logs that were stored before, for modules with `notifyOfStored`. Complete once all parts have been read. */
  stored?: StoredEvents
}

export type StoredEvents = Map<IndexerModule, IndexedEvent[]>

type IsNew = (block: number, log: number) => boolean

/**
 * Decodes the new logs. Drops those of foreign contracts, those of events that are not indexed, and what is left to a backfill; with
 * mayLackCreations, which is for receipt syncs, also those that lack a creation.
 */
export function decodeNewLogs(
  decoders: Decoders,
  { blocks, isNew }: { blocks: readonly Block[]; isNew: IsNew | 'all' },
  { mayLackCreations = false } = {},
): DecodedBlocks {
  const isStored = (block: number, log: number) => isNew !== 'all' && !isNew(block, log)
  const kept = blocks.map((block) => {
    const { number } = block
    const isKept = (log: Log) =>
      (decoders.isIndexed(number, log) && !decoders.isLeftToBackfill(log)) || isStored(number, log.logIndex)
    return block.logs.every(isKept) ? block : { ...block, logs: block.logs.filter(isKept) }
  })
  const rejected = new RejectedLogs()
  const undecided: LogPosition[] = []
  const stored: StoredEvents = new Map()
  const decoded = decoders.decode(kept, (at, contract, reason, { lacksCreation = false, quote } = {}) => {
    if (isStored(at.blockNumber, at.logIndex)) return
    if (!mayLackCreations || !lacksCreation) return rejected.add(at, contract, reason, quote)
    undecided.push(at)
    rejected.undecided += 1
  })
  return {
    get blocks() {
      return undecided.length === 0 ? kept : dropLogs(kept, undecided)
    },
    parts: isNew === 'all' ? decoded : keepNew(decoded, isNew, stored),
    rejected,
    stored,
  }
}

function* keepNew(parts: Iterable<DecodedEvents>, isNew: IsNew, stored: StoredEvents): Generator<DecodedEvents> {
  const isOfNew = ({ at }: IndexedEvent) => isNew(at.blockNumber, at.logIndex)
  for (const part of parts) {
    for (const { module, events } of part) {
      const known = module.notifyOfStored ? events.filter((event) => !isOfNew(event)) : []
      if (known.length > 0) stored.set(module, (stored.get(module) ?? []).concat(known))
    }
    yield part.map(({ module, events }) => ({ module, events: events.filter(isOfNew) }))
  }
}

const dropLogs = (blocks: readonly Block[], dropped: readonly LogPosition[]): Block[] =>
  blocks.map((block) => ({
    ...block,
    logs: block.logs.filter(
      ({ logIndex }) => !dropped.some((at) => isSame(at, { blockNumber: block.number, logIndex })),
    ),
  }))

/** topic0 of the indexed events, by configured contract that is not shared. */
function topicsOfConfigured({ modules, addresses }: IndexedContracts): Map<string, ReadonlySet<string>> {
  return new Map(
    modules.flatMap(({ name, topics, shared = [] }) => {
      const events: ReadonlySet<string> = new Set(topics)
      return [...(addresses.get(name) ?? [])].flatMap(([address, kind]) =>
        shared.includes(kind) ? [] : [[address, events] as const],
      )
    }),
  )
}

/** Joins the events of several batches or parts, module by module. */
export function joinEvents(a: DecodedEvents, b: DecodedEvents): DecodedEvents {
  if (a.length === 0) return b
  // concat, because a spread into push overflows the stack for large arrays.
  return a.map(({ module, events }, index) => ({ module, events: events.concat(b[index]?.events ?? []) }))
}

export const listEvents = (decoded: DecodedEvents): IndexedEvent[] => decoded.flatMap(({ events }) => events)
