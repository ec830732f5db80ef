import type { Hex } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import type { AuditedBlock, AuditedPool, Expected } from '../expected.ts'
import type { Findings, Row } from '../findings.ts'
import type { PinnedReader } from '../pinned-reader.ts'

/** A token in its pool, with its row of tokens and token_figures. */
export interface AuditedPoolState {
  token: string
  row: Row
  wrappedNative: string
  /** Shares of the pool that the graduation burnt. */
  lpBurned: bigint
}

/** The logs of a pool in one transaction. all: every log of the transaction. */
export interface PoolLogs {
  logs: readonly RpcLog[]
  pool: AuditedPool
  all: readonly RpcLog[]
  /** The address of the pool, or its id. */
  address: string
}

/** The rows that follow from the logs of a pool. */
export interface AuditedVenue {
  /** topic0 of every event that has to be indexed. */
  topics: readonly Hex[]
  /** A contract that pools share. */
  shared: {
    /** Its kind in DEPLOYMENTS. */
    deployment: string
    topics: readonly Hex[]
    /** The pool that its log is about. */
    poolOf(log: RpcLog): string | undefined
    /** Whether it emits the logs of the pools and holds their tokens: topic1 is the id of a pool. */
    holdsPools: boolean
  } | null
  /** The first price of a pool in these logs. */
  firstPrice(logs: readonly RpcLog[], address: string, pool: AuditedPool): { quote: bigint; token: bigint } | undefined
  expect(out: Expected, block: AuditedBlock, logs: PoolLogs): void
  /** Compares a token's pool with what the contract says, as far as its logs contain it. */
  comparePool?(findings: Findings, reader: PinnedReader, state: AuditedPoolState): Promise<void>
}
