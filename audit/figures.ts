import { type RawBuilder, sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import type { Database } from '../db/schema.ts'
import { isCounted } from './archived.ts'
import type { Findings } from './findings.ts'

const DEAD = '0x000000000000000000000000000000000000dead'
const DAY = 86_400

type Columns = Record<string, string | null>

/**
 * Compares every sum and count with its recomputation in plain SQL from the trades, tokens, actions and balances (which
 * were compared with the chain). clock: unix seconds at which the windows end.
 */
export async function auditFigures(trx: Transaction<Database>, findings: Findings, clock: number): Promise<void> {
  const diff = async (name: string, stored: RawBuilder<unknown>, expected: RawBuilder<unknown>) => {
    // Materialized, so that Citus runs each side by itself.
    const { rows } = await sql<{ key: string; stored: Columns | null; expected: Columns | null }>`
      with s as materialized (${stored}), e as materialized (${expected})
      select coalesce(s.key, e.key) as key,
        (select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(s))) as stored,
        (select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(e))) as expected
      from s full join e on e.key = s.key
      where to_jsonb(s) is distinct from to_jsonb(e)`.execute(trx)
    for (const row of rows) {
      const { stored: left, expected: right } = row
      if (!left || !right) findings.compareRows(`${name} ${row.key}`, left ?? undefined, right ?? undefined)
      else
        for (const column of Object.keys(right))
          compareNumbers(findings, `${name} ${row.key} ${column}`, left, right, column)
    }
    findings.compared += 1
  }
  const since = (seconds: number) => sql`block_time >= ${clock - seconds}::bigint`

  await diff('token', storedTokens, expectTokens(since))
  await diff('token', storedHolders, expectHolders)
  const launches = await readLaunches(trx)
  await diff('sniper', storedWalletsOf('readable_snipers', launches), expectSnipers(launches))
  await diff('bundler', storedWalletsOf('readable_bundlers', launches), expectBundlers(launches))
  await diff('token', storedLaunchBalances(launches), expectLaunchBalances(launches))
  await diff('wallet', storedWallets, expectWallets(since))
  await diff('wallet', storedWalletParts, expectWalletParts(since))
  await diff('revenue', storedRevenue, expectRevenue)
  await diff('launchpad', sql`select launchpad as key, f.* from launchpad_figures f`, expectLaunchpads(since))
  await diff('day', storedDays, expectDays)
  await diff('platform', storedPlatform, expectPlatform(since))
  await diff(
    'balance',
    sql`select token || '/' || wallet as key, trades_h24, last_trade_block, last_trade_at from readable_balances`,
    sql`select b.token || '/' || b.wallet as key, coalesce(t.h24, 0) as trades_h24, t.last_block as last_trade_block,
        t.last_at as last_trade_at
      from readable_balances b left join (
        select token, trader, sum(h24) as h24, max(last_block) as last_block, max(last_at) as last_at from (
          select token, trader, count(*) filter (where ${since(DAY)}) as h24, max(block_number) as last_block,
            max(block_time) as last_at
          from readable_trades group by token, trader
          union all select token, wallet, 0, last_trade_block, last_trade_at from (${archivedPairs}) p
        ) pairs group by token, trader
      ) t on t.token = b.token and t.trader = b.wallet`,
  )
}

/** Sums of archived trades, all older than every window. */
const archivedPairs = sql`
  select k.address as token, '0x' || encode(p.wallet, 'hex') as wallet, p.trades, coalesce(p.volume_native, p.volume) as volume,
    p.volume_usd, coalesce(p.realized_native, p.realized) as realized,
    p.realized_usd, p.last_trade_block, p.last_trade_at
  from archived_pairs p join tokens k on k.id = p.token_id where ${isCounted('p')}`
const archivedTokens = sql`
  select k.address as token, s.* from archived_tokens s join tokens k on k.id = s.token_id where ${isCounted('s')}`

/** Compares decimal texts: 0 equals 0.00. */
function compareNumbers(findings: Findings, subject: string, stored: Columns, expected: Columns, column: string): void {
  const trim = (text: string | null | undefined) =>
    text?.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : (text ?? null)
  findings.compare(subject, trim(stored[column]), trim(expected[column]))
}

type Since = (seconds: number) => RawBuilder<unknown>

/** The value of a trade in native coin. */
const native = sql`coalesce(value_native, quote_amount)`
/** A fee of one in native coin; null if the fee is, where `least` would return the other one. */
const nativeFee = (column: string) =>
  sql`case when value_native is null or ${sql.ref(column)} is null then ${sql.ref(column)} when quote_amount = 0 then 0
    else least(div(${sql.ref(column)} * value_native, quote_amount), 2::numeric ^ 128 - 1) end`
/** A sum that is null where the quote asset is the native coin. */
const ofQuoted = (column: string) =>
  sql`case when k.quote_token <> ${zeroAddress}::text then coalesce(${sql.ref(column)}, 0) end`

const storedTokens = sql`
  select token as key, volume_total, volume_h24, volume_h1, volume_quote_total, volume_quote_h24, volume_quote_h1, volume_usd_h24, volume_usd_h1, trades_total, buys_h1, sells_h1, buys_h24,
    sells_h24, traders_h24, protocol_fees, creator_fees, creator_fees_claimed
  from readable_token_figures`

const expectTokens = (since: Since) => sql`
  select k.token as key, coalesce(volume_total, 0) as volume_total,
    coalesce(volume_h24, 0) as volume_h24, coalesce(volume_h1, 0) as volume_h1,
    ${ofQuoted('quote_total')} as volume_quote_total, ${ofQuoted('quote_h24')} as volume_quote_h24,
    ${ofQuoted('quote_h1')} as volume_quote_h1, coalesce(volume_usd_h24, 0) as volume_usd_h24,
    coalesce(volume_usd_h1, 0) as volume_usd_h1, coalesce(buys_h1, 0) as buys_h1, coalesce(sells_h1, 0) as sells_h1,
    coalesce(trades_total, 0) as trades_total, coalesce(buys_h24, 0) as buys_h24, coalesce(sells_h24, 0) as sells_h24,
    coalesce(traders_h24, 0) as traders_h24, coalesce(protocol_fees, 0) as protocol_fees,
    coalesce(creator_fees, 0) as creator_fees, coalesce(claimed, 0) as creator_fees_claimed
  from (
    select a.token, coalesce(q.quote_token, ${zeroAddress}::text) as quote_token
    from (select address as token from tokens union select token from readable_trades) a left join tokens q on q.address = a.token
  ) k
  left join (
    select token, sum(volume_total) as volume_total, sum(volume_h24) as volume_h24, sum(volume_h1) as volume_h1,
      sum(quote_total) as quote_total, sum(quote_h24) as quote_h24, sum(quote_h1) as quote_h1,
      sum(volume_usd_h24) as volume_usd_h24, sum(volume_usd_h1) as volume_usd_h1, sum(buys_h1) as buys_h1,
      sum(sells_h1) as sells_h1, sum(trades_total) as trades_total, sum(buys_h24) as buys_h24,
      sum(sells_h24) as sells_h24, sum(traders_h24) as traders_h24, sum(protocol_fees) as protocol_fees,
      sum(creator_fees) as creator_fees
    from (select token, sum(${native}) as volume_total, sum(${native}) filter (where ${since(DAY)}) as volume_h24,
      sum(${native}) filter (where ${since(3_600)}) as volume_h1, sum(quote_amount) as quote_total,
      sum(quote_amount) filter (where ${since(DAY)}) as quote_h24, sum(quote_amount) filter (where ${since(3_600)}) as quote_h1,
      sum(value_usd) filter (where ${since(DAY)}) as volume_usd_h24,
      sum(value_usd) filter (where ${since(3_600)}) as volume_usd_h1,
      count(*) filter (where side = 'buy' and ${since(3_600)}) as buys_h1,
      count(*) filter (where side = 'sell' and ${since(3_600)}) as sells_h1,
      count(*) as trades_total, count(*) filter (where side = 'buy' and ${since(DAY)}) as buys_h24,
      count(*) filter (where side = 'sell' and ${since(DAY)}) as sells_h24,
      count(distinct trader) filter (where ${since(DAY)}) as traders_h24,
      sum(protocol_fee) as protocol_fees, sum(creator_fee) as creator_fees
    from readable_trades group by token
    union all select token, coalesce(volume_native, volume), 0, 0, volume, 0, 0, 0, 0, 0, 0, trades, 0, 0, 0, protocol_fees, creator_fees from (${archivedTokens}) s
    ) sums group by token
  ) t on t.token = k.token
  left join (
    select subject, sum((data->>'amount')::numeric) as claimed from actions where type = 'claim_creator_fee' group by subject
  ) c on c.subject = k.token`

const storedRevenue = sql`select token || '/' || recipient as key, claimed from readable_creator_revenue`

const expectRevenue = sql`
  select subject || '/' || '0x' || encode(wallet, 'hex') as key, sum((data->>'amount')::numeric) as claimed
  from actions where type = 'claim_creator_fee' group by subject, wallet having sum((data->>'amount')::numeric) > 0`

const storedHolders = sql`
  select token as key, positive_balances, holder_count, top10_balance, creator_balance from readable_token_figures`

/** The curve, the pool and the burn addresses are no holders. */
const expectHolders = sql`
  select address as key, count(wallet) as positive_balances, count(wallet) filter (where not excluded) as holder_count,
    coalesce(sum(balance) filter (where not excluded and rank <= 10), 0) as top10_balance,
    coalesce(sum(balance) filter (where wallet = creator), 0) as creator_balance
  from (
    select *, row_number() over (partition by token_id, excluded order by balance desc) as rank from (
      select f.token_id, k.address, t.creator, b.balance, '0x' || encode(b.wallet, 'hex') as wallet,
        '0x' || encode(b.wallet, 'hex')
          in (t.launchpad, coalesce(t.pool_manager, '0x' || encode(f.pool, 'hex'), ''), ${DEAD}::text, ${zeroAddress}::text) as excluded
      from token_figures f
      join token_ids k on k.id = f.token_id
      left join tokens t on t.id = f.token_id
      left join balances b on b.token_id = f.token_id and b.balance > 0
    ) each
  ) ranked
  group by token_id, address`

/** What the snipers and bundlers of launches depend on. */
interface Launches {
  sniperSeconds: number
  /** Addresses of the tokens whose first trades are archived: who bought then is unknown. */
  archived: readonly string[]
}

async function readLaunches(trx: Transaction<Database>): Promise<Launches> {
  const { rows } = await sql<{ token: string }>`select distinct token from (${archivedTokens}) a`.execute(trx)
  const { sniper_seconds: sniperSeconds } = await trx
    .selectFrom('chain_state')
    .select('sniper_seconds')
    .executeTakeFirstOrThrow()
  return { sniperSeconds, archived: rows.map(({ token }) => token) }
}

const storedWalletsOf = (table: string, { archived }: Launches) => sql`
  select token || '/' || wallet as key from ${sql.table(table)} where token <> all(${archived}::text[])`

/** The purchases among the first 500 trades, with the time of the first of these. */
const launchPurchases = ({ archived }: Launches) => sql`
  select t.*, t.block_time - opened_at as seconds, t.block_number = k.block_number as at_launch, k.creator
  from (
    select e.token, coalesce(e.recipient, e.trader) as wallet, e.side, e.block_number, e.block_time, e.tx_hash,
      first_value(e.block_time) over early as opened_at, row_number() over early as place
    from readable_trades e window early as (partition by e.token order by e.block_number, e.log_index)
  ) t join tokens k on k.address = t.token
  where t.side = 'buy' and place <= 500 and t.token <> all(${archived}::text[])
    and wallet not in (k.launchpad, k.address, ${DEAD}::text, ${zeroAddress}::text)`

/** The recipients of purchases within SNIPER_SECONDS of the first trade. */
const expectSnipers = (launches: Launches) => sql`
  select distinct token || '/' || wallet as key from (${launchPurchases(launches)}) p
  where seconds <= ${launches.sniperSeconds} and wallet <> creator`

/** Those of four or more wallets in the block of the launch, and of several ones in a transaction of the first minute. */
const expectBundlers = (launches: Launches) => sql`
  with purchases as materialized (
    select p.* from (${launchPurchases(launches)}) p
    join readable_token_figures g on g.token = p.token join tokens k on k.id = g.token_id
    where p.wallet is distinct from coalesce(k.pool_manager, g.pool)
  )
  select distinct p.token || '/' || p.wallet as key
  from purchases p
  join (
    select token, count(distinct wallet) filter (where at_launch) as wallets from purchases group by token
  ) launch on launch.token = p.token
  join (
    select token, tx_hash, count(distinct wallet) as wallets from purchases group by token, tx_hash
  ) tx on tx.token = p.token and tx.tx_hash = p.tx_hash
  where p.wallet <> p.creator and ((p.at_launch and launch.wallets >= 4) or (p.seconds <= 60 and tx.wallets >= 2))`

const storedLaunchBalances = ({ archived }: Launches) => sql`
  select token as key, sniper_balance, bundler_balance, first_trade_at from readable_token_figures
  where token <> all(${archived}::text[])`

/** What the wallets of a table hold, by token. */
const balancesOf = (table: string) => sql`
  select s.token, sum(b.balance) as balance
  from ${sql.table(table)} s
  join readable_balances b on b.token = s.token and b.wallet = s.wallet
  join readable_token_figures g on g.token = s.token
  join tokens k on k.id = g.token_id
  where s.wallet is distinct from coalesce(k.pool_manager, g.pool)
  group by s.token`

const expectLaunchBalances = ({ archived }: Launches) => sql`
  select f.token as key, coalesce(s.balance, 0) as sniper_balance, coalesce(b.balance, 0) as bundler_balance, t.first_trade_at
  from readable_token_figures f
  left join (${balancesOf('readable_snipers')}) s on s.token = f.token
  left join (${balancesOf('readable_bundlers')}) b on b.token = f.token
  left join (select token, min(block_time) as first_trade_at from readable_trades group by token) t on t.token = f.token
  where f.token <> all(${archived}::text[])`

const PERIODS = { total: null, h24: DAY, d7: 7 * DAY, d30: 30 * DAY }

const walletColumns = sql.join(
  Object.keys(PERIODS).flatMap((period) =>
    ['trades', 'volume', 'volume_usd', 'realized', 'realized_usd'].map((name) => sql.ref(`${name}_${period}`)),
  ),
)
const storedWallets = sql`select '0x' || encode(wallet, 'hex') as key, ${walletColumns}, launchpad_kind from wallet_figures`
const storedWalletParts = sql`
  select '0x' || encode(wallet, 'hex') || '/' || launchpad_kind as key, ${walletColumns} from wallet_launchpad_figures`

const sumsOfWallets = (since: Since) =>
  sql.join(
    Object.entries(PERIODS).flatMap(([period, length]) => {
      const within = length === null ? sql`true` : since(length)
      return [
        sql`coalesce(sum(trades) filter (where ${within}), 0) as ${sql.ref(`trades_${period}`)}`,
        sql`coalesce(sum(quote_amount) filter (where ${within}), 0) as ${sql.ref(`volume_${period}`)}`,
        sql`coalesce(sum(value_usd) filter (where ${within}), 0) as ${sql.ref(`volume_usd_${period}`)}`,
        sql`coalesce(sum(realized) filter (where ${within}), 0) as ${sql.ref(`realized_${period}`)}`,
        sql`coalesce(sum(realized_usd) filter (where ${within}), 0) as ${sql.ref(`realized_usd_${period}`)}`,
      ]
    }),
  )

/** The trades of wallets, with the kinds of their launchpads. */
const tradesOfWallets = sql`
  select e.*, k.launchpad_kind from (
    select token, trader, block_time, 1 as trades, ${native} as quote_amount, value_usd,
      coalesce(realized_native, realized) as realized, realized_usd
    from readable_trades
    union all select token, wallet, 0, trades, volume, volume_usd, realized, realized_usd from (${archivedPairs}) p
  ) e left join tokens k on k.address = e.token`

const expectWallets = (since: Since) => sql`
  select trader as key, ${sumsOfWallets(since)},
    case when count(distinct launchpad_kind) = 1 then min(launchpad_kind) end as launchpad_kind
  from (${tradesOfWallets}) e group by trader`

const expectWalletParts = (since: Since) => sql`
  select trader || '/' || launchpad_kind as key, ${walletColumns} from (
    select trader, launchpad_kind, ${sumsOfWallets(since)}, count(*) over (partition by trader) as kinds
    from (${tradesOfWallets}) e group by trader, launchpad_kind
  ) parts where kinds > 1`

const storedPlatform = sql`select 'figures' as key, p.* from platform_figures p`

/** A launchpad without tokens has no row. */
const expectLaunchpads = (since: Since) => sql`
  select launchpad as key, launchpad, launchpad_kind as kind, sum(is_launch) as tokens_total, sum(is_graduation) as tokens_graduated,
    coalesce(sum(trades), 0) as trades_total, coalesce(sum(trades) filter (where ${since(DAY)}), 0) as trades_h24,
    coalesce(sum(volume), 0) as volume_total, coalesce(sum(volume) filter (where ${since(DAY)}), 0) as volume_h24,
    coalesce(sum(volume_usd), 0) as volume_usd_total,
    coalesce(sum(volume_usd) filter (where ${since(DAY)}), 0) as volume_usd_h24,
    coalesce(sum(protocol_fees), 0) as protocol_fees_total,
    coalesce(sum(protocol_fees) filter (where ${since(DAY)}), 0) as protocol_fees_h24,
    coalesce(sum(creator_fees), 0) as creator_fees_total,
    coalesce(sum(creator_fees) filter (where ${since(DAY)}), 0) as creator_fees_h24
  from (select k.launchpad, k.launchpad_kind, e.* from tokens k join (
    select address as token, 1 as is_launch, 0 as is_graduation, 0 as block_time, 0 as trades, 0 as volume, 0 as volume_usd,
      0 as protocol_fees, 0 as creator_fees
    from tokens
    union all select subject, 0, 1, 0, 0, 0, 0, 0, 0 from actions where type = 'graduate'
    union all select t.address, 0, 1, 0, 0, 0, 0, 0, 0 from tokens t join pools p on p.token_id = t.id where t.lifecycle = 'direct'
    union all select (select address from token_ids where id = token_id), 0, 0, block_time, 1, ${native}, value_usd,
      ${nativeFee('protocol_fee')}, ${nativeFee('creator_fee')}
    from trades
    union all select token, 0, 0, 0, trades, coalesce(volume_native, volume), volume_usd,
      coalesce(protocol_fees_native, protocol_fees), coalesce(creator_fees_native, creator_fees)
    from (${archivedTokens}) s
  ) e on e.token = k.address) s
  group by launchpad, launchpad_kind`

/** Days with archived trades have no fees that could be compared. */
const isWhole = sql`not exists (select from archives a where a.parent = 'trades' and a.state = 'archived'
  and a.first_time < d.day + ${DAY}::bigint and a.last_time >= d.day)`
const storedDays = sql`
  select launchpad || '/' || day as key, trades, volume, volume_usd, protocol_fees, creator_fees
  from launchpad_days d where ${isWhole}`

const expectDays = sql`
  select launchpad || '/' || day as key, trades, volume, volume_usd, protocol_fees, creator_fees
  from (
    select k.launchpad, day, sum(trades) as trades, sum(volume) as volume, sum(volume_usd) as volume_usd,
      sum(protocol_fees) as protocol_fees, sum(creator_fees) as creator_fees
    from (
      select token_id, block_time - block_time % ${DAY}::bigint as day, count(*) as trades, sum(${native}) as volume,
        coalesce(sum(value_usd), 0) as volume_usd, coalesce(sum(${nativeFee('protocol_fee')}), 0) as protocol_fees,
        coalesce(sum(${nativeFee('creator_fee')}), 0) as creator_fees
      from trades group by 1, 2
    ) t join tokens k on k.id = t.token_id group by 1, 2
  ) d where ${isWhole}`

const expectPlatform = (since: Since) => sql`
  select 'figures' as key, true as id, (select count(*) from tokens) as tokens_total,
    (select count(*) from actions where type = 'graduate')
      + (select count(*) from tokens t join pools p on p.token_id = t.id where t.lifecycle = 'direct') as tokens_graduated, sums.*
  from (select
    count(distinct trader) as traders_total, count(distinct trader) filter (where ${since(DAY)}) as traders_h24,
    coalesce(sum(trades), 0) as trades_total, count(*) filter (where ${since(DAY)}) as trades_h24,
    coalesce(sum(quote_amount), 0) as volume_total, coalesce(sum(value_usd), 0) as volume_usd_total,
    coalesce(sum(quote_amount) filter (where ${since(DAY)}), 0) as volume_h24,
    coalesce(sum(value_usd) filter (where ${since(DAY)}), 0) as volume_usd_h24,
    coalesce(sum(protocol_fee), 0) as protocol_fees_total,
    coalesce(sum(protocol_fee) filter (where ${since(DAY)}), 0) as protocol_fees_h24,
    coalesce(sum(creator_fee), 0) as creator_fees_total,
    coalesce(sum(creator_fee) filter (where ${since(DAY)}), 0) as creator_fees_h24
  from (
    select trader, block_time, 1 as trades, ${native} as quote_amount, value_usd, ${nativeFee('protocol_fee')} as protocol_fee,
      ${nativeFee('creator_fee')} as creator_fee
    from trades
    union all select wallet, 0, 0, 0, 0, 0, 0 from archived_pairs p where ${isCounted('p')}
    union all select null, 0, trades, coalesce(volume_native, volume), volume_usd, coalesce(protocol_fees_native, protocol_fees),
      coalesce(creator_fees_native, creator_fees)
    from (${archivedTokens}) s
  ) e) sums`
