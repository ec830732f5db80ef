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
 * Those logs of the blocks that create something, to which later events may refer, in their blocks. They are kept longer than
 * the other logs, so they are detached from their responses.
 */
export function detachCreations(contracts: IndexedContracts, blocks: readonly Block[]): Block[] {
  const isCreation = (log: Log) =>
    creators.get(log.topic0)?.some(({ module }) => module.contractsOf(contracts).has(log.address)) ?? false
  return blocks.flatMap((block) => {
    const logs = block.logs.filter(isCreation)
    for (const log of logs) log.detach()
    return logs.length === 0 ? [] : [{ ...block, logs }]
  })
}
