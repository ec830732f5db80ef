// The files of a Ponder project that stores the same trades, written as Ponder's documentation recommends: one insert per
// handler, which Ponder batches into COPY; no secondary indexes, no aggregates, no other contract.
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import type { FilledChain } from './fill.ts'

const PONDER_VERSION = '0.16.10'
export const PONDER_PACKAGES = [`ponder@${PONDER_VERSION}`, 'viem@2.57.1', 'hono']

export function writePonderProject(
  rpcUrl: string,
  { chainId, deployment }: FilledChain,
  databaseUrl: string | null,
): Map<string, string> {
  const abi = launchpadAbi.filter((item) => item.type === 'event')
  const database = databaseUrl === null ? { kind: 'pglite' } : { kind: 'postgres', connectionString: databaseUrl }
  return new Map([
    [
      'ponder.config.ts',
      `import { createConfig } from 'ponder'

export default createConfig({
  database: ${JSON.stringify(database)},
  chains: { bench: { id: ${chainId}, rpc: ${JSON.stringify(rpcUrl)} } },
  contracts: {
    Launchpad: {
      chain: 'bench',
      abi: ${JSON.stringify(abi)} as const,
      address: '${deployment.launchpad}',
      startBlock: ${deployment.startBlock},
    },
  },
})
`,
    ],
    [
      'ponder.schema.ts',
      `import { onchainTable, primaryKey } from 'ponder'

export const trade = onchainTable(
  'trade',
  (t) => ({
    blockNumber: t.bigint().notNull(),
    logIndex: t.integer().notNull(),
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
    realQuote: t.bigint().notNull(),
    realToken: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.blockNumber, table.logIndex] }) }),
)
`,
    ],
    [
      'src/index.ts',
      `import { ponder } from 'ponder:registry'
import { trade } from 'ponder:schema'
${writeHandler('CurveBuy', 'buy', 'args.tokenOut', 'args.quoteIn')}${writeHandler('CurveSell', 'sell', 'args.tokenIn', 'args.quoteOut')}`,
    ],
    ['src/api/index.ts', `import { Hono } from 'hono'\n\nexport default new Hono()\n`],
    ['package.json', `${JSON.stringify({ private: true, type: 'module' })}\n`],
  ])
}

function writeHandler(event: string, side: string, tokenAmount: string, quoteAmount: string): string {
  return `
ponder.on('Launchpad:${event}', async ({ event, context }) => {
  const { args, block, log, transaction } = event
  await context.db.insert(trade).values({
    blockNumber: block.number,
    logIndex: log.logIndex,
    blockTime: block.timestamp,
    txHash: transaction.hash,
    token: args.token,
    trader: args.trader,
    recipient: args.recipient,
    side: '${side}',
    tokenAmount: ${tokenAmount},
    quoteAmount: ${quoteAmount},
    protocolFee: args.protocolFee,
    creatorFee: args.creatorFee,
    virtualQuote: args.virtualQuote,
    virtualToken: args.virtualToken,
    realQuote: args.realQuote,
    realToken: args.realToken,
  })
})
`
}
