import { sql } from 'kysely'
import { type Hex, numberToHex } from 'viem'
import type { Db, OpenDatabase } from '../db/client.ts'
import { migrateToLatest } from '../db/migrate.ts'
import { callNode, callNodeAll } from './json-rpc.ts'
import type { Logger } from './market.ts'

interface KeptChain {
  url: string
  folder: string
  /** Genesis hashes of all chains that the folder has held: see saved-chain.ts. */
  genesisHashes: readonly string[]
}

interface Block {
  number: Hex
  hash: Hex
}

/**
 * Ensures that the database matches the chain, which may lack the newest indexed blocks after a crash. The indexer
 * undoes non-final blocks as a reorg; otherwise the embedded database is cleared, to be indexed again.
 * @throws Error with instructions if a mismatched database is on PostgreSQL, or its chain was never in the folder
 */
export async function reconcileDatabase({ db, kind }: OpenDatabase, chain: KeptChain, log: Logger): Promise<void> {
  const state = await db
    .selectFrom('chain_state')
    .select(['genesis_hash', 'checkpoint_number', 'checkpoint_hash', 'finalized_number'])
    .executeTakeFirst()
  if (!state) return
  const { url, folder, genesisHashes } = chain
  const [genesis, head] = (await callNodeAll<Block>(url, [
    ['eth_getBlockByNumber', ['0x0', false]],
    ['eth_getBlockByNumber', ['latest', false]],
  ])) as [Block, Block]
  const height = Number(head.number)
  const isSame = state.genesis_hash === genesis.hash
  if (isSame && (state.checkpoint_hash === null || (await hasCommonBlock(db, url, state, height)))) {
    // Mine a block that differs from the indexed one, or the indexer would not detect the shorter chain.
    if (height < state.checkpoint_number) await callNode(url, 'evm_mine')
    return
  }
  if (kind === 'postgres') {
    throw new Error(
      `The database of DATABASE_URL has indexed another chain than the one in ${folder}. Name an empty database, or set ` +
        'RPC_URL to a node of its chain.',
    )
  }
  if (!genesisHashes.includes(state.genesis_hash)) {
    throw new Error(
      `The embedded database has indexed another chain than the embedded one in ${folder}. Set RPC_URL to a node of its ` +
        'chain or DATA_DIR to another folder, or clear both with npm run reset.',
    )
  }
  const reason = isSame ? 'is ahead of the chain, which a crash has cut short' : 'belongs to a chain that is gone'
  log.warn(
    { checkpoint: state.checkpoint_number, height },
    `The embedded database ${reason}; it is cleared and indexed again`,
  )
  await clearDatabase(db)
}

/** Whether the chain has an indexed block at or above finality, on which the indexer can resolve a reorg. */
async function hasCommonBlock(
  db: Db,
  url: string,
  state: { checkpoint_number: number; checkpoint_hash: string | null; finalized_number: number },
  height: number,
): Promise<boolean> {
  const stored = await db
    .selectFrom('blocks')
    .select(['number', 'hash'])
    .where('number', '>=', state.finalized_number)
    .where('number', '<=', height)
    .execute()
  const candidates = [...stored, { number: state.checkpoint_number, hash: state.checkpoint_hash }]
  const blocks = await callNodeAll<Block | null>(
    url,
    candidates.map(({ number }) => ['eth_getBlockByNumber', [numberToHex(number), false]] as const),
  )
  return candidates.some(({ hash }, index) => blocks[index]?.hash === hash)
}

async function clearDatabase(db: Db): Promise<void> {
  await sql`drop schema public cascade`.execute(db)
  await sql`create schema public`.execute(db)
  await migrateToLatest(db)
}
