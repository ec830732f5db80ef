import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import type { Findings } from '../findings.ts'
import type { PinnedReader } from '../pinned-reader.ts'
import type { AuditedPoolState } from './audited-venue.ts'

const DEAD = '0x000000000000000000000000000000000000dead'

/** Compares the reserves of a token's pool, and the shares that its graduation burnt. */
export async function comparePool(
  findings: Findings,
  reader: PinnedReader,
  { token, row, wrappedNative, lpBurned }: AuditedPoolState,
): Promise<void> {
  const pool = String(row.pool)
  const [reserves, token0, token1, burned] = await Promise.all([
    reader.read<readonly [bigint, bigint, number]>(pool, uniswapV2PairAbi, 'getReserves'),
    reader.read<string>(pool, uniswapV2PairAbi, 'token0'),
    reader.read<string>(pool, uniswapV2PairAbi, 'token1'),
    reader.read<bigint>(pool, uniswapV2PairAbi, 'balanceOf', [DEAD]),
  ])
  const isToken0 = token0.toLowerCase() === token
  findings.compareRows(`token ${token}`, row, {
    pool_token: reserves[isToken0 ? 0 : 1],
    pool_quote: reserves[isToken0 ? 1 : 0],
  })
  const quote = BigInt(String(row.quote_token)) === 0n ? wrappedNative : String(row.quote_token)
  findings.compare(`pool ${pool} quote side`, quote, (isToken0 ? token1 : token0).toLowerCase())
  // Other holders may have burnt LP shares as well.
  if (burned < lpBurned) findings.report(`pool ${pool}: ${burned} LP shares are burnt, ${lpBurned} should be`)
}
