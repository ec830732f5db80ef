import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { zeroAddress } from 'viem'
import { newCurve, totalSupply } from '../../../chain/curve.ts'
import type { Db } from '../../../db/client.ts'
import { pipelineStatements } from '../../../db/postgres/pipeline.ts'
import { findTokens } from '../../../db/queries/tokens.ts'
import { storeLaunches } from '../../../indexer/market/store-launches.ts'
import { createTestDatabase } from '../../support/database.ts'
import { toFiguresRow } from '../../support/market-rows.ts'
import {
  LAUNCHPAD,
  simulateMarket,
  TARGET,
  timeOf,
  tokenAddress,
  transactionHash,
  walletAddress,
} from '../../support/market-simulation.ts'
import { readTokenId } from '../../support/readable-rows.ts'
import { createRandom } from '../../support/seeded-random.ts'

/* Whether an older launch has a token's symbol is a column that the indexer keeps. */
interface Launch {
  index: number
  symbol: string
  block: number
  log: number
}

const [model] = simulateMarket()

async function insert(db: Db, launches: readonly Launch[]): Promise<void> {
  const created = launches.map(({ index, symbol, block, log }) => ({
    ...{ kind: 'create' as const, launchpad: LAUNCHPAD, token: tokenAddress(index), creator: walletAddress(1) },
    ...{ quoteToken: zeroAddress, name: symbol, symbol, metadataUri: '', totalSupply, pool: null },
    curve: { ...newCurve(TARGET, 100, 50), saleSupply: 0n },
    ...{ firstPrice: { quote: 1n, token: 2n }, protocolFeeBps: 100, creatorFeeBps: 50 },
    ...{
      launchpadKind: 'slipway',
      venue: 'uniswap-v2',
      poolManager: null,
      poolNative: false,
      decimals: 18,
      quoteDecimals: 18,
      isNative: true,
      rateNative: null,
    },
    at: {
      blockNumber: block,
      logIndex: log,
      txHash: transactionHash(block, log),
      time: timeOf(block),
      nativeUsd: null,
    },
  }))
  await db
    .transaction()
    .execute((trx) =>
      pipelineStatements(trx, async (overlapping, statements) => storeLaunches(overlapping, statements, created)),
    )
}

/** Symbols that look alike, each after the first one of its list. */
const SPELLINGS: readonly (readonly [symbol: string, ...copies: string[]])[] = [
  [
    'PEPE',
    ...['pepe', 'PE PE', 'PE\u2003PE', 'ＰＥＰＥ', 'ｐｅｐｅ', '𝐏𝐄𝐏𝐄', 'Ⓟⓔⓟⓔ'],
    ...['PE\u200dPE', 'PE\u200cPE', 'PEPE\ufe0f', 'PEPE\u{e0101}', 'P\u00adEPE', 'PE\u034fPE', '\ufeffPEPE'],
    ...['PE\u3164PE', 'PE\uffa0PE', 'PE\u115fPE', 'PEPE\u180e', 'PEPE\u{e0020}', 'PEPE\u2800'],
    // Cyrillic, Greek, and a mixture.
    ...['\u0420\u0415\u0420\u0415', '\u0440\u0435\u0440\u0435', '\u03a1\u0395\u03a1\u0395', 'P\u0415p\u03b5'],
  ],
  ['Ärger', 'äRGER', 'A\u0308RGER', 'a\u200d\u0308rger'],
  ['STRAẞE', 'straße', 'STRASSE', 'ſtraſſe'],
  ['ΛΌΓΟΣ', 'λόγος', 'Λο\u0301γοσ'],
  ['BTC', '\u0412\u0422\u0421', '\u0432\u0442\u0441', '\u0392\u03a4C'],
  ['ЁЖ', 'ёж', 'E\u0308Ж'],
  ['❤️', '❤'],
  ['', '\u3164', '\u200d\u2060', '\u2800 '],
]
const plain = new Map(SPELLINGS.flatMap((alike) => alike.map((symbol) => [symbol, alike[0]])))
const isAlike = (one: string, other: string) => (plain.get(one) ?? one) === (plain.get(other) ?? other)

/** The addresses whose symbol an earlier one of these launches has. */
const listTaken = (launches: readonly Launch[]): string[] =>
  launches
    .filter((one) =>
      launches.some(
        (other) =>
          isAlike(other.symbol, one.symbol) &&
          (other.block < one.block || (other.block === one.block && other.log < one.log)),
      ),
    )
    .map(({ index }) => tokenAddress(index))
    .sort()

async function readTaken(db: Db): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from tokens where symbol_taken_before order by address collate "C"`.execute(db)
  return rows.map(({ address }) => address)
}

const launch = (index: number, symbol: string, block = index, log = 0): Launch => ({ index, symbol, block, log })

async function startEmpty(t: Test) {
  const { db } = await createTestDatabase(t)
  const expectTaken = async (launches: readonly Launch[], what: string) =>
    t.strictSame(await readTaken(db), listTaken(launches), what)
  return { db, expectTaken }
}

t.test('a symbol that looks like one of an older launch is taken', async (t) => {
  const { db, expectTaken } = await startEmpty(t)
  const launches = SPELLINGS.flat().map((symbol, index) => launch(index, symbol))
  await insert(db, launches)
  await expectTaken(launches, 'all but the first of each')
})

t.test('a symbol with other accents, letters or signs is not taken', async (t) => {
  const { db } = await startEmpty(t)
  const symbols = ['PEPE', 'PEPÉ', 'PEPE2', 'PEP3', 'PEPЕ́', '$PEPE', 'P_PE', 'PE⃝PE', 'PEPEІ', 'ЛОГОС', 'ΛΟΓΟΣ', '']
  await insert(
    db,
    symbols.map((symbol, index) => launch(index, symbol)),
  )
  t.strictSame(await readTaken(db), [tokenAddress(4)], 'with an É of a Cyrillic letter it is')
})

t.test('of launches in a block the first log has the symbol', async (t) => {
  const { db } = await startEmpty(t)
  await insert(db, [launch(1, 'ONE', 1, 1), launch(2, 'O\u3164NE', 1, 0)])
  t.strictSame(await readTaken(db), [tokenAddress(1)])
})

t.test('an older launch that is stored later marks the symbols of later launches as taken', async (t) => {
  const { db, expectTaken } = await startEmpty(t)
  const [first, second, third] = [launch(1, 'PEPE'), launch(2, 'pepe'), launch(3, 'PEPE\ufe0f')] as const
  await insert(db, [third])
  await expectTaken([third], 'alone')
  await insert(db, [second])
  await expectTaken([second, third], 'with an older one')
  await insert(db, [launch(9, 'TWO'), first])
  await expectTaken([first, second, third], 'with the oldest')
})

t.test('a launch that is removed frees its symbol', async (t) => {
  const { db, expectTaken } = await startEmpty(t)
  const launches = [launch(1, 'PEPE'), launch(2, 'ＰＥＰＥ'), launch(3, 'PE\u3164PE'), launch(4, 'TWO')] as const
  await insert(db, launches)
  await sql`delete from tokens where block_number >= 3`.execute(db)
  await expectTaken(launches.slice(0, 2), 'an undo removes the newest')
  await insert(db, [launch(3, 'pepe')])
  await expectTaken([...launches.slice(0, 2), launch(3, 'pepe')], 'another branch')
  await sql`delete from tokens where block_number >= 1`.execute(db)
  await insert(db, [launch(3, 'PE\u3164PE')])
  await expectTaken([launch(3, 'PE\u3164PE')], 'the branch has one copy alone')
  await insert(db, [launch(1, 'pepe')])
  await expectTaken([launch(1, 'pepe'), launch(3, 'PE\u3164PE')], 'an older launch is stored later')
})

t.test('hidden launches count, and token rows contain the flag', async (t) => {
  const { db } = await startEmpty(t)
  await insert(db, [launch(1, 'ONE'), launch(2, 'ONE')])
  await db
    .insertInto('token_figures')
    .values(
      await Promise.all(
        [1, 2].map(async (index) => ({
          ...toFiguresRow(model!),
          token_id: await readTokenId(db, tokenAddress(index)),
          pool: null,
          hidden: index === 1,
        })),
      ),
    )
    .execute()
  const rows = await findTokens(db, [1, 2].map(tokenAddress))
  t.strictSame(
    new Map(rows.map((row) => [row.address, [row.hidden, row.symbol_taken_before]])),
    new Map([
      [tokenAddress(1), [true, false]],
      [tokenAddress(2), [false, true]],
    ]),
  )
})

t.test('taken symbols match a model for launches in random order with reorgs', async (t) => {
  const { db, expectTaken } = await startEmpty(t)
  const pick = createRandom(42)
  const symbols = ['PEPE', 'pepe', 'PE\u200dPE', 'BTC', '\u0412\u0422\u0421', 'C']
  let stored: Launch[] = []
  for (let round = 0; round < 60; round++) {
    if (stored.length > 0 && pick(3) === 0) {
      const from = pick(40)
      await sql`delete from tokens where block_number >= ${from}`.execute(db)
      stored = stored.filter(({ block }) => block < from)
    }
    const added = Array.from({ length: 1 + pick(4) }, (_, at) =>
      launch(round * 4 + at, symbols[pick(symbols.length)] as string, pick(40), round * 4 + at),
    )
    await insert(db, added)
    stored.push(...added)
    await expectTaken(stored, `round ${round}`)
  }
})
