import type { Hex } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import type { AuditedBlock, AuditedPool, Expected } from '../expected.ts'

/** The logs of a pool in one transaction. all: every log of the transaction. */
export interface PoolLogs {
  logs: readonly RpcLog[]
  pool: AuditedPool
  all: readonly RpcLog[]
  address: string
}

/** The rows that follow from the logs of a pool. */
export interface AuditedVenue {
  /** topic0 of every event that has to be indexed. */
  topics: readonly Hex[]
  expect(out: Expected, block: AuditedBlock, logs: PoolLogs): void
}
