import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AppError, define, defineReasons } from '../../../errors.ts'
import { BURN_ADDRESSES } from '../../addresses.ts'
import { executeSpread } from '../../citus/execute-spread.ts'
import { columnToBytes, toBytes } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { isArchived } from '../archives.ts'
import { joinChainState } from '../chain-state.ts'
import { type QuoteAssetRow, quoteOf } from '../quote-assets.ts'
import { recipientOf, sideOf } from '../trade-columns.ts'
import { classifyBuyers, FRESH_SECONDS, LAUNCH_TRADES, type LaunchBuyer, type LaunchTrade } from './classify-buyers.ts'

export const forensicsReasons = defineReasons({
  HISTORY_ARCHIVED: define(422, 'The trades of these blocks are archived'),
  HISTORY_TOO_LONG: define(422, 'Too much has happened to this token since that block'),
  HISTORY_UNKNOWN: define(
    422,
    (d: { block: number; indexed: number }) => `Block ${d.block} is not indexed yet; the last one is ${d.indexed}`,
    { block: 22_414_900, indexed: 22_414_823 },
  ),
})

/** Transfers that are followed from the creator and the wallets that bought with it, at most. */
const MAX_FOLLOWED = 1_000

/** A token with what its forensics depend on. Amounts in base units. */
export interface ForensicToken {
  id: number
  address: string
  creator: string
  launchpad: string
  total_supply: string
  block_number: number
  /** What holds the tokens in its pool; null before the graduation into a pool that does so itself. */
  pool: string | null
  /** Both in base units of the quote asset. */
  volume_total: string
  wash_volume: string
  /** Tokens that left the creator's wallet, by sales and other transfers. */
  creator_sent: string
  /** The first block whose trades may be archived; null if none are. */
  archived_from: number | null
  finalized_number: number | null
  native_symbol: string
  /** null: the native coin. */
  quote: QuoteAssetRow | null
}

export type Flag = 'creator' | 'sniper' | 'bundler' | 'insider' | 'fresh'

/** A wallet that took part in the launch. */
export interface LaunchWallet {
  wallet: string
  flags: ReadonlySet<Flag>
  balance: bigint
}

export interface LaunchForensics {
  token: ForensicToken
  /** In the order of their first purchases. */
  buyers: readonly LaunchBuyer[]
  /** Buyers and insiders, by wallet. */
  wallets: ReadonlyMap<string, LaunchWallet>
}

/** Throws TOKEN_NOT_FOUND. */
export async function getForensicToken(db: Kysely<Database>, address: string): Promise<ForensicToken> {
  const { rows } = await sql<ForensicToken>`
    select t.id, t.address, t.creator, t.launchpad, t.total_supply, t.block_number,
      coalesce(${columnToBytes('t.pool_manager')}, f.pool) as pool, coalesce(f.volume_quote_total, f.volume_total) as volume_total, f.wash_volume,
      coalesce(b.sent, 0) as creator_sent,
      (select min(a.first) from archived_tokens a where a.token_id = f.token_id and ${isArchived('a')}) as archived_from,
      s.finalized_number, s.native_symbol, ${quoteOf('t.quote_token')} as quote
    from tokens t join token_figures f on f.token_id = t.id
    left join balances b on b.token_id = f.token_id and b.wallet = ${columnToBytes('t.creator')}
    ${joinChainState}
    where t.address = ${address}`.execute(db)
  const [token] = rows
  if (!token) throw new AppError('TOKEN_NOT_FOUND', { address })
  return token
}

/** Who bought a token at its launch, and to whom they passed it on. Null if trades of the launch are archived. */
export async function readLaunch(
  db: Kysely<Database>,
  token: ForensicToken,
  sniperSeconds: number,
): Promise<LaunchForensics | null> {
  const { rows: trades } = await buildLaunchTrades(token).execute(db)
  const { archived_from: archived } = token
  if (archived !== null && (trades.length < LAUNCH_TRADES || archived <= trades.at(-1)!.block_number)) return null
  const excluded = [token.launchpad, token.address, ...BURN_ADDRESSES, ...(token.pool === null ? [] : [token.pool])]
  const { creator, block_number: block } = token
  const buyers = classifyBuyers(trades, { creator, block, excluded, sniperSeconds })
  const start = { wallet: creator, block, log: 0 }
  const sources = buyers.filter(({ isSniper, isBundler }) => isSniper || isBundler).map(toSource)
  const insiders = await findInsiders(db, { tokenId: token.id, sources: [start, ...sources], excluded, creator })
  const named = [...new Set([...buyers.map(({ wallet }) => wallet), ...insiders])]
  const rows = await executeSpread(db, buildLaunchWallets(token.id, named), () =>
    buildSpreadLaunchWallets(token.id, named),
  )
  const known = new Map(rows.map((row) => [row.wallet, row]))
  const wallets = new Map<string, LaunchWallet>()
  const buyerOf = new Map(buyers.map((buyer) => [buyer.wallet, buyer]))
  for (const wallet of named) {
    const buyer = buyerOf.get(wallet)
    const row = known.get(wallet)
    const flags = new Set<Flag>()
    if (wallet === creator) flags.add('creator')
    if (buyer?.isSniper) flags.add('sniper')
    if (buyer?.isBundler) flags.add('bundler')
    if (insiders.has(wallet)) flags.add('insider')
    const isFresh = buyer && row && row.seen_at > buyer.purchase.block_time - FRESH_SECONDS
    if (isFresh && wallet !== creator) flags.add('fresh')
    wallets.set(wallet, { wallet, flags, balance: BigInt(row?.balance ?? 0) })
  }
  return { token, buyers, wallets }
}

const toSource = ({ wallet, purchase }: LaunchBuyer) => ({
  ...{ wallet, block: purchase.block_number, log: purchase.log_index },
})

/** The first trades of a token, exported to test its plan. From the launch on: an index by block must not be read from its start. */
export const buildLaunchTrades = (
  token: Pick<ForensicToken, 'id' | 'block_number'>,
): RawBuilder<LaunchTrade> => sql<LaunchTrade>`
  select e.block_number, e.log_index, e.block_time, e.tx_hash, ${sideOf('e')} as side, ${recipientOf('e')} as recipient,
    e.token_amount, e.quote_amount
  from trades e where e.token_id = ${token.id} and e.block_number >= ${token.block_number}
  order by e.block_number, e.log_index limit ${sql.lit(LAUNCH_TRADES)}`

interface Source {
  wallet: string
  block: number
  log: number
}

interface InsiderQuery {
  tokenId: number
  /** The creator, and wallets that bought with it: transfers after these positions are followed. */
  sources: readonly Source[]
  excluded: readonly string[]
  creator: string
}

async function findInsiders(db: Kysely<Database>, query: InsiderQuery): Promise<ReadonlySet<string>> {
  const { rows } = await buildInsiders(query).execute(db)
  return new Set(rows.map(({ wallet }) => wallet))
}

/**
 * The wallets that received tokens from the sources, or from such a wallet later, exported to test its plan. A limit ends the
 * recursion: anyone may send a token to any number of wallets.
 */
export function buildInsiders({ tokenId, sources, excluded, creator }: InsiderQuery): RawBuilder<{ wallet: string }> {
  const wallets = sources.map(({ wallet }) => toBytes(wallet))
  const [blocks, logs] = [sources.map(({ block }) => block), sources.map(({ log }) => log)]
  return sql<{ wallet: string }>`
    with recursive reached (wallet, block_number, log_index, is_insider) as (
      select k.*, false from unnest(${wallets}::bytea[], ${blocks}::bigint[], ${logs}::integer[]) as k
      union
      select t.*, true
      from reached r cross join lateral (
        select t.recipient, t.block_number, t.log_index from transfers t
        where t.token_id = ${tokenId} and t.sender = r.wallet
          and (t.block_number, t.log_index) > (r.block_number, r.log_index)
          and t.recipient <> all(${[...excluded, creator].map(toBytes)}::bytea[]) and t.recipient <> t.sender
        order by t.block_number, t.log_index limit ${sql.lit(MAX_FOLLOWED)}
      ) t
    )
    select distinct wallet from (
      select wallet, is_insider from reached limit ${sql.lit(MAX_FOLLOWED)} + ${sources.length}
    ) followed where is_insider`
}

interface WalletRow {
  wallet: string
  balance: string
  /** Unix seconds. */
  seen_at: number
}

/** Balances of a token, with the time at which each wallet was first seen with any token; exported to test its plan. */
export const buildLaunchWallets = (
  tokenId: number,
  wallets: readonly string[],
): RawBuilder<WalletRow> => sql<WalletRow>`
  select b.wallet, b.balance, seen.first_seen_at as seen_at
  from balances b cross join lateral (
    select o.first_seen_at from balances o where o.wallet = b.wallet order by o.first_seen_at limit 1
  ) seen
  where b.token_id = ${tokenId} and b.wallet = any(${wallets.map(toBytes)}::bytea[])`

/** The same in Citus, where the rows of a wallet are on all servers: each reads all tokens of the wallets. */
const buildSpreadLaunchWallets = (tokenId: number, wallets: readonly string[]): RawBuilder<WalletRow> => {
  const named = sql`any(${wallets.map(toBytes)}::bytea[])`
  return sql<WalletRow>`
    with seen as materialized (
      select wallet, min(first_seen_at) as seen_at from balances where wallet = ${named} group by wallet
    ), held as materialized (
      select wallet, balance from balances where token_id = ${tokenId} and wallet = ${named}
    )
    select wallet, balance, seen_at from held join seen using (wallet)`
}
