import type { Hex } from 'viem'
import type { ContractRead } from '../../../chain/logs/contract-read.ts'
import type { Log } from '../../../chain/logs/log.ts'
import type { Block } from '../batch.ts'
import { pickCreations } from '../creations.ts'
import { contractsOf, type IndexedContracts } from '../module.ts'

/** What contracts answered about a log, as if it were part of the log; null if no answer is certain. */
const answers = new WeakMap<Log, Hex | null>()
let isUsed = false

/** Whether this process has set an answer. Until then, no log has one to store. */
export const hasAnswers = (): boolean => isUsed

/** Undefined before the answer was looked up. */
export const getAnswer = (log: Log): Hex | null | undefined => answers.get(log)

export function setAnswer(log: Log, answer: Hex | null): void {
  answers.set(log, answer)
  isUsed = true
}

/** A log with what it leaves out. */
export interface PendingRead {
  block: Pick<Block, 'number' | 'hash'>
  log: Log
  read: ContractRead
}

/** The reads that these logs need and whose answers have not been looked up. */
export function listPending(
  contracts: IndexedContracts,
  blocks: readonly Pick<Block, 'number' | 'hash' | 'logs'>[],
): PendingRead[] {
  const readers = contracts.modules.flatMap(({ name, reads }) =>
    reads ? [{ reads, own: contractsOf(contracts, { name }) }] : [],
  )
  if (readers.length === 0) return []
  return pickCreations(contracts, blocks).flatMap((block) =>
    block.logs.flatMap((log) => {
      if (getAnswer(log) !== undefined) return []
      const reader = readers.find(({ own }) => own.addresses.has(log.address))
      const read = reader?.reads(reader.own, log)
      return read ? [{ block, log, read }] : []
    }),
  )
}
