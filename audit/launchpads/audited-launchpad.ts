import type { Hex } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import type { AuditedBlock, Expected, Known } from '../expected.ts'

/** What a log creates. */
export type Creation =
  | { kind: 'launch'; token: string; creator: string; soldOutAt: bigint }
  | { kind: 'graduation'; token: string; pool: string }

/** The rows that follow from the logs of a launchpad. */
export interface AuditedLaunchpad {
  /** topic0 of every event that has to be indexed. */
  topics: readonly Hex[]
  /** The type of the pools into which its tokens graduate. */
  venue: string
  learn(log: RpcLog): Creation | undefined
  /** all: the logs of the transaction. */
  expect(out: Expected, block: AuditedBlock, log: RpcLog, known: Known, all: readonly RpcLog[]): void
}
