import type { Log } from '../../chain/logs.ts'
import type { Db } from '../../db/client.ts'
import { modules } from '../modules.ts'
import type { Block } from './batch.ts'
import type { Decoder, IndexedContracts, IndexedEvent, IndexerModule } from './module.ts'
import type { RejectLog } from './rejected-logs.ts'

/** The events of each module, in the order of the modules. */
export type DecodedEvents = readonly { module: IndexerModule; events: readonly IndexedEvent[] }[]

export interface Decoders {
  /**
   * Whether a log is indexed. The result depends on the chain alone, so the indexer, which requests these logs, and a
   * receipt sync, which gets all logs of its transaction, store the same ones.
   */
  isIndexed(block: number, log: Log): boolean
  /** rejectLog is called for each invalid log, which then has no effect. */
  decode(blocks: readonly Block[], rejectLog?: RejectLog): Promise<DecodedEvents>
}

/** Opens the decoders of all modules for these blocks. */
export async function openDecoders(db: Db, contracts: IndexedContracts, blocks: readonly Block[]): Promise<Decoders> {
  const decoders: { module: IndexerModule; decoder: Decoder }[] = []
  // One by one, because a transaction has one connection.
  for (const module of modules) decoders.push({ module, decoder: await module.openDecoder(db, contracts, blocks) })
  const configured = listConfigured(contracts)
  return {
    // A configured contract keeps its role, even if another one claims to have created it.
    isIndexed: (block, log) =>
      configured.get(log.address)?.has(log.topics[0] ?? '') ??
      decoders.some(({ decoder }) => decoder.isOfCreated?.(block, log)),
    async decode(blocks, rejectLog = () => {}) {
      const decoded: { module: IndexerModule; events: readonly IndexedEvent[] }[] = []
      for (const { module, decoder } of decoders) {
        decoded.push({ module, events: await decoder.decode(blocks, rejectLog) })
      }
      return decoded
    },
  }
}

/** topic0 of the indexed events, by configured contract. */
function listConfigured(contracts: IndexedContracts): Map<string, ReadonlySet<string>> {
  return new Map(
    modules.flatMap(({ contractsOf, topics }) => {
      const events: ReadonlySet<string> = new Set(topics)
      return [...contractsOf(contracts)].map((address) => [address, events] as const)
    }),
  )
}

/** Joins the events of several batches, module by module. */
export function joinEvents(a: DecodedEvents, b: DecodedEvents): DecodedEvents {
  if (a.length === 0) return b
  // concat, because a spread into push overflows the stack for large arrays.
  return a.map(({ module, events }, index) => ({ module, events: events.concat(b[index]?.events ?? []) }))
}

export const listEvents = (decoded: DecodedEvents): IndexedEvent[] => decoded.flatMap(({ events }) => events)
