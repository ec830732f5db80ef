// A market after years: most tokens were traded only on their first day, and many share a name.
import pg from 'pg'
import { openDatabase } from '../../db/client.ts'
import { withoutIndexes } from './without-indexes.ts'

export const LAUNCHPAD = `0x${'1a'.repeat(20)}`
/** Unix seconds of the newest block. */
const CLOCK = 1_790_000_000
/** Number of candles of the token whose chart is read. */
const CHARTED = 400

const WORDS = {
  first:
    'Moon,Harbour,Golden,Tiny,Based,Lazy,Cosmic,Angry,Happy,Baby,Mega,Silent,Frozen,Lucky,Wild,Iron,Neon,Royal,Dizzy,Salty',
  second:
    'Cat,Dog,Frog,Whale,Pepe,Bear,Bull,Fox,Otter,Panda,Tiger,Shark,Goat,Duck,Lion,Wolf,Crab,Owl,Snail,Rocket,Toad,Shiba,Hamster,Penguin',
}

/** The address of the nth token, the first of which is 1. */
const address = (n: string) => `'0x' || md5(${n}::text) || substr(md5((-${n})::text), 1, 8)`
const wallet = (n: string) => `'0x' || substr(md5(${n}::text), 1, 8) || md5(${n}::text)`
const word = (list: string, weight: string) =>
  `(string_to_array('${list}', ','))[1 + floor(${list.split(',').length} * ${weight})::integer]`

/** Names repeat, the first words most often; every third symbol is random letters. */
const tokens = (count: number) => `
  insert into tokens (id, address, launchpad, creator, quote_token, name, symbol, symbol_key, metadata_uri, decimals, total_supply,
    initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote, protocol_fee_bps, creator_fee_bps, block_number,
    log_index, tx_hash, block_time)
  select i, ${address('i')}, '${LAUNCHPAD}', ${wallet('(i % 100000)')}, '0x${'0'.repeat(40)}',
    a || ' ' || b || case when i % 2 = 0 then ' ' || i % 9973 else '' end,
    symbol, symbol, 'ipfs://' || md5(i::text), 18, 1000000000000000000000000000, 1500000000000000000, 1073000000000000000000000000,
    793100000000000000000000000, 4000000000000000000, 100, 50, 1000 + i / 3, i % 3,
    '0x' || md5(i::text) || md5((-i)::text), ${CLOCK} - (${count} - i) * 3
  from (
    select i, ${word(WORDS.first, 'power(random(), 2)')} as a, ${word(WORDS.second, 'power(random(), 3)')} as b
    from generate_series(1, ${count}) i offset 0
  ) named
  cross join lateral (
    select case i % 3 when 0 then upper(substr(md5(i::text), 1, 5)) when 1 then upper(b) else upper(left(a, 2) || b) end as symbol
  ) letters;
  update tokens t set symbol_taken_before = true
  from (select address, rank() over (partition by symbol_key order by block_number, log_index) as place from tokens) ranked
  where ranked.address = t.address and ranked.place > 1;
  insert into token_ids (id, address, creation) select id, address, sha256(address::bytea) from tokens`

/** One token in thirty was traded in the last day, one in fifty has graduated, and most are at their initial price. */
const figures = (count: number) => `
  insert into token_figures (token_id, hidden, created_block, created_log, status, graduated_block, graduated_log,
    graduated_at, pool, virtual_quote, virtual_token, real_quote, real_token, pool_quote, pool_token, progress, price,
    market_cap, ath_market_cap_usd, volume_total, volume_h24, volume_h1, volume_usd_h24, volume_usd_h1, trades_total, buys_h1,
    sells_h1, buys_h24, sells_h24, traders_h24, last_trade_at, trend, holder_count, top10_balance, creator_balance,
    bundler_balance)
  select i, i % 1000 = 999, 1000 + i / 3, i % 3,
    case when i % 50 = 0 then 'graduated' when i % 100 = 1 then 'completed' else 'curve' end,
    case when i % 50 = 0 then 1100 + i / 3 end, case when i % 50 = 0 then i % 3 end, case when i % 50 = 0 then ${CLOCK} - i end,
    case when i % 50 = 0 then decode('9001' || substr(md5(i::text), 1, 4) || md5((-i)::text), 'hex') end,
    1500000000000000000 + paid, 1073000000000000000000000000, paid, 793100000000000000000000000,
    case when i % 50 = 0 then 9 * 10::numeric ^ 18 end, case when i % 50 = 0 then 2 * 10::numeric ^ 26 end,
    case when i % 50 = 0 or i % 100 = 1 then 100 else trunc(paid * 25 / 10::numeric ^ 18, 6) end, 1.4e-9 * (1 + random()),
    floor((1500000000000000000 + paid)::double precision * (1 + (paid > 0)::integer * random()))::numeric, 5000, paid * 3, active * paid * 2, active * paid / 2,
    active * round(paid * 6 / 10::numeric ^ 15, 8), active * round(paid * 6 / 10::numeric ^ 16, 8), 4,
    active * floor(3 * random()), active * floor(3 * random()), active * floor(1 + 50 * power(random(), 3)),
    active * floor(50 * power(random(), 3)), active * floor(1 + 40 * random()), ${CLOCK} - (${count} - i) * 2,
    case when i % 10 < 3 then '-Infinity' else 40 + ln(1 + i) + random() end, floor(1 + 5000 * power(random(), 4)),
    floor(1000 * random())::numeric * 10::numeric ^ 24, floor(1000 * power(random(), 3))::numeric * 10::numeric ^ 24,
    floor(1000 * power(random(), 4))::numeric * 10::numeric ^ 24
  from (
    select i, case when i % 10 < 6 then 0 else floor(random() * 1e9)::numeric * 1000000000 end as paid,
      (i % 30 = 7)::integer as active
    from generate_series(1, ${count}) i offset 0
  ) traded`

const metadata = (count: number) => `
  insert into token_metadata (token_id, description, image_url, website, updated_by)
  select i, 'Number ' || i || ' of its kind. It was launched for the fun of it.',
    '/uploads/' || md5(i::text) || md5((-i)::text) || '.webp', 'https://' || i || '.example', ${wallet('(i % 100000)')}
  from generate_series(1, ${count}) i`

/** The latest candles of traded tokens, and the chart of the first token. */
const candles = (count: number) => `
  insert into candles (token_id, resolution, bucket, open, high, low, close, open_usd, high_usd, low_usd, close_usd, volume,
    volume_usd, trades, open_block, open_log, close_block, close_log)
  select i, resolution, bucket - bucket % resolution, 1e-9, 2e-9, 1e-9, 1.4e-9, 3e-6, 6e-6, 3e-6, 4.2e-6,
    10::numeric ^ 17, 300, 3, 1000, 0, 1000, 1
  from (
    select i, 60 as resolution, ${CLOCK}::bigint - 90000 as bucket from generate_series(1, ${count}) i where i % 10 >= 3
    union all
    select 1, resolution, ${CLOCK}::bigint - n * resolution
    from unnest('{60,300,900,3600}'::integer[]) resolution, generate_series(1, ${CHARTED}) n
  ) traded`

/** */
const contractIds = () => `
  insert into contract_ids select row_number() over (order by address), address
  from (values (decode('${LAUNCHPAD.slice(2)}', 'hex')), (decode('${'0'.repeat(40)}', 'hex'))) as named (address)`

const counts = (count: number) => `
  insert into token_counts (token_id, comments, likes)
  select i, i % 7, i % 11 from generate_series(1, ${count}, 5) i`

const profiles = (count: number) => `
  insert into profiles (wallet, username, username_skeleton)
  select ${wallet('i')}, 'user' || i, 'user' || translate(i::text, '0158', 'olsb') from generate_series(1, ${count}, 20) i
  on conflict do nothing`

const platform = (count: number) => `
  update platform_figures set tokens_total = ${count}, tokens_graduated = ${Math.floor(count / 50)}`

const chainState = (count: number) => `
  insert into chain_state (chain_id, genesis_hash, wrapped_native, contracts, checkpoint_number, checkpoint_time, clock_time,
    head_number, head_time, finalized_number, quote_usd)
  values (1, '0x00', '0x${'e7'.repeat(20)}', '{}', ${count + 2000}, ${CLOCK}, ${CLOCK}, ${count + 2000}, ${CLOCK}, ${count}, 3000)`

/** Fills an empty database with the given number of tokens, by bulk inserts. */
export async function seed(databaseUrl: string, count: number): Promise<void> {
  const { close } = await openDatabase({ databaseUrl, dataDir: '' })
  await close()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '256MB';
      set session_replication_role = replica; select setseed(0.5)`)
    await client.query(`select make_partitions(null, array[${CLOCK - CHARTED * 3_600}, ${CLOCK}])`)
    for (const [table, fill] of Object.entries({ tokens, token_figures: figures, token_metadata: metadata, candles })) {
      await withoutIndexes(client, table, () => client.query(fill(count)))
    }
    for (const fill of [contractIds, counts, profiles, platform, chainState]) await client.query(fill(count))
    await client.query('vacuum analyze')
    await client.query('checkpoint').catch(() => {})
  } finally {
    await client.end()
  }
}
