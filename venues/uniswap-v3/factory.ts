import { toEventSelector } from 'viem'
import { dataAddress, type Log } from '../../chain/logs/log.ts'
import type { SharedContract } from '../venue.ts'

const POOL_CREATED = toEventSelector('PoolCreated(address,address,uint24,int24,address)')

/** The factory of Uniswap V3 and its forks. */
export const factory: SharedContract = {
  deployment: 'uniswap-v3-factory',
  topics: [POOL_CREATED],
  creationTopic: POOL_CREATED,
  poolOf: (log) => readCreated(log)?.pool,
  holdsPools: false,
}

interface CreatedPool {
  /** In the order of their addresses. */
  tokens: readonly [string, string]
  pool: string
}

function readCreated(log: Log): CreatedPool | undefined {
  const isEvent = log.topic0 === POOL_CREATED && log.topicCount === 4 && log.end - log.dataAt === 64
  return isEvent ? { tokens: [log.topicAddress(1), log.topicAddress(2)], pool: dataAddress(log, 1) } : undefined
}

/** The last pool of a token that these logs create, with the token on its other side. */
export function findCreatedPool(logs: readonly Log[], token: string): { pool: string; other: string } | undefined {
  const created = logs.map(readCreated).findLast((one) => one?.tokens.includes(token))
  if (created === undefined) return undefined
  const [first, second] = created.tokens
  return { pool: created.pool, other: first === token ? second : first }
}
