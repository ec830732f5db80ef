import type { Transaction } from 'kysely'
import type { Hex } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import type { Database } from '../../db/schema.ts'
import type { AuditedBlock, AuditedLaunch, Expected, Known } from '../expected.ts'
import type { Findings, Row } from '../findings.ts'
import type { PinnedReader } from '../pinned-reader.ts'

/** A token with its row of tokens and token_figures. */
export interface AuditedToken {
  token: string
  row: Row
}

/** Contracts of one launchpad, as they are at the checkpoint. */
export interface ContractState {
  chain: Chain
  reader: PinnedReader
  addresses: readonly string[]
  startBlock: number
  checkpoint: number
}

/** What a log creates. */
export type Creation =
  | {
      kind: 'launch'
      token: string
      creator: string
      soldOutAt: bigint
      quoteToken: string
      /** See AuditedLaunch. */
      virtual?: AuditedLaunch['virtual']
      /** In which the token begins. */
      pool?: string
    }
  | { kind: 'graduation'; token: string; pool: string }

/** The rows that follow from the logs of a launchpad. */
export interface AuditedLaunchpad {
  /** topic0 of every event that has to be indexed. */
  topics: readonly Hex[]
  /** The type of the pools into which its tokens graduate, or in which they are launched. */
  venue: string
  /**
   * others: the logs of its transaction before it, of contracts that pools share, and all of its own contract. answer: what
   * contract_reads has of it; null if that is nothing.
   */
  learn(log: RpcLog, others: readonly RpcLog[], answer: string | null): Creation | undefined
  /** all: the logs of the transaction. */
  expect(out: Expected, block: AuditedBlock, log: RpcLog, known: Known, all: readonly RpcLog[]): void
  /** Compares a token with what the contract says of it, if it does. */
  compareToken?(findings: Findings, reader: PinnedReader, token: AuditedToken): Promise<void>
  /** Compares sums over all tokens with what the contracts say, if they do. */
  compareContracts?(trx: Transaction<Database>, findings: Findings, state: ContractState): Promise<void>
}
