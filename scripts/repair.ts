/*
 * Fetches indexed blocks again and applies missing logs. See indexer/engine/repair.ts.
 */
import { parseArgs } from 'node:util'
import { Chain } from '../chain/client.ts'
import { isNodeFailure } from '../chain/node-failure.ts'
import { loadConfig } from '../config.ts'
import { openExisting } from '../db/open-existing.ts'
import { areIndexed, connectContracts } from '../indexer/engine/contracts.ts'
import { type Repaired, repair } from '../indexer/engine/repair.ts'

const HELP = `Usage: npm run repair -- [--from <block>] [--to <block>] [--dry-run]

Fetches indexed blocks from the node again, one by one, proves them by their receipts, applies missing logs and fills missing USD
prices. Stored logs are not applied twice. The service can run meanwhile: both take the same lock. After a missed launch or a
filled price, all derived tables are rebuilt from the stored logs, as by npm run reindex.

  --from <block>   first block; default the first block of DEPLOYMENTS
  --to <block>     last block; default the indexer's checkpoint. If a missed contract is found, the repair continues to the
                   checkpoint, because the contract's later logs are missing as well
  --dry-run        count missing logs and prices, and write nothing

Environment: RPC_URL, CHAIN_ID, DEPLOYMENTS, and DATABASE_URL or DATA_DIR, as for the service. An embedded database belongs to one
process: stop the service first.

Exit codes: 0 complete, 1 logs or prices are missing (--dry-run), 2 the repair could not run.`

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
  if (config.rpcUrls.length === 0) throw new Error('RPC_URL is not set; expected the node to fetch the blocks from')
  // No statement timeout: a rebuild scales with the size of the database.
  const database = await openExisting({ ...config, database: { ...config.database, indexerStatementMs: 0 } })
  try {
    const chain = new Chain(config.rpcUrls, { proofs: config.nodeProofs })
    const contracts = await connectContracts(database.indexer, chain, config)()
    if (!(await areIndexed(database.indexer, contracts)))
      throw new Error('DEPLOYMENTS has contracts that are not indexed yet: start the service with it first')
    let printed = Date.now()
    const onProgress = (progress: Repaired) => {
      if (Date.now() - printed < PROGRESS_MS) return
      printed = Date.now()
      console.log(describe(progress))
    }
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    const done = await repair({ db: database.indexer, chain, contracts, dryRun, onProgress, ...range })
    console.log(describe(done))
    if (done.rebuilt) console.log('All derived tables were rebuilt.')
    return dryRun && done.missingLogs + done.missingPrices > 0 ? 1 : 0
  } finally {
    await database.close()
  }
}

const describe = ({ block, to, missingLogs, missingPrices }: Repaired) =>
  `Block ${block} of ${to}: ${missingLogs} logs and ${missingPrices} prices were missing`

function readHeight(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw new Error(`${name} is ${text}; expected a block number`)
  return Number(text)
}

function fail(error: unknown): number {
  if (isNodeFailure(error))
    console.error('No node of RPC_URL responds. Check RPC_URL and the nodes, then run this again.')
  else console.error(error instanceof Error ? error.message : error)
  return 2
}
