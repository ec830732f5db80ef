import { Chain } from '../../chain/rpc/client.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import { loadConfig } from '../../config/config.ts'
import { readChainIdentity } from '../../db/chain-identity.ts'
import { openExisting } from '../../db/open-existing.ts'
import { connectContracts } from '../../indexer/contracts.ts'
import { findIndexed } from '../../indexer/engine/contracts.ts'
import { type Repaired, repair } from '../../indexer/engine/repair.ts'
import { UsageError } from '../../lib/commands/options.ts'

const PROGRESS_MS = 1_000
const NO_NODE = 'No node of RPC_URL responds. Check RPC_URL and the nodes, then run this again.'

interface Values {
  from: number | undefined
  to: number | undefined
  'dry-run': boolean
}

/** Resolves to the exit code. */
export async function repairIndex({ from, to, 'dry-run': dryRun }: Values): Promise<number> {
  if (from !== undefined && to !== undefined && from > to)
    throw new UsageError(`--from is ${from}, which is above --to: ${to}`)
  const config = loadConfig(process.env)
  if (config.rpcUrls.length === 0) throw new Error('RPC_URL is not set; expected the node to fetch the blocks from')
  // No statement timeout: a rebuild scales with the size of the database.
  const database = await openExisting({ ...config, database: { ...config.database, indexerStatementMs: 0 } })
  const identity = await readChainIdentity(database.indexer, config.chainId)
  const chain = new Chain(config.rpcUrls, { proofs: config.nodeProofs, identity })
  try {
    const contracts = await findIndexed(database.indexer, await connectContracts(database.indexer, chain, config)())
    if (contracts === undefined)
      throw new Error('DEPLOYMENTS has contracts that are not indexed yet: start the service with it first')
    if (contracts.backfilling.size > 0)
      throw new Error(
        'The history of an added contract is being indexed, and would be taken for missing: let it end first',
      )
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
    return dryRun && done.missingLogs + done.forgedLogs + done.missingPrices > 0 ? 1 : 0
  } catch (error) {
    throw isNodeFailure(error) ? new Error(explainNodes(chain)) : error
  } finally {
    await database.close()
  }
}

/** A node of another chain responds, and is not used. */
function explainNodes({ nodes }: Chain): string {
  const isWrong = [...nodes.breakers.keys()].some((node) => nodes.identities?.findProblem(node) !== undefined)
  if (!isWrong) return NO_NODE
  return `No node of RPC_URL can be used: ${nodes.describeProblems().join('; ')}. Correct RPC_URL, CHAIN_ID or DATABASE_URL.`
}

const describe = ({ block, to, missingLogs, forgedLogs, missingPrices }: Repaired) =>
  `Block ${block} of ${to}: ${missingLogs} logs were missing, ${forgedLogs} forged, and ${missingPrices} prices missing or wrong`
