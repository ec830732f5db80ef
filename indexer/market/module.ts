import { sql } from 'kysely'
import type { Hex } from 'viem'
import { tokenTopics } from '../../chain/token-events.ts'
import type { Db } from '../../db/client.ts'
import { findByDeployment, launchpadContracts, launchpads } from '../../launchpads/index.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { venues } from '../../venues/index.ts'
import type { IndexerModule, Recoverable } from '../engine/module.ts'
import type { ChainEvent } from './events.ts'
import { findMarketPrerequisites } from './find-prerequisites.ts'
import { interpretBlocks } from './interpret-blocks.ts'
import { completeBundlers } from './launch-wallets/store-bundlers.ts'
import { storeSniperSeconds } from './launch-wallets/store-snipers.ts'
import { buildLiveEvents, buildStatistics } from './live-events.ts'
import { MarketWriter } from './market-writer.ts'
import {
  discoverContracts,
  findRead,
  isLeftToBackfill,
  isOfCreated,
  loadRegistry,
  requireInOrder,
  sharedContracts,
} from './registry.ts'
import { completeDays } from './store-launchpads.ts'
import { completeKinds } from './store-wallets.ts'
import { toTransactions } from './to-transactions.ts'
import { undoMarket } from './undo.ts'

const topicsOf = (some: readonly { topics: readonly Hex[] }[]): Hex[] => some.flatMap(({ topics }) => topics)

const sharedDeployments = [...sharedContracts.keys()]
const managers = [...sharedContracts.values()].filter(({ holdsPools }) => holdsPools)
const poolTopics = topicsOf(venues.filter(({ shared }) => !shared?.holdsPools))
/** Launches depend on these. */
const factoryTopics = topicsOf([...sharedContracts.values()].filter(({ holdsPools }) => !holdsPools))

/** Launchpads, with the tokens that they launch and the pools of these. */
export const market: IndexerModule<ChainEvent> = {
  name: 'market',
  deployments: [...Object.keys(launchpadContracts), ...sharedDeployments],
  shared: sharedDeployments,
  singletons: { deployments: managers.map(({ deployment }) => deployment), topics: topicsOf(managers) },
  needs: (deployment) => findByDeployment(deployment)?.needs,
  topics: [...topicsOf(launchpads), ...factoryTopics],
  creationTopics: [...launchpads.flatMap(({ creationTopics }) => creationTopics), ...factoryTopics],
  created: {
    topics: [...Object.values(tokenTopics), ...poolTopics],
    listKnown,
    discover(contracts, creations) {
      const { tokens, pools } = discoverContracts(contracts, creations)
      return [...new Set([...tokens.keys(), ...pools.map(({ address }) => address)])]
    },
    recoverable: { topics: poolTopics, list: listPools },
  },
  reads: findRead,
  derived: [
    'trades',
    'pool_states',
    'transfers',
    'fee_shares',
    'creator_revenue',
    'candles',
    'balances',
    'wallet_launchpad_figures',
    'wallet_figures',
    'platform_figures',
    'launchpad_figures',
    'launchpad_days',
    'snipers',
    'bundlers',
    'token_figures',
    'pools',
    'tokens',
  ],
  async prepare(trx, config) {
    await storeSniperSeconds(trx, config)
    await completeKinds(trx)
    await completeDays(trx)
    await completeBundlers(trx)
  },
  async openDecoder(db, contracts, blocks, creations) {
    const registry = await loadRegistry(db, contracts, blocks, creations)
    return {
      isOfCreated: (block, log) => isOfCreated(registry, block, log),
      isLeftToBackfill: (log) => isLeftToBackfill(registry, contracts.backfilling, log),
      decode(decoded, rejectLog) {
        requireInOrder(registry)
        return interpretBlocks(decoded, registry, rejectLog)
      },
    }
  },
  findPrerequisites: findMarketPrerequisites,
  openWriter: (trx, clock, statements) => new MarketWriter(trx, clock, statements),
  undo: undoMarket,
  // A launch may be earlier than one with the same symbol, and change what that token shows.
  cacheTagsOf: (events) =>
    events.some(({ kind }) => kind === 'create')
      ? ['token']
      : [...new Set(events.map(({ token }) => token))].map(cacheTagOf),
  toTransactions,
  buildLiveEvents,
  buildSummaries: buildStatistics,
}

/** Without those of singletons, which no version that dropped logs has followed. */
async function listPools(db: Db): Promise<Recoverable[]> {
  const { rows } = await sql<Recoverable>`
    select p.pool as address, f.graduated_block as since from pools p join token_figures f on f.token_id = p.token_id
    where octet_length(p.pool) = 20`.execute(db)
  return rows
}

async function listKnown(db: Db, by?: string): Promise<string[]> {
  const rows = await db
    .selectFrom('token_figures')
    .innerJoin('tokens', 'tokens.id', 'token_figures.token_id')
    .select(['tokens.address as token', 'token_figures.pool'])
    .$if(by !== undefined, (query) => query.where('tokens.launchpad', '=', by!))
    .execute()
  return rows.flatMap(({ token, pool }) => (pool ? [token, pool] : [token]))
}
