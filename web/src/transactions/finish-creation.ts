import { AlreadyIndexedError, sync } from '@slipway/sdk'
import { api } from '../lib/api.ts'
import type { Created, Creation } from './pending.ts'

/** The node of the service may be a little behind the one that took the transaction. */
const UNKNOWN_MS = 15_000

/** Lists what the wallet created lately, if the service had the texts before, as after a lost response. */
const orListed =
  <Item>(list: () => Promise<{ items: Item[] }>) =>
  async (error: unknown): Promise<Item[]> => {
    if (!(error instanceof AlreadyIndexedError)) throw error
    return (await list()).items
  }

/** Sends the texts of a mined transaction to the service. Resolves to what it created. Throws what `sync` throws. */
export async function finishCreation(
  { kind, texts }: Creation,
  wallet: string,
  txHash: string,
): Promise<Created | null> {
  const isOf = (one: { txHash: string }) => one.txHash === txHash
  if (kind === 'launch') {
    const tokens = await sync(api, api.tokens.create.with(texts), txHash, { unknownMs: UNKNOWN_MS }).then(
      (synced) => synced.tokens,
      orListed(() => api.profiles.createdTokens(wallet, {})),
    )
    const token = tokens.find(isOf)
    return token ? { kind, id: token.address } : null
  }
  const raises = await sync(api, api.raises.create.with(texts), txHash, { unknownMs: UNKNOWN_MS }).then(
    (synced) => synced.raises,
    orListed(() => api.raises.list({ creator: wallet })),
  )
  const raise = raises.find(isOf)
  return raise ? { kind, id: raise.id } : null
}
