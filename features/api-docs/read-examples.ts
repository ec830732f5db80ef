import type { Kysely } from 'kysely'
import { listComments } from '../../db/queries/comments.ts'
import { findServedBlock, findWrappedNative, type ServedBlock } from '../../db/queries/integrations/adapter.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { listProposals } from '../../db/queries/raises/raise-proposals.ts'
import { listRaises } from '../../db/queries/raises/raises.ts'
import { listStakingPools } from '../../db/queries/staking/staking-pools.ts'
import { listTokens } from '../../db/queries/token-list.ts'
import { listTokenTrades } from '../../db/queries/trades.ts'
import type { Database } from '../../db/schema.ts'

/** Rows of this service that the documentation can use as examples. Absent: there is no such row. */
export interface LiveExamples {
  token?: string
  /** The creator of the token. */
  creator?: string | undefined
  /** The trader of the token's last trade. */
  trader?: string | undefined
  comment?: string | undefined
  raise?: string | undefined
  proposal?: string | undefined
  pool?: string | undefined
  /** Address of the token and of the wrapped native coin, as in a CoinGecko ticker. */
  ticker?: string | undefined
  /** Newest final block, with its time in unix seconds. */
  block?: ServedBlock | undefined
}

/** The most traded token of the moment with its people, and the newest raise, proposal and pool. */
export async function readExamples(db: Kysely<Database>): Promise<LiveExamples> {
  const newest = { filter: {}, limit: 1, after: null }
  const [[token], [raise], [pool], block, wrapped] = await Promise.all([
    listTokens(db, { sort: 'trending', limit: 1 }),
    listRaises(db, newest),
    listStakingPools(db, newest),
    findServedBlock(db),
    findWrappedNative(db),
  ])
  const launch = token && (await getLaunch(db, token.address))
  const [[trade], [comment], [proposal]] = await Promise.all([
    launch ? listTokenTrades(db, { tokenId: launch.id, limit: 1, after: null }) : [],
    launch ? listComments(db, { tokenId: launch.id, thread: 'all', limit: 1, after: null, viewer: null }) : [],
    raise ? listProposals(db, { raise: raise.id, limit: 1, after: null }) : [],
  ])
  return {
    ...(token && { token: token.address, creator: token.creator }),
    trader: trade?.trader,
    comment: comment && String(comment.id),
    raise: raise?.id,
    proposal: proposal?.id,
    pool: pool?.id,
    ...(token && wrapped && { ticker: `${token.address}_${wrapped}` }),
    block,
  }
}
