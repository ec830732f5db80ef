import { copyLog } from '../../chain/logs.ts'
import { modules } from '../modules.ts'
import type { Block } from './batch.ts'
import type { IndexedContracts } from './module.ts'

/** Modules by topic0 of their creations. */
const creators = Map.groupBy(
  modules.flatMap((module) => module.creationTopics.map((topic) => ({ topic: topic as string, module }))),
  ({ topic }) => topic,
)

/** The blocks with copies of those logs that create something, which later events may refer to. */
export function copyCreations(contracts: IndexedContracts, blocks: readonly Block[]): Block[] {
  const isCreation = (address: string, topic: string) =>
    creators.get(topic)?.some(({ module }) => module.contractsOf(contracts).has(address)) ?? false
  return blocks.map((block) => ({
    ...block,
    logs: block.logs.filter(({ address, topics: [topic = ''] }) => isCreation(address, topic)).map(copyLog),
  }))
}
