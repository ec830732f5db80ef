import type { Log } from '../../chain/logs.ts'
import { modules } from '../modules.ts'
import type { Block } from './batch.ts'
import type { IndexedContracts } from './module.ts'

/** Modules by topic0 of their creations. */
const creators = Map.groupBy(
  modules.flatMap((module) => module.creationTopics.map((topic) => ({ topic: topic as string, module }))),
  ({ topic }) => topic,
)

/**
 * Logs with a topic of a creation by the array of logs that has them: the same blocks are searched when they are fetched, kept and
 * decoded. While they are fetched, logs may be appended to the array: see gather in fetch.ts.
 */
const candidates = new WeakMap<readonly Log[], { found: readonly Log[]; length: number }>()

function pickCandidates(logs: readonly Log[]): readonly Log[] {
  const known = candidates.get(logs)
  if (known?.length === logs.length) return known.found
  const found = logs.filter(({ topic0 }) => creators.has(topic0))
  candidates.set(logs, { found, length: logs.length })
  return found
}

/** Whether a log creates something, to which later events may refer. */
export const isCreation = (contracts: IndexedContracts, log: Log): boolean =>
  creators.get(log.topic0)?.some(({ module }) => module.contractsOf(contracts).has(log.address)) ?? false

/** Those logs of the blocks that create something, in their blocks. */
export function pickCreations<B extends Pick<Block, 'number' | 'logs'>>(
  contracts: IndexedContracts,
  blocks: readonly B[],
): B[] {
  return blocks.flatMap((block) => {
    const logs = pickCandidates(block.logs).filter((log) => isCreation(contracts, log))
    return logs.length === 0 ? [] : [{ ...block, logs }]
  })
}

/** The same, detached from their responses: they are kept longer than the other logs. */
export function detachCreations(contracts: IndexedContracts, blocks: readonly Block[]): Block[] {
  const created = pickCreations(contracts, blocks)
  for (const { logs } of created) for (const log of logs) log.detach()
  return created
}
