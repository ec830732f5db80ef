import { type Address, parseAbi, toEventSelector } from 'viem'
import { MAX_AMOUNT } from '../bounds.ts'
import { dataWord, type Log } from '../logs/log.ts'
import { powerOfTen, RATE_DECIMALS, validRateOrNull } from '../rates.ts'
import type { Chain } from '../rpc/client.ts'
import { classifyCallError, StateUnavailableError } from './read-price.ts'

export type PricedVenue = 'uniswap-v2' | 'uniswap-v3'

/** What a pool holds of its two tokens; for Uniswap V3, what it would hold if its liquidity covered all prices. */
export interface PoolReserves {
  zero: bigint
  one: bigint
}

const topics = {
  sync: toEventSelector('Sync(uint112,uint112)'),
  swap: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
} as const

/** The event of each type of pools that carries its price. */
export const PRICE_TOPICS: Readonly<Record<PricedVenue, `0x${string}`>> = {
  'uniswap-v2': topics.sync,
  'uniswap-v3': topics.swap,
}

const abi = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'function liquidity() view returns (uint128)',
])

const ROOT_BITS = 96n

function fromRoot(root: bigint, liquidity: bigint): PoolReserves | null {
  if (root === 0n || root >= 1n << 160n || liquidity > MAX_AMOUNT) return null
  return { zero: (liquidity << ROOT_BITS) / root, one: (liquidity * root) >> ROOT_BITS }
}

/** The reserves after a log with the venue's price topic; null for an invalid log. */
export function parseReserves(venue: PricedVenue, log: Log): PoolReserves | null {
  try {
    return venue === 'uniswap-v2'
      ? { zero: dataWord(log, 0) & MAX_AMOUNT, one: dataWord(log, 1) & MAX_AMOUNT }
      : fromRoot(dataWord(log, 2), dataWord(log, 3))
  } catch {
    return null
  }
}

/**
 * The reserves at the end of a block; null if the pool has no contract there. Rejects with StateUnavailableError if the node has
 * pruned the state, and with the node's error otherwise.
 */
export async function readReserves(
  { client }: Pick<Chain, 'client'>,
  { pool, venue }: { pool: string; venue: PricedVenue },
  block: number,
): Promise<PoolReserves | null> {
  const call = { address: pool as Address, abi, blockNumber: BigInt(block) } as const
  try {
    if (venue === 'uniswap-v2') {
      const [zero, one] = await client.readContract({ ...call, functionName: 'getReserves' })
      return { zero, one }
    }
    const [slot, liquidity] = await Promise.all([
      client.readContract({ ...call, functionName: 'slot0' }),
      client.readContract({ ...call, functionName: 'liquidity' }),
    ])
    return fromRoot(slot[0], liquidity)
  } catch (error) {
    const cause = classifyCallError(error)
    if (cause === 'no-state') throw new StateUnavailableError(`No state of block ${block}`, { cause: error })
    if (cause === 'reverted' || isWithoutContract(error)) return null
    throw error
  }
}

/** viem's error for an empty answer. */
const isWithoutContract = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'ContractFunctionExecutionError' || error.name === 'ContractFunctionZeroDataError') &&
  /returned no data/.test(error.message)

interface Side {
  reserve: bigint
  decimals: number
}

/** The price of one whole unit of an asset in whole units of the other, RATE_DECIMALS decimals; null if the pool is empty. */
export function priceOfReserves(asset: Side, base: Side): bigint | null {
  if (asset.reserve === 0n) return null
  const paid = base.reserve * powerOfTen(asset.decimals + RATE_DECIMALS)
  return validRateOrNull(paid / (asset.reserve * powerOfTen(base.decimals)))
}
