/*
 * Compares the database with the chain. See audit/audit.ts.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AuditSummary, audit, NotSettledError } from '../audit/audit.ts'
import { Chain } from '../chain/client.ts'
import { hasNoResponse } from '../chain/node-failure.ts'
import { type Config, loadConfig } from '../config.ts'
import { openReadOnly } from '../db/open-existing.ts'
import { resolveContracts } from '../indexer/engine/contracts.ts'

const HELP = `Usage: npm run audit -- [--wait <seconds>] [--quiet]

Compares all chain-derived data with the chain, at the indexer's checkpoint: the stored logs with the node's logs; balances,
supplies, reserves, fees, stakes and raises with the contracts' state; candles and all other figures with an independent
computation. Prints each difference. It starts no indexer, migrates nothing and writes nothing: it uses one read-only transaction,
for which a role with select privileges is enough. The indexer can run meanwhile.

  --wait <seconds>   maximum time to wait during a reorg, or until the indexer has reached all synced receipts; default 30
  --quiet            print differences only

Environment: DATABASE_URL or DATA_DIR, RPC_URL, CHAIN_ID and DEPLOYMENTS, as for the service. An embedded database belongs to one
process: stop the service first. The node must have the state of the checkpoint's block.

Exit codes: 0 no difference, 1 differences, 2 the audit could not run.`

const RETRY_MS = 500

process.exitCode = await main().catch(fail)

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      wait: { type: 'string', default: '30' },
      quiet: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const seconds = Number(values.wait)
  if (!(seconds >= 0)) throw new Error(`--wait is ${values.wait}; expected a number of seconds`)
  const config = loadConfig(process.env)
  const database = await openReadOnly(config)
  const node = await openNode(config).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  try {
    const chain = new Chain(node.rpcUrls)
    await requireChain(chain, config.chainId)
    const contracts = await resolveContracts(chain, node)
    const { db } = database
    const print = values.quiet ? () => {} : (line: string) => console.log(line)
    const options = { db, chain, contracts, onDifference: (line: string) => console.log(line), onProgress: print }
    const summary = await auditWhenSettled(() => audit(options), Date.now() + seconds * 1_000)
    const { block, tokens, logs, compared, differences } = summary
    print(`Block ${block}: ${tokens} tokens, ${logs} logs, ${compared} comparisons, ${differences} differences`)
    return differences === 0 ? 0 : 1
  } finally {
    await database.close()
    await node.close()
  }
}

interface Node extends Pick<Config, 'rpcUrls' | 'deployments'> {
  close(): Promise<void>
}

/** The nodes of RPC_URL; without RPC_URL, the embedded chain in DATA_DIR. */
async function openNode(config: Config): Promise<Node> {
  if (config.rpcUrls.length > 0) return { ...config, close: async () => {} }
  if (!existsSync(join(config.dataDir, 'chain', 'state.gz'))) {
    throw new Error(
      `RPC_URL is not set, and ${config.dataDir} has no embedded chain. Set RPC_URL, or set DATA_DIR to the service's folder.`,
    )
  }
  const { openEmbeddedChain } = await import('../dev/embedded-chain.ts')
  // A running market would change the audited state.
  return openEmbeddedChain({ ...config, market: false }, { info: () => {}, warn: () => {} })
}

async function requireChain(chain: Chain, chainId: number): Promise<void> {
  const actual = await chain.getChainId()
  if (actual !== chainId) throw new Error(`CHAIN_ID is ${chainId}, but the node of RPC_URL is on chain ${actual}`)
}

async function auditWhenSettled(run: () => Promise<AuditSummary>, deadline: number): Promise<AuditSummary> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof NotSettledError) || Date.now() >= deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function fail(error: unknown): number {
  if (hasNoResponse(error))
    console.error('No node of RPC_URL responds. Check RPC_URL and the nodes, then run this again.')
  else console.error(error instanceof Error ? error.message : error)
  return 2
}
