import { AlreadyIndexedError, type Client, type Schema, sync } from '@slipway/sdk'
import { api } from '../lib/api.ts'
import { LOOK_MS } from './use-action.ts'

/** The records of a trade that was sent before; none if they were read before. Throws what `sync` throws. */
export async function findTrade(
  client: Client,
  side: 'buy' | 'sell',
  txHash: string,
): Promise<{ trades: Schema<'Trade'>[] }> {
  const operation = side === 'buy' ? api.syncBuy.with() : api.syncSell.with()
  try {
    return await sync(client, operation, txHash, { timeoutMs: LOOK_MS })
  } catch (error) {
    if (error instanceof AlreadyIndexedError) return { trades: [] }
    throw error
  }
}
