import { sql, type Transaction } from 'kysely'
import { enqueueEvents, toChangeEvent } from '../../../db/queries/outbox.ts'
import type { Database } from '../../../db/schema.ts'
import {
  creatorOf,
  HEAD,
  LAUNCHPAD,
  timeOf,
  tokenAddress,
  transactionHash,
  walletAddress,
} from '../market-simulation.ts'
import { insertCandles, insertTrades, type ReadableTrade } from '../readable-rows.ts'
import type { Random } from '../seeded-random.ts'

/*
 * Tokens with random figures, for tests that need many of them, and random changes as commits of the service make them. Few
 * distinct values, so that many tokens are equal in something.
 */

type Trx = Transaction<Database>

const UNIT = 10n ** 18n
const SUPPLY = 10n ** 27n
const PRICES = [1e-9, 1.2e-9, 1.5e-9, 3e-9]
const FIRST = 1_000
/** The height of all trades: only their times count. */
const TRADES_AT = HEAD + 1

const pick = <T>(random: Random, values: readonly T[]): T => values[random(values.length)]!
const addressOf = (id: number) => tokenAddress(id)
const amount = (random: Random) => (BigInt(random(20)) * UNIT) / 7n

function makeFigures(random: Random, id: number) {
  const status = pick(random, ['curve', 'curve', 'completed', 'graduated'] as const)
  const isGraduated = status === 'graduated'
  return {
    token_id: id,
    hidden: random(12) === 0,
    created_block: 10 + Math.floor(id / 3),
    created_log: id % 3,
    status,
    graduated_block: isGraduated ? 1_000 + id : null,
    graduated_log: isGraduated ? 1 : null,
    pool_quote: isGraduated && random(5) > 0 ? amount(random) : null,
    pool_token: isGraduated ? UNIT : null,
    real_quote: amount(random),
    progress: String(random(50) * 2),
    price: pick(random, PRICES),
    market_cap: amount(random),
    volume_h24: amount(random),
    volume_usd_h24: String(random(9) * 100),
    volume_usd_h1: String(random(5) * 20),
    buys_h1: random(3),
    sells_h1: random(3),
    buys_h24: random(9),
    sells_h24: random(9),
    traders_h24: random(6),
    trend: random(5) === 0 ? Number.NEGATIVE_INFINITY : random(30) / 3,
    holder_count: random(20),
    top10_balance: (SUPPLY * BigInt(random(10))) / 13n,
    creator_balance: (SUPPLY * BigInt(random(5))) / 17n,
    sniper_balance: (SUPPLY * BigInt(random(5))) / 19n,
    bundler_balance: (SUPPLY * BigInt(random(4))) / 17n,
    last_trade_at: timeOf(HEAD) - random(100_000),
  }
}

/** The chain's time as stored, from which candles are dated. */
async function readClock(trx: Trx): Promise<number> {
  return (await trx.selectFrom('chain_state').select('clock_time').executeTakeFirstOrThrow()).clock_time
}

/** Launches a token with random figures, metadata and candles; the last of these has the present price. */
async function addToken(trx: Trx, random: Random, id: number): Promise<void> {
  const clock = await readClock(trx)
  const figures = makeFigures(random, id)
  await trx
    .insertInto('tokens')
    .values({
      ...{
        id,
        address: addressOf(id),
        launchpad: LAUNCHPAD,
        creator: creatorOf(id),
        quote_token: `0x${'0'.repeat(40)}`,
      },
      ...{ name: `Token ${id}`, symbol: `T${id % 40}`, metadata_uri: `ipfs://${id}` },
      ...{ total_supply: random(40) === 0 ? 0n : SUPPLY, initial_virtual_quote: 1n, initial_virtual_token: 10n ** 9n },
      ...{ initial_real_token: UNIT, target_quote: UNIT, protocol_fee_bps: 100, creator_fee_bps: 50 },
      ...(random(3) === 0 && { launchpad_kind: 'nad-fun', venue: 'uniswap-v3' }),
      ...{ block_number: figures.created_block, log_index: figures.created_log },
      ...{ block_time: clock - random(200_000), tx_hash: transactionHash(figures.created_block, id) },
    })
    .execute()
  await sql`insert into token_ids (id, address, creation) values (${id}, ${addressOf(id)}, '\\x00')
    on conflict do nothing`.execute(trx)
  const times = Array.from({ length: random(5) }, () => clock - random(pick(random, [400, 30_000, 100_000]))).sort(
    (a, b) => a - b,
  )
  const candles = [...new Set(times.map((time) => time - (time % 60)))]
  await insertCandles(
    trx,
    candles.map((bucket, at) => candleOf(id, bucket, at === candles.length - 1 ? figures.price : pick(random, PRICES))),
  )
  await insertTrades(
    trx,
    candles.flatMap((bucket) => makeTrades(random, id, { bucket, until: bucket + 60 })),
  )
  const last = candles.at(-1)
  const lastTrade = last === undefined ? null : last + 59
  const price = lastTrade === null ? 1e-9 : figures.price
  await trx
    .insertInto('token_figures')
    .values({ ...figures, price, last_trade_at: lastTrade })
    .execute()
  if (random(2) === 0) await describe(trx, random, id)
}

const candleOf = (id: number, bucket: number, close: number) => ({
  ...{ token: addressOf(id), resolution: 60, bucket, open: close, high: close, low: close, close },
  ...{ open_block: 1, open_log: 0, close_block: 1, close_log: 0, volume: 1n },
  ...{ trades: 1 + ((bucket / 60) % 3), volume_usd: String((bucket / 60) % 5) },
})

/** Trades of a candle, as many as it has, before a time. */
const makeTrades = (
  random: Random,
  id: number,
  { bucket, until }: { bucket: number; until: number },
): ReadableTrade[] =>
  Array.from({ length: candleOf(id, bucket, 1).trades }, (_, at) => ({
    ...{ token: addressOf(id), block_number: TRADES_AT, log_index: (bucket % 10_000_000) * 10 + at },
    ...{ block_time: bucket + random(until - bucket), tx_hash: transactionHash(TRADES_AT, at) },
    ...{ trader: walletAddress(random(6)), recipient: walletAddress(0), side: pick(random, ['buy', 'sell'] as const) },
    ...{ venue: 'curve', price: 1, token_amount: '1', quote_amount: '1', protocol_fee: '0', creator_fee: '0' },
    ...{ virtual_quote: '1', virtual_token: '1' },
  }))

async function describe(trx: Trx, random: Random, id: number): Promise<void> {
  const link = (name: string) => (random(3) === 0 ? `https://${name}.example` : null)
  const values = { website: link('web'), twitter: link('x'), telegram: link('t'), discord: link('d') }
  const row = { ...values, featured: random(4) === 0 }
  await trx
    .insertInto('token_metadata')
    .values({ token_id: id, updated_by: creatorOf(id), ...row })
    .onConflict((conflict) => conflict.column('token_id').doUpdateSet(row))
    .execute()
}

/** Launches this many tokens. Returns their numbers. */
export async function addTokens(trx: Trx, random: Random, count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, (_, at) => FIRST + at)
  for (const id of ids) await addToken(trx, random, id)
  return ids
}

/** A commit that changes some of these tokens at random, moves the clock, and enqueues what it has changed. */
export async function changeAtRandom(trx: Trx, random: Random, ids: readonly number[]): Promise<void> {
  const changed = new Set<number>()
  const tags = new Set(['chain', 'market'])
  for (let left = random(6); left > 0; left--) {
    const id = pick(random, ids)
    const isLaunched = (await trx.selectFrom('tokens').select('id').where('id', '=', id).execute()).length > 0
    switch (isLaunched ? random(4) : 4) {
      case 0:
        await trade(trx, random, id)
        changed.add(id)
        break
      case 1:
        await describe(trx, random, id)
        tags.add(`token:${addressOf(id)}`)
        break
      case 2:
        await trx
          .updateTable('token_figures')
          .set({ hidden: random(2) === 0 })
          .where('token_id', '=', id)
          .execute()
        tags.add(`token:${addressOf(id)}`)
        break
      case 3:
        for (const table of ['token_figures', 'candles', 'trades'] as const)
          await trx.deleteFrom(table).where('token_id', '=', id).execute()
        await trx.deleteFrom('tokens').where('id', '=', id).execute()
        changed.add(id)
        break
      case 4:
        await addToken(trx, random, id)
        changed.add(id)
    }
  }
  await moveClock(trx, random)
  await enqueueEvents(trx, [toChangeEvent([...tags], [...changed])])
}

/** A trade now, which changes the figures and the last candle. */
async function trade(trx: Trx, random: Random, id: number): Promise<void> {
  const clock = await readClock(trx)
  const { token_id, created_block, created_log, ...figures } = makeFigures(random, id)
  const bucket = clock - (clock % 60)
  await trx.deleteFrom('candles').where('token_id', '=', id).where('bucket', '>=', bucket).execute()
  await trx.deleteFrom('trades').where('token_id', '=', id).where('block_time', '>=', bucket).execute()
  await insertCandles(trx, [candleOf(id, bucket, figures.price)])
  await insertTrades(trx, makeTrades(random, id, { bucket, until: clock + 1 }))
  await trx
    .updateTable('token_figures')
    .set({ ...figures, last_trade_at: clock })
    .where('token_id', '=', id)
    .execute()
}

/** Mostly forwards, by seconds or hours; a reorg moves it back. */
async function moveClock(trx: Trx, random: Random): Promise<void> {
  const seconds = pick(random, [0, 12, 61, 240, 3_540, 20_000, -1, -61, -3_600])
  const price = random(5) === 0 ? null : String(2_000 + random(3) * 500)
  await trx
    .updateTable('chain_state')
    .set({ clock_time: sql`clock_time + ${seconds}`, ...(random(4) === 0 && { quote_usd: price }) })
    .execute()
}
