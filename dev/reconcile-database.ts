import { sql } from 'kysely'
import { type Hex, numberToHex } from 'viem'
import type { Db, OpenDatabase } from '../db/client.ts'
import { migrateToLatest } from '../db/migrate.ts'
import { callNode, callNodeAll } from './json-rpc.ts'
import type { Logger } from './market.ts'

interface KeptChain {
  url: string
  folder: string
  /** The chains that have been kept in the folder, see saved-chain.ts. */
  genesisHashes: readonly string[]
}

interface Block {
  number: Hex
  hash: Hex
}

/**
 * Makes sure that the database goes on where the chain does. A chain that was saved a moment before a crash may lack the
 * newest blocks that the database has indexed. As long as they were not final, the indexer undoes them like those of any
 * reorg. Beyond that, or when the chain is another one, the database is emptied, to be indexed again from the chain: the
 * chain is the truth. Only ever the embedded database beside the chain, and only if what it holds was that chain's.
 * @throws Error, with what to do, for any other database that does not fit
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
    // Without a block that differs from the database's, nobody would notice that the chain is shorter.
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
  log.warn({ checkpoint: state.checkpoint_number, height }, `The embedded database ${reason}: it is made anew`)
  await clearDatabase(db)
}

/** Whether the chain has a block that the database holds and that may still be built upon: see the indexer's reorgs. */
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
