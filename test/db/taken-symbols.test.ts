import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { zeroAddress } from 'viem'
import { newCurve, totalSupply } from '../../chain/curve.ts'
import type { Db } from '../../db/client.ts'
import { pipelineStatements } from '../../db/postgres/pipeline.ts'
import { findTokens } from '../../db/queries/tokens.ts'
import { storeLaunches } from '../../indexer/market/store-launches.ts'
import { createTestDatabase } from '../support/database.ts'
import { toFiguresRow } from '../support/market-rows.ts'
import {
  LAUNCHPAD,
  simulateMarket,
  TARGET,
  timeOf,
  tokenAddress,
  transactionHash,
  walletAddress,
} from '../support/market-simulation.ts'
import { readTokenId } from '../support/readable-rows.ts'
import { createRandom } from '../support/seeded-random.ts'

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

/** The addresses whose symbol an earlier one of these launches has. */
const listTaken = (launches: readonly Launch[]): string[] =>
  launches
    .filter((one) =>
      launches.some(
        (other) =>
          other.symbol.toLowerCase() === one.symbol.toLowerCase() &&
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

t.test('a symbol that an older launch has in any letter case is taken, a similar one is not', async (t) => {
  const { db } = await startEmpty(t)
  const launches = [
    launch(1, 'Ärger'),
    launch(2, 'äRGER'),
    launch(3, 'Arger'),
    launch(4, 'Ärger '),
    launch(5, 'Ärger', 1, 1),
    launch(6, 'A_ger'),
  ]
  await insert(db, launches)
  t.strictSame(await readTaken(db), [2, 5].map(tokenAddress).sort())
})

t.test('an older launch that is stored later marks the symbols of later launches as taken', async (t) => {
  const { db, expectTaken } = await startEmpty(t)
  const [first, second, third] = [launch(1, 'ONE'), launch(2, 'one'), launch(3, 'One')] as const
  await insert(db, [third])
  await expectTaken([third], 'alone')
  await insert(db, [second])
  await expectTaken([second, third], 'with an older one')
  await insert(db, [launch(9, 'TWO'), first])
  await expectTaken([first, second, third], 'with the oldest')
})

t.test('a launch that is removed frees its symbol', async (t) => {
  const { db, expectTaken } = await startEmpty(t)
  const launches = [launch(1, 'ONE'), launch(2, 'one'), launch(3, 'One'), launch(4, 'TWO')] as const
  await insert(db, launches)
  await sql`delete from tokens where block_number >= 3`.execute(db)
  await expectTaken(launches.slice(0, 2), 'an undo removes the newest')
  await insert(db, [launch(3, 'ONE')])
  await expectTaken([...launches.slice(0, 2), launch(3, 'ONE')], 'another branch')
  await sql`delete from tokens`.execute(db)
  await insert(db, [launch(3, 'ONE')])
  await expectTaken([launch(3, 'ONE')], 'a rebuild removes all')
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
  const symbols = ['A', 'a', 'B', 'b', 'C']
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
