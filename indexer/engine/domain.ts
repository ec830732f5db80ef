import type { Transaction } from 'kysely'
import type { Hex } from 'viem'
import type { Log } from '../../chain/logs.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import type { Block, EventContext } from './batch.ts'
import type { RejectLog } from './rejected-logs.ts'

/** A log of one of a domain's contracts, and where and when it happened. */
export interface DomainLog {
  at: EventContext
  log: Log
}

/** Something that a wallet did, which it may claim by a receipt sync. */
export interface Action {
  kind: string
  /** Lower-case. The event's own actor, not the transaction's sender. */
  wallet: string
  at: EventContext
  /** The id of what it was done to, where a sync names one. */
  subject?: string
}

/** What a log that others build on has as its contract, its event and the first word indexed in it. */
export interface Prerequisite {
  address: string
  topic0: Hex
  topic1: Hex
}

export type DomainName = 'staking' | 'raises'

/**
 * A family of contracts beside the launchpads, whose events say all that its tables need. What must hold of `apply` is what
 * must hold of applyBatch: an event comes once, in any order of batches, and `undo` leaves the tables as if those from a
 * height on had never come.
 */
export interface Domain {
  /** Its contracts are those that the configuration names under this kind. */
  name: DomainName
  /** The events that mean something. */
  topics: readonly Hex[]
  /** Its tables, which a rebuild empties: those that refer to others first. */
  derived: readonly string[]
  readActions(logs: readonly DomainLog[]): Action[]
  /**
   * Where to look for the logs that these build on and that the database does not have, as that of a pool's creation: a
   * receipt sync ahead of the indexer applies their transactions first.
   */
  findPrerequisites(db: Db, logs: readonly DomainLog[]): Promise<Prerequisite[]>
  /** clock: unix seconds of the newest block seen. refuse is told of logs that cannot be, and so have no effect. */
  apply(trx: Transaction<Database>, logs: readonly DomainLog[], clock: number, rejectLog: RejectLog): Promise<void>
  /** logs: all of its own from that height on. */
  undo(trx: Transaction<Database>, logs: readonly DomainLog[], from: number): Promise<void>
}

/** The logs of the contracts named, in order; of each block only those that isWanted says. */
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
