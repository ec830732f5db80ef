// The files of a Ponder project that serves tokens with figures, trades and candles, with an index for each question.
import type { FilledChain } from '../indexer/fill.ts'
import { writePonderProject } from '../indexer/ponder-project.ts'

/** Seconds of a candle. */
const CANDLE_SECONDS = 60
/** Log indexes per block in the position of a trade. */
const POSITIONS = 1_000_000

export function writeReadsProject(rpcUrl: string, filled: FilledChain, databaseUrl: string): Map<string, string> {
  return new Map([
    ...writePonderProject(rpcUrl, filled, databaseUrl),
    ['ponder.schema.ts', SCHEMA],
    ['src/index.ts', HANDLERS],
    ['src/api/index.ts', API],
  ])
}

const SCHEMA = `import { index, onchainTable, primaryKey } from 'ponder'

export const token = onchainTable(
  'token',
  (t) => ({
    address: t.hex().primaryKey(),
    name: t.text().notNull(),
    symbol: t.text().notNull(),
    creator: t.hex().notNull(),
    createdAt: t.bigint().notNull(),
    virtualQuote: t.bigint().notNull(),
    virtualToken: t.bigint().notNull(),
    realQuote: t.bigint().notNull(),
    volume: t.bigint().notNull(),
    buys: t.integer().notNull(),
    sells: t.integer().notNull(),
    lastTradeAt: t.bigint(),
  }),
  (table) => ({ byVolume: index().on(table.volume) }),
)

export const trade = onchainTable(
  'trade',
  (t) => ({
    position: t.bigint().primaryKey(),
    blockTime: t.bigint().notNull(),
    txHash: t.hex().notNull(),
    token: t.hex().notNull(),
    trader: t.hex().notNull(),
    recipient: t.hex().notNull(),
    side: t.text().notNull(),
    tokenAmount: t.bigint().notNull(),
    quoteAmount: t.bigint().notNull(),
    protocolFee: t.bigint().notNull(),
    creatorFee: t.bigint().notNull(),
    virtualQuote: t.bigint().notNull(),
    virtualToken: t.bigint().notNull(),
  }),
  (table) => ({ ofToken: index().on(table.token, table.position) }),
)

export const candle = onchainTable(
  'candle',
  (t) => ({
    token: t.hex().notNull(),
    bucket: t.integer().notNull(),
    open: t.doublePrecision().notNull(),
    high: t.doublePrecision().notNull(),
    low: t.doublePrecision().notNull(),
    close: t.doublePrecision().notNull(),
    volume: t.bigint().notNull(),
    trades: t.integer().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.token, table.bucket] }) }),
)
`

const HANDLERS = `import { ponder } from 'ponder:registry'
import { candle, token, trade } from 'ponder:schema'

ponder.on('Launchpad:CurveCreate', async ({ event, context }) => {
  const { args, block } = event
  await context.db.insert(token).values({
    address: args.token,
    name: args.name,
    symbol: args.symbol,
    creator: args.creator,
    createdAt: block.timestamp,
    virtualQuote: args.virtualQuote,
    virtualToken: args.virtualToken,
    realQuote: 0n,
    volume: 0n,
    buys: 0,
    sells: 0,
  })
})

async function store({ event, context }, side, tokenAmount, quoteAmount) {
  const { args, block, log, transaction } = event
  const price = Number(args.virtualQuote) / Number(args.virtualToken)
  const bucket = Number(block.timestamp) - (Number(block.timestamp) % ${CANDLE_SECONDS})
  await context.db.insert(trade).values({
    position: block.number * ${POSITIONS}n + BigInt(log.logIndex),
    blockTime: block.timestamp,
    txHash: transaction.hash,
    token: args.token,
    trader: args.trader,
    recipient: args.recipient,
    side,
    tokenAmount,
    quoteAmount,
    protocolFee: args.protocolFee,
    creatorFee: args.creatorFee,
    virtualQuote: args.virtualQuote,
    virtualToken: args.virtualToken,
  })
  await context.db.update(token, { address: args.token }).set((row) => ({
    virtualQuote: args.virtualQuote,
    virtualToken: args.virtualToken,
    realQuote: args.realQuote,
    volume: row.volume + quoteAmount,
    buys: row.buys + (side === 'buy' ? 1 : 0),
    sells: row.sells + (side === 'sell' ? 1 : 0),
    lastTradeAt: block.timestamp,
  }))
  await context.db
    .insert(candle)
    .values({ token: args.token, bucket, open: price, high: price, low: price, close: price, volume: quoteAmount, trades: 1 })
    .onConflictDoUpdate((row) => ({
      high: Math.max(row.high, price),
      low: Math.min(row.low, price),
      close: price,
      volume: row.volume + quoteAmount,
      trades: row.trades + 1,
    }))
}

ponder.on('Launchpad:CurveBuy', (call) => store(call, 'buy', call.event.args.tokenOut, call.event.args.quoteIn))
ponder.on('Launchpad:CurveSell', (call) => store(call, 'sell', call.event.args.tokenIn, call.event.args.quoteOut))
`

const API = `import { Hono } from 'hono'
import { client, graphql } from 'ponder'
import { db } from 'ponder:api'
import schema from 'ponder:schema'

const app = new Hono()
app.use('/sql/*', client({ db, schema }))
app.use('/graphql', graphql({ db, schema }))

export default app
`
