import type { Log } from '../../chain/logs/log.ts'
import type { Block } from './batch.ts'
import type { IndexedContracts, IndexerModule } from './module.ts'

type Creators = ReadonlyMap<string, readonly IndexerModule[]>

/** Modules by topic0 of their creations, by the list of all modules. */
const known = new WeakMap<readonly IndexerModule[], Creators>()

function creatorsOf(modules: readonly IndexerModule[]): Creators {
  const found = known.get(modules)
  if (found) return found
  const pairs = modules.flatMap((module) => module.creationTopics.map((topic) => ({ topic: topic as string, module })))
  const grouped = Map.groupBy(pairs, ({ topic }) => topic)
  const creators = new Map([...grouped].map(([topic, own]) => [topic, own.map(({ module }) => module)]))
  known.set(modules, creators)
  return creators
}

/**
 * Logs with a topic of a creation by the array of logs that has them: the same blocks are searched when they are fetched, kept and
 * decoded. While they are fetched, logs may be appended to the array: see gather in gathered-logs.ts.
 */
const candidates = new WeakMap<readonly Log[], { found: readonly Log[]; length: number; creators: Creators }>()

function pickCandidates(creators: Creators, logs: readonly Log[]): readonly Log[] {
  const known = candidates.get(logs)
  if (known?.length === logs.length && known.creators === creators) return known.found
  const found = logs.filter(({ topic0 }) => creators.has(topic0))
  candidates.set(logs, { found, length: logs.length, creators })
  return found
}

/** Whether a log creates something, to which later events may refer. */
export const isCreation = ({ modules, addresses }: IndexedContracts, log: Log): boolean =>
  creatorsOf(modules)
    .get(log.topic0)
    ?.some(({ name }) => addresses.get(name)?.has(log.address)) ?? false

/** Those logs of the blocks that create something, in their blocks. */
export function pickCreations<B extends Pick<Block, 'number' | 'logs'>>(
  contracts: IndexedContracts,
  blocks: readonly B[],
): B[] {
  const creators = creatorsOf(contracts.modules)
  return blocks.flatMap((block) => {
    const logs = pickCandidates(creators, block.logs).filter((log) => isCreation(contracts, log))
    return logs.length === 0 ? [] : [{ ...block, logs }]
  })
}

/** The same, detached from their responses: they are kept longer than the other logs. */
export function detachCreations(contracts: IndexedContracts, blocks: readonly Block[]): Block[] {
  const created = pickCreations(contracts, blocks)
  for (const { logs } of created) for (const log of logs) log.detach()
  return created
}
