import { sql, type Transaction } from 'kysely'
import type { QuoteAsset } from '../../chain/rates.ts'
import type { Chain, Header } from '../../chain/rpc/client.ts'
import { InvalidResponseError } from '../../chain/rpc/node-failure.ts'
import type { Config } from '../../config/config.ts'
import type { Db, Transact } from '../../db/client.ts'
import { chooseWidth } from '../../db/partitions.ts'
import type { Database } from '../../db/schema.ts'
import { RULES } from '../rules.ts'
import {
  backfillingColumn,
  firstAddedColumn,
  followAdded,
  hasAdded,
  showConfigured,
} from './deployments/follow-added.ts'
import { WrongChainError, WrongKindError } from './errors.ts'
import type { Deployed, IndexedContracts, IndexerModule } from './module.ts'
import { addQuotes, byAddress, quotesColumn } from './prices/quotes.ts'

/** The configured contracts, completed with values read from the chain. */
export interface Contracts extends IndexedContracts {
  /** Chainlink-like feed of the native coin in USD; null without USD figures. */
  feed: string | null
  /** The first block to index. */
  startBlock: number
}

/**
 * These contracts with all others that are indexed, such as those that operators have added; undefined until the indexer knows all
 * of them and all quote assets. It adds new ones when a process that knows them begins to index, or as soon as operators add them.
 */
export async function findIndexed(db: Db, contracts: Contracts): Promise<Contracts | undefined> {
  const { modules, addresses, quotes } = contracts
  const state = await selectState(db).executeTakeFirst()
  if (!state || (await hasAdded(db, modules))) return undefined
  const indexed = listIndexed(state, modules)
  const isKnown =
    [...quotes.keys()].every((asset) => indexed.quotes.has(asset)) &&
    [...addresses].every(([name, own]) => [...own.keys()].every((address) => indexed.addresses.get(name)?.has(address)))
  return isKnown ? complete(contracts, indexed, state) : undefined
}

const complete = (contracts: Contracts, indexed: IndexedContracts, { first_added: first }: State): Contracts => ({
  ...contracts,
  ...indexed,
  startBlock: Math.min(contracts.startBlock, first ?? contracts.startBlock),
})

interface State {
  contracts: unknown
  contract_kinds: unknown
  wrapped_native: string
  quotes: QuoteAsset[]
  backfilling: Record<string, number>
  first_added: number | null
}

const listAddresses = (state: Pick<State, 'contracts'>, module: string): string[] =>
  (state.contracts as Record<string, string[]>)[module] ?? []

/** The row of chain_state with the quote assets, and what operators have added. */
export const selectState = (db: Db) =>
  db
    .selectFrom('chain_state')
    .selectAll()
    .select([quotesColumn.as('quotes'), backfillingColumn.as('backfilling'), firstAddedColumn.as('first_added')])

/**
 * How often blocks were undone or repaired. Compare it again under the apply lock: if it has changed, what was read in between may
 * have been undone.
 */
export async function readUndoCount(db: Db): Promise<number> {
  const state = await db.selectFrom('chain_state').select('undo_count').executeTakeFirstOrThrow()
  return state.undo_count
}

/** The contracts whose logs are indexed, and the quote assets. state: see selectState. */
export const listIndexed = (
  state: Omit<State, 'first_added'>,
  modules: readonly IndexerModule[],
): IndexedContracts => ({
  modules,
  addresses: new Map(modules.map((module) => [module.name, listDeployed(state, module)])),
  wrappedNative: state.wrapped_native,
  quotes: byAddress(state.quotes),
  backfilling: new Map(Object.entries(state.backfilling)),
})

/** The contracts of a module. One without a kind was stored by a version that knew only the module's first one. */
function listDeployed(
  state: Pick<State, 'contracts' | 'contract_kinds'>,
  { name, deployments }: IndexerModule,
): Deployed {
  const kinds = state.contract_kinds as Record<string, string>
  return new Map(listAddresses(state, name).map((address) => [address, kinds[address] ?? deployments[0]!]))
}

/** The kinds by address, as chain_state stores them. */
const toKinds = ({ addresses }: Pick<IndexedContracts, 'addresses'>): string =>
  JSON.stringify(Object.fromEntries([...addresses.values()].flatMap((deployed) => [...deployed])))

/**
 * Opens chain_state for the process that indexes, and adds the newly configured contracts, and those that operators have added. One
 * that is configured and older than the checkpoint moves the checkpoint back to before its first block; logs that are stored already
 * are skipped.
 *
 * Returns the contracts to index: also those that only a newer version has configured. After a rollback to this version the
 * checkpoint goes on, and what this one skipped would be missing for good.
 */
export async function prepareChainState(
  db: Db,
  chain: Chain,
  contracts: Contracts,
  config: Config,
  transact: Transact = (work) => db.transaction().execute(work),
): Promise<Contracts> {
  await openChainState(db, chain, contracts, config, transact)
  return transact(async (trx) => {
    await addContracts(trx, contracts, config)
    await showConfigured(trx, config.deployments)
    await followAdded(trx, contracts.modules)
    await addQuotes(trx, contracts.quotes)
    for (const module of contracts.modules) await module.prepare?.(trx, config)
    const state = await selectState(trx).executeTakeFirstOrThrow()
    return complete(contracts, listIndexed(state, contracts.modules), state)
  })
}

/** Creates the row of chain_state, or checks that it is of this chain. */
export async function openChainState(
  db: Db,
  chain: Chain,
  contracts: Contracts,
  config: Config,
  transact: Transact = (work) => db.transaction().execute(work),
): Promise<void> {
  const genesis = await chain.getHeader(0)
  // A node that is starting, or lags, is tried again.
  if (!genesis) throw new InvalidResponseError('The node has no block 0')
  const isNew = !(await db.selectFrom('chain_state').select('id').executeTakeFirst())
  const width = isNew ? chooseWidth(await estimateBlockTime(chain)) : undefined
  await transact((trx) => writeChainState(trx, { genesis, width }, contracts, config))
}

/** Blocks over which the time between blocks is averaged. */
const MEASURED_BLOCKS = 1_000

/** Average seconds between the newest blocks; undefined for a young chain. */
async function estimateBlockTime(chain: Chain): Promise<number | undefined> {
  const head = await chain.getHeader('latest')
  if (!head || head.number < MEASURED_BLOCKS) return undefined
  const earlier = (await chain.findNeighbours(head.number - MEASURED_BLOCKS))?.below
  return earlier && head.time > earlier.time ? (head.time - earlier.time) / MEASURED_BLOCKS : undefined
}

async function writeChainState(
  trx: Transaction<Database>,
  { genesis, width }: { genesis: Header; width: number | undefined },
  contracts: Contracts,
  { chainId, nativeCurrency }: Config,
): Promise<void> {
  await trx
    .insertInto('chain_state')
    .values({
      chain_id: chainId,
      genesis_hash: genesis.hash,
      wrapped_native: contracts.wrappedNative,
      contracts: JSON.stringify(
        Object.fromEntries([...contracts.addresses].map(([name, own]) => [name, [...own.keys()]])),
      ),
      contract_kinds: toKinds(contracts),
      checkpoint_number: contracts.startBlock - 1,
      checkpoint_time: 0,
      clock_time: 0,
      head_number: contracts.startBlock - 1,
      head_time: 0,
      finalized_number: contracts.startBlock - 1,
      rules: RULES,
      native_symbol: nativeCurrency.symbol,
      ...(width !== undefined && { block_partition: width }),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  const state = await trx.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
  if (state.chain_id !== chainId || state.genesis_hash !== genesis.hash) {
    throw new WrongChainError(
      `The database holds chain ${state.chain_id} with genesis ${state.genesis_hash}; the node is on chain ${chainId} with ` +
        `genesis ${genesis.hash}. Point DATABASE_URL or DATA_DIR to another database, or clear this one with npm run reset.`,
    )
  }
  if (state.native_symbol !== nativeCurrency.symbol)
    await trx.updateTable('chain_state').set({ native_symbol: nativeCurrency.symbol }).execute()
}

/** What was not read as this kind would be missing. */
function requireKinds(indexed: Deployed, configured: Deployed = new Map()): void {
  for (const [address, kind] of configured) {
    const known = indexed.get(address)
    if (known !== undefined && known !== kind)
      throw new WrongKindError(
        `The database has indexed ${address} as ${known}, and DEPLOYMENTS says ${kind}. Correct DEPLOYMENTS, or clear the ` +
          'database with npm run reset.',
      )
  }
}

async function addContracts(
  trx: Transaction<Database>,
  contracts: Contracts,
  { deployments }: Pick<Config, 'deployments'>,
): Promise<void> {
  const state = await trx.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
  for (const module of contracts.modules)
    requireKinds(listDeployed(state, module), contracts.addresses.get(module.name))
  const added = contracts.modules.flatMap((module) => {
    const known = listAddresses(state, module.name)
    return deployments.filter(({ kind, address }) => module.deployments.includes(kind) && !known.includes(address))
  })
  if (added.length === 0) return
  const from = Math.min(...added.map(({ startBlock }) => startBlock)) - 1
  const all = [...contracts.addresses].map(([name, own]) => [
    name,
    [...new Set([...listAddresses(state, name), ...own.keys()])],
  ])
  // Contracts of modules that only a newer version has stay.
  await sql`update chain_state set contracts = contracts || ${JSON.stringify(Object.fromEntries(all))}::jsonb,
    contract_kinds = contract_kinds || ${toKinds(contracts)}::jsonb`.execute(trx)
  await lowerCheckpoint(trx, from)
}

/** Moves the checkpoint back, so that the chain is read again from there; logs that are stored are skipped. */
export async function lowerCheckpoint(trx: Transaction<Database>, from: number): Promise<void> {
  // A statement of its own, because Citus has chain_state on all nodes and blocks on one.
  const { rows } = await sql<{ time: number }>`
    select time from blocks where number <= ${from}::bigint order by number desc limit 1`.execute(trx)
  await sql`update chain_state set checkpoint_hash = case when checkpoint_number > ${from}::bigint then null else checkpoint_hash end,
    checkpoint_time = case when checkpoint_number > ${from}::bigint then ${rows[0]?.time ?? 0}::bigint else checkpoint_time end,
    checkpoint_number = least(checkpoint_number, ${from}::bigint)`.execute(trx)
}
