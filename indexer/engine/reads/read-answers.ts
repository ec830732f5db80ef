import type { Chain } from '../../../chain/rpc/client.ts'
import type { Db } from '../../../db/client.ts'
import type { Block } from '../batch.ts'
import type { IndexedContracts } from '../module.ts'
import { listPending, setAnswer } from './answers.ts'
import { loadAnswers } from './store-answers.ts'

/** Reads in flight: a backfill may find hundreds of launches in a range. */
const READS_AT_ONCE = 64

/**
 * Completes the logs of fetched blocks: by what is stored, else by asking the nodes. mayGiveUp: see ContractAnswers. Returns
 * whether all answers are certain.
 */
export async function completeFetched(
  { db, chain }: { db: Db; chain: Chain },
  contracts: IndexedContracts,
  blocks: readonly Pick<Block, 'number' | 'hash' | 'logs'>[],
  options: { mayGiveUp: boolean },
): Promise<boolean> {
  const missing = await loadAnswers(db, listPending(contracts, blocks))
  let isCertain = true
  for (let at = 0; at < missing.length; at += READS_AT_ONCE) {
    await Promise.all(
      missing.slice(at, at + READS_AT_ONCE).map(async ({ block, log, read }) => {
        const answer = await chain.readAtLog(read, block, options)
        isCertain &&= answer !== null
        setAnswer(log, answer)
      }),
    )
  }
  return isCertain
}
