/*
 * Fetches indexed blocks again and applies what is missing. See indexer/engine/repair.ts.
 */
import { parseArgs } from 'node:util'
import { Chain } from '../chain/client.ts'
import { isNodeFailure } from '../chain/node-failure.ts'
import { loadConfig } from '../config.ts'
import { openExisting } from '../db/open-existing.ts'
import { prepareChainState, resolveContracts } from '../indexer/engine/contracts.ts'
import { type Repaired, repair } from '../indexer/engine/repair.ts'

const HELP = `Usage: npm run repair -- [--from <block>] [--to <block>] [--dry-run]

Fetches blocks that are indexed already from the node again, one by one and proven by their receipts, applies the logs that are
missing, and fills USD prices that are null. Logs that are there count once. A running service may go on: both take the same lock.
If a launch was missed, or a price filled, all derived tables are built again from the stored logs, as npm run reindex does.

  --from <block>   first block; default the first that can hold an event
  --to <block>     last block; default the indexer's checkpoint. It goes on to the checkpoint if it finds a contract that was
                   not known, since that one's later logs are missing as well
  --dry-run        counts what is missing and writes nothing

Configured by the same variables as the service: RPC_URL, CHAIN_ID, DEPLOYMENTS, DATABASE_URL or DATA_DIR. An embedded database
belongs to one process: stop the service first.

Exit codes: 0 nothing is missing any more, 1 something is missing (--dry-run), 2 could not run.`

const PROGRESS_MS = 1_000

process.exitCode = await main().catch(fail)

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      from: { type: 'string' },
      to: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const [from, to] = [readHeight('--from', values.from), readHeight('--to', values.to)]
  const dryRun = values['dry-run']
  const config = loadConfig(process.env)
  if (config.rpcUrls.length === 0) throw new Error('RPC_URL is not set: there is no node to fetch the blocks from')
  // What is built again takes as long as the database is large.
  const database = await openExisting({ ...config, database: { ...config.database, indexerStatementMs: 0 } })
  try {
    const chain = new Chain(config.rpcUrls, { proofs: config.nodeProofs })
    const contracts = await resolveContracts(chain, config)
    await prepareChainState(database.indexer, chain, contracts, config)
    let printed = Date.now()
    const onProgress = (progress: Repaired) => {
      if (Date.now() - printed < PROGRESS_MS) return
      printed = Date.now()
      console.log(describe(progress))
    }
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    const done = await repair({ db: database.indexer, chain, contracts, dryRun, onProgress, ...range })
    console.log(describe(done))
    if (done.rebuilt) console.log('All derived tables were built again.')
    return dryRun && done.missingLogs + done.missingPrices > 0 ? 1 : 0
  } finally {
    await database.close()
  }
}

const describe = ({ block, to, missingLogs, missingPrices }: Repaired) =>
  `Block ${block} of ${to}: ${missingLogs} logs and ${missingPrices} prices were missing`

function readHeight(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw new Error(`${name} wants the number of a block, and got ${text}`)
  return Number(text)
}

function fail(error: unknown): number {
  if (isNodeFailure(error)) console.error('No node of RPC_URL answers.')
  else console.error(error instanceof Error ? error.message : error)
  return 2
}
