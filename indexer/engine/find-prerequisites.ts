import { parseLog } from '../../chain/logs/log.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import type { Block } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { contractsOf } from './module.ts'

/**
 * Finds transactions that these logs depend on and that the database lacks, such as the launch of their token. A
 * receipt sync ahead of the indexer applies them first. Returns hashes in no order.
 */
export async function findPrerequisites(
  db: Db,
  chain: Chain,
  contracts: Contracts,
  block: Block,
): Promise<ReadonlySet<string>> {
  const range = { from: await findLowest(db, contracts), to: block.number }
  const found = new Set<string>()
  for (const module of contracts.modules) {
    const own = contractsOf(contracts, module)
    for (const prerequisite of await module.findPrerequisites({ db, chain }, own, block)) {
      const { addresses, topics, topic1, topic2, matches = () => true } = prerequisite
      const logs = await chain.getLogs({ address: addresses, topics, topic1, topic2, range })
      for (const log of logs) if (matches(parseLog(log))) found.add(log.transactionHash)
    }
  }
  return found
}

/** Up to the checkpoint the database is complete. */
async function findLowest(db: Db, { startBlock }: Contracts): Promise<number> {
  const state = await db.selectFrom('chain_state').select('checkpoint_number').executeTakeFirst()
  return Math.max(startBlock, (state?.checkpoint_number ?? 0) + 1)
}
