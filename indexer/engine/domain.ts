import type { Transaction } from 'kysely'
import type { Hex } from 'viem'
import type { Log } from '../../chain/logs.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import type { Block, EventContext } from './batch.ts'
import type { RejectLog } from './rejected-logs.ts'

/** A log of a domain's contract, with its context. */
export interface DomainLog {
  at: EventContext
  log: Log
}

/** Something that a wallet did on the chain, which a receipt sync can claim. */
export interface Action {
  kind: string
  /** Lower-case. The actor named by the event, not the sender of the transaction. */
  wallet: string
  at: EventContext
  /** The id of the raise, proposal or token concerned, where a sync request names one. */
  subject?: string
}

/** Address, topic0 and topic1 of a prerequisite log. */
export interface Prerequisite {
  address: string
  topic0: Hex
  topic1: Hex
}

export type DomainName = 'staking' | 'raises'

/**
 * Contracts other than launchpads, with their tables. The invariants of applyBatch hold for `apply`: each event is
 * applied once, batches may come in any order, and `undo` restores the tables to what they were without the events from
 * a height on.
 */
export interface Domain {
  /** Selects the domain's contracts among the configured ones. */
  name: DomainName
  /** The topic0 of every event that is indexed. */
  topics: readonly Hex[]
  /** Tables that a rebuild empties, in an order that respects foreign keys. */
  derived: readonly string[]
  readActions(logs: readonly DomainLog[]): Action[]
  /**
   * Filters for prerequisite logs that are missing in the database, such as a pool's creation. A receipt sync ahead of
   * the indexer applies their transactions first.
   */
  findPrerequisites(db: Db, logs: readonly DomainLog[]): Promise<Prerequisite[]>
  /** clock: unix seconds of the newest block. rejectLog is called for each invalid log, which then has no effect. */
  apply(trx: Transaction<Database>, logs: readonly DomainLog[], clock: number, rejectLog: RejectLog): Promise<void>
  /** logs: all logs of the domain from that height on. */
  undo(trx: Transaction<Database>, logs: readonly DomainLog[], from: number): Promise<void>
}

/** The logs of the given contracts, in order, that pass the filter. */
export function pickLogs(
  blocks: readonly Block[],
  contracts: ReadonlySet<string>,
  isWanted: (block: number, log: number) => boolean = () => true,
): DomainLog[] {
  if (contracts.size === 0) return []
  const picked: DomainLog[] = []
  for (const { number, time, quoteUsd, logs } of blocks) {
    for (const log of logs) {
      if (!contracts.has(log.address) || !isWanted(number, log.logIndex)) continue
      picked.push({ log, at: { blockNumber: number, logIndex: log.logIndex, txHash: log.txHash, time, quoteUsd } })
    }
  }
  return picked
}
