import { parseLog } from '../../chain/logs/log.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import type { Block } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { contractsOf } from './module.ts'

export interface Prerequisites {
  /** Hashes of the transactions, in no order. */
  transactions: ReadonlySet<string>
  /** False if the node showed none for a subject: the logs are foreign, or it lags. */
  areComplete: boolean
}

/**
 * Finds transactions that these logs depend on and that the database lacks, such as the launch of their token. A
 * receipt sync ahead of the indexer applies them first.
 */
export async function findPrerequisites(
  db: Db,
  chain: Chain,
  contracts: Contracts,
  block: Block,
): Promise<Prerequisites> {
  const range = { from: await findLowest(db, contracts), to: block.number }
  const transactions = new Set<string>()
  if (range.from > range.to) return { transactions, areComplete: true }
  const subjects = new Map<string, boolean>()
  for (const module of contracts.modules) {
    const own = contractsOf(contracts, module)
    for (const prerequisite of await module.findPrerequisites({ db, chain }, own, block)) {
      const { addresses, topics, topic1, topic2, matches = () => true, subject } = prerequisite
      const logs = await chain.getLogs({ address: addresses, topics, topic1, topic2, range })
      const matching = logs.filter((log) => matches(parseLog(log)))
      for (const { transactionHash } of matching) transactions.add(transactionHash)
      if (subject !== undefined) subjects.set(subject, matching.length > 0 || subjects.get(subject) === true)
    }
  }
  return { transactions, areComplete: [...subjects.values()].every(Boolean) }
}

/** Up to the checkpoint the database is complete. */
async function findLowest(db: Db, { startBlock }: Contracts): Promise<number> {
  const state = await db.selectFrom('chain_state').select('checkpoint_number').executeTakeFirst()
  return Math.max(startBlock, (state?.checkpoint_number ?? 0) + 1)
}
