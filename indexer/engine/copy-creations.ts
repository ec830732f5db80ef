import { copyLog } from '../../chain/logs.ts'
import { modules } from '../modules.ts'
import type { Block } from './batch.ts'
import type { IndexedContracts } from './module.ts'

/** The blocks with copies of those logs that create something, which later events may refer to. */
export function copyCreations(contracts: IndexedContracts, blocks: readonly Block[]): Block[] {
  const topics = new Map<string, Set<string>>()
  for (const { contractsOf, creationTopics } of modules) {
    for (const address of contractsOf(contracts)) {
      topics.set(address, new Set([...(topics.get(address) ?? []), ...creationTopics]))
    }
  }
  return blocks.map((block) => ({
    ...block,
    logs: block.logs.filter((log) => topics.get(log.address)?.has(log.topics[0] ?? '')).map(copyLog),
  }))
}
