import { sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import { DEAD_ADDRESS } from '../../../db/addresses.ts'
import { bytes, columnToBytes } from '../../../db/hex.ts'
import { BUNDLE_SECONDS, BUNDLE_WALLETS, LAUNCH_TRADES } from '../../../db/queries/forensics/classify-buyers.ts'
import { recipientOf } from '../../../db/queries/trade-columns.ts'
import type { Database } from '../../../db/schema.ts'
import type { Deltas, TokenSums } from '../deltas.ts'
import { refreshHolders } from '../store-tokens.ts'
import type { TokenFigures } from '../token-figures.ts'

type LaunchFigures = Pick<TokenFigures, 'id' | 'firstTradeAt' | 'lacksBundlers' | 'sums'>

/**
 * Finds again who bought tokens in a bundle at their launch, by the rule of classifyBuyers, where the batch may have changed that.
 * Reads the stored trades, and the time of the first one that storeSnipers stores. figures: with the batch, of tokens that are
 * launched. moved: tokens whose pool was opened or closed, because a pool is no buyer. Touched launches that lack bundlers get theirs,
 * because completeBundlers does not find them after the batch.
 */
export async function storeBundlers(
  trx: Transaction<Database>,
  { tokens }: Pick<Deltas, 'tokens'>,
  figures: ReadonlyMap<string, LaunchFigures>,
  moved: readonly string[],
): Promise<void> {
  const changed = [...figures].flatMap(([token, row]) => (mayChangeBundles(tokens.get(token), row) ? [row.id] : []))
  const isMoved = new Set(moved)
  const traded = [...figures].flatMap(([token, row]) =>
    row.firstTradeAt !== null && (row.lacksBundlers || isMoved.has(token)) ? [row.id] : [],
  )
  await findBundlers(trx, [...new Set([...changed, ...(await findUnarchived(trx, traded))])])
}

/** The first rules that store bundlers: a database with earlier ones is rebuilt next, which finds all. */
const FIRST_RULES = 4
/** Launches whose bundlers are found at a time. */
const LAUNCHES = 1_000

/** Finds the bundlers of launches that a process without them has stored. */
export async function completeBundlers(trx: Transaction<Database>): Promise<void> {
  const state = await trx.selectFrom('chain_state').select('rules').executeTakeFirstOrThrow()
  if (state.rules < FIRST_RULES) return
  for (let after = 0; ; ) {
    const rows = await trx
      .selectFrom('token_figures as f')
      .innerJoin('tokens as t', 't.id', 'f.token_id')
      .select(['f.token_id as id', 't.address'])
      .where('f.bundler_balance', 'is', null)
      .where('f.token_id', '>', after)
      .orderBy('f.token_id')
      .limit(LAUNCHES)
      .execute()
    if (rows.length === 0) return
    after = rows.at(-1)!.id
    await findBundlers(
      trx,
      await findUnarchived(
        trx,
        rows.map(({ id }) => id),
      ),
    )
    await refreshHolders(
      trx,
      rows.map(({ address }) => address),
    )
  }
}

/** Replaces the bundlers of tokens whose first trade is stored. */
async function findBundlers(trx: Transaction<Database>, found: readonly number[]): Promise<void> {
  if (found.length === 0) return
  const ids = sql`any(${found}::integer[])`
  await sql`delete from bundlers where token_id = ${ids}`.execute(trx)
  // Joined and grouped by the token, where its rows are in Citus. The bundle of the launch block is '', others are transactions.
  await sql`
    insert into bundlers (token_id, wallet)
    select distinct b.token_id, b.wallet
    from (
      select p.token_id, p.creator, unnest(array_agg(p.wallet)) as wallet
      from (
        select f.token_id, ${columnToBytes('t.creator')} as creator, l.wallet,
          unnest(array[l.tx_hash, case when l.block_number = f.created_block then ''::bytea end]) as bundle
        from token_figures f join tokens t on t.id = f.token_id
        cross join lateral (
          select ${recipientOf('e')} as wallet, e.side, e.block_number, e.block_time, e.tx_hash
          from trades e where e.token_id = f.token_id and e.block_number >= f.created_block
          order by e.block_number, e.log_index limit ${sql.lit(LAUNCH_TRADES)}
        ) l
        where f.token_id = ${ids} and l.side = 'b' and l.block_time <= f.first_trade_at + ${sql.lit(BUNDLE_SECONDS)}
          and l.wallet <> all(array[${columnToBytes('t.launchpad')}, ${columnToBytes('t.address')},
            coalesce(${columnToBytes('t.pool_manager')}, f.pool, ''), ${bytes(zeroAddress)}, ${bytes(DEAD_ADDRESS)}])
      ) p
      where p.bundle is not null
      group by p.token_id, p.creator, p.bundle
      having count(distinct p.wallet) >= case p.bundle when '' then ${sql.lit(BUNDLE_WALLETS)} else 2 end
    ) b
    where b.wallet <> b.creator`.execute(trx)
}

/**
 * Whether trades that were added or undone may be of a bundle, or change which trades are of the launch: most purchases of the first
 * minute are by one wallet in a transaction, and need no statement. The trades of the launch block are not later than the first one.
 */
function mayChangeBundles(sums: TokenSums | undefined, { firstTradeAt, sums: total }: LaunchFigures): boolean {
  const earliest = sums?.earliestTrade
  if (earliest === undefined) return false
  if (firstTradeAt === null || earliest <= firstTradeAt) return true
  if (earliest > firstTradeAt + BUNDLE_SECONDS) return false
  const [after, added] = [total.total.trades, sums!.total.trades]
  return sums!.isBundled === true || Math.max(after, after - added) > LAUNCH_TRADES
}

/** Those of the tokens whose first trade is stored. The bundlers of an archived launch stay as they are. */
async function findUnarchived(trx: Transaction<Database>, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ token_id: number }>`
    select f.token_id from token_figures f
    where f.token_id = any(${ids}::integer[]) and f.first_trade_at = (
      select e.block_time from trades e where e.token_id = f.token_id order by e.block_number, e.log_index limit 1)`.execute(
    trx,
  )
  return rows.map(({ token_id: id }) => id)
}
