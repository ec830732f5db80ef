import { sql, type Transaction } from 'kysely'
import { type Column, tableOf } from '../../db/bulk.ts'
import type { Statements } from '../../db/postgres/pipeline.ts'
import type { Database } from '../../db/schema.ts'
import { toSymbolKey } from '../../db/symbol-key.ts'
import type { OfKind } from './events.ts'

type Launch = OfKind<'create'>

const columns: readonly Column<Launch>[] = [
  { name: 'block_number', type: 'bigint', value: ({ at }) => at.blockNumber },
  { name: 'log_index', type: 'integer', value: ({ at }) => at.logIndex },
  { name: 'block_time', type: 'bigint', value: ({ at }) => at.time },
  { name: 'tx_hash', type: 'text', value: ({ at }) => at.txHash },
  { name: 'address', type: 'text', value: (created) => created.token },
  { name: 'launchpad', type: 'text', value: (created) => created.launchpad },
  { name: 'creator', type: 'text', value: (created) => created.creator },
  { name: 'quote_token', type: 'text', value: (created) => created.quoteToken },
  { name: 'name', type: 'text', value: (created) => created.name },
  { name: 'symbol', type: 'text', value: (created) => created.symbol },
  { name: 'symbol_key', type: 'text', value: (created) => toSymbolKey(created.symbol) },
  { name: 'metadata_uri', type: 'text', value: (created) => created.metadataUri },
  { name: 'total_supply', type: 'numeric', value: (created) => created.totalSupply },
  { name: 'initial_virtual_quote', type: 'numeric', value: ({ firstPrice }) => firstPrice.quote },
  { name: 'initial_virtual_token', type: 'numeric', value: ({ firstPrice }) => firstPrice.token },
  { name: 'initial_real_token', type: 'numeric', value: ({ curve }) => curve?.saleSupply ?? 0n },
  { name: 'target_quote', type: 'numeric', value: ({ curve }) => curve?.targetQuote ?? 0n },
  { name: 'protocol_fee_bps', type: 'integer', value: (created) => created.protocolFeeBps },
  { name: 'creator_fee_bps', type: 'integer', value: (created) => created.creatorFeeBps },
  { name: 'decimals', type: 'smallint', value: (created) => created.decimals },
  { name: 'quote_decimals', type: 'smallint', value: (created) => created.quoteDecimals },
  { name: 'rate_native', type: 'numeric', value: (created) => created.rateNative },
  { name: 'launchpad_kind', type: 'text', value: (created) => created.launchpadKind },
  { name: 'venue', type: 'text', value: (created) => created.venue },
  { name: 'lifecycle', type: 'text', value: ({ curve }) => (curve === null ? 'direct' : 'curve') },
  { name: 'pool_manager', type: 'text', value: ({ poolManager }) => poolManager },
  { name: 'pool_native', type: 'boolean', value: ({ poolNative }) => poolNative },
]

/** What the statements below need to know of a launch. */
const positions = columns.filter(({ name }) => ['block_number', 'log_index', 'symbol_key'].includes(name))
const contracts = columns.filter(({ name }) => name === 'launchpad' || name === 'quote_token')
const identities = columns.filter(({ name }) => ['address', 'tx_hash', 'creator'].includes(name))

/**
 * Adds launches, in any order; all are new. The caller holds the apply lock. Launches at later positions that are stored
 * already are marked: their symbol was taken before. An undo removes all launches from a height on, so it changes no symbol of another.
 */
export function storeLaunches(trx: Transaction<Database>, statements: Statements, launches: readonly Launch[]): void {
  if (launches.length === 0) return
  statements.start(numberContracts(trx, launches))
  statements.start(numberLaunches(trx, launches))
  statements.start(insertLaunches(trx, launches))
  statements.start(markLaterLaunches(trx, launches))
}

/** Gives new launchpads and quote assets the numbers that rows of trades have for them. */
const numberContracts = (trx: Transaction<Database>, launches: readonly Launch[]) =>
  sql`
    insert into contract_ids (id, address)
    select (select coalesce(max(id), 0) from contract_ids) + row_number() over (order by address), address
    from (
      select decode(substr(launchpad, 3), 'hex') as address from ${tableOf(contracts, launches)}
      union select decode(substr(quote_token, 3), 'hex') from ${tableOf(contracts, launches)}
    ) named
    where not exists (select from contract_ids c where c.address = named.address)`.execute(trx)

/** Identity of a launch: mined again after a reorg, it is the same; another transaction launches another token. */
const creation = sql`sha256((k.address || k.tx_hash || k.creator)::bytea)`

/** Gives new launches the numbers that stand for them in all rows. */
const numberLaunches = (trx: Transaction<Database>, launches: readonly Launch[]) =>
  sql`
    insert into token_ids (address, creation)
    select k.address, ${creation} from ${tableOf(identities, launches)}
    where (select id from token_ids i where i.address = k.address and i.creation = ${creation}) is null`.execute(trx)

/** Whether its symbol was taken is found before the insert, because an update would add an entry to every index. */
const insertLaunches = (trx: Transaction<Database>, launches: readonly Launch[]) =>
  sql`
    insert into tokens (${sql.join(columns.map(({ name }) => sql.ref(name)))}, id, symbol_taken_before)
    select k.*, i.id, row_number() over (partition by k.symbol_key order by k.block_number, k.log_index) > 1 or exists (
      select from tokens o where o.symbol_key = k.symbol_key
        and (o.block_number, o.log_index) < (k.block_number, k.log_index))
    from ${tableOf(columns, launches)}
    cross join lateral (select id from token_ids where address = k.address and creation = ${creation} limit 1) i`.execute(
    trx,
  )

const markLaterLaunches = (trx: Transaction<Database>, launches: readonly Launch[]) =>
  sql`
    update tokens t set symbol_taken_before = true
    from (
      select symbol_key, min(array[block_number, log_index]) as position from ${tableOf(positions, launches)}
      group by symbol_key
    ) k
    where t.symbol_key = k.symbol_key and array[t.block_number, t.log_index] > k.position and not t.symbol_taken_before`.execute(
    trx,
  )

/** Sets the types of the pools of tokens. */
export const setVenues = (trx: Transaction<Database>, pools: readonly { id: number; venue: string }[]) =>
  sql`
    update tokens t set venue = k.venue
    from unnest(${pools.map(({ id }) => id)}::integer[], ${pools.map(({ venue }) => venue)}::text[]) as k (id, venue)
    where t.id = k.id`.execute(trx)
