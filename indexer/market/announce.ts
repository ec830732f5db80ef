import type { Transaction } from 'kysely'
import { announce, type NewEvent } from '../../db/queries/outbox.ts'
import { findTokens } from '../../db/queries/tokens.ts'
import type { Database } from '../../db/schema.ts'
import type { Act } from '../engine/domain.ts'
import type { Undone } from '../engine/undo.ts'
import type { News } from './announcement.ts'
import {
  describeCandles,
  describeGraduations,
  describeLaunches,
  describeNotices,
  describeRetractions,
  describeStatistics,
  describeTokens,
  describeTrades,
  describeTransactions,
} from './describe.ts'
import type { Happening } from './interpret.ts'
import type { Notice } from './store-notifications.ts'

/**
 * Seconds before the chain's clock within which an event is live. A backfill announces nothing: nobody waits for what is long
 * past, and what a page shows it has read. Ten minutes, so that nothing is lost while a node or the active indexer is
 * being replaced.
 */
const LIVE_SECONDS = 600

/** What a transaction has written of the chain, by its end. */
export interface Written {
  happenings: readonly Happening[]
  undone: Undone
  /** What was done at the contracts of domains. */
  acts: readonly Act[]
  notices: readonly Notice[]
}

/**
 * What a domain says of some news. Those of all domains are asked in this order, and heard in it: first what is no more.
 * What is done at the contracts of a domain is told as transactions already; one with more to say adds a function here.
 */
type Describe = (trx: Transaction<Database>, news: News) => NewEvent[] | Promise<NewEvent[]>
const descriptions: readonly Describe[] = [
  describeRetractions,
  describeLaunches,
  describeTrades,
  describeGraduations,
  describeCandles,
  describeTokens,
  describeTransactions,
  describeNotices,
  describeStatistics,
]

/**
 * Announces what has just been written, in the same transaction and as its last statements. clock: unix seconds of the newest
 * block that is known. Answers how many events that made.
 */
export async function announceWritten(
  trx: Transaction<Database>,
  { happenings, undone, acts, notices }: Written,
  { clock, chainId }: { clock: number; chainId: number },
): Promise<number> {
  const isRecent = ({ at }: Pick<Act, 'at'>) => clock - at.time <= LIVE_SECONDS
  const [live, liveActs] = [happenings.filter(isRecent), acts.filter(isRecent)]
  const isUndone = undone.happenings.length + undone.actions.length + undone.notifications.length > 0
  if (live.length === 0 && liveActs.length === 0 && !isUndone) return 0
  const touched = new Set([...live, ...undone.happenings].map(({ token }) => token))
  const rows = await findTokens(trx, [...touched])
  const isLive = new Set([...live, ...liveActs].map(({ at }) => `${at.block}/${at.log}`))
  const news: News = {
    chainId,
    happenings: live,
    undone,
    acts: liveActs,
    notices: notices.filter(({ block_number, log_index }) => isLive.has(`${block_number}/${log_index}`)),
    tokens: new Map(rows.map((row) => [row.address, row])),
  }
  const events: NewEvent[] = []
  for (const describe of descriptions) events.push(...(await describe(trx, news)))
  await announce(trx, events)
  return events.length
}
