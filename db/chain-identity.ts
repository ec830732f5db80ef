import type { Db } from './client.ts'

/** The newest indexed block that is final; undefined before the first. */
export async function readAnchor(db: Db): Promise<{ number: number; hash: string } | undefined> {
  const state = await db
    .selectFrom('chain_state')
    .select(['checkpoint_number', 'checkpoint_hash', 'finalized_number'])
    .executeTakeFirst()
  if (!state) return undefined
  const { checkpoint_number: number, checkpoint_hash: hash, finalized_number: finalized } = state
  if (number <= finalized && hash !== null) return { number, hash }
  return db
    .selectFrom('blocks')
    .select(['number', 'hash'])
    .where('number', '<=', Math.min(number, finalized))
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/**
 * What the nodes of a service must have in common with its database. An empty database takes the genesis of its first node; one
 * of another chain is explained when the service starts.
 */
export async function readChainIdentity(db: Db, chainId: number) {
  const state = await db.selectFrom('chain_state').select(['chain_id', 'genesis_hash']).executeTakeFirst()
  if (state && state.chain_id !== chainId) return { chainId }
  return { chainId, genesisHash: state?.genesis_hash.toLowerCase(), readAnchor: () => readAnchor(db) }
}
