/*
 * Compares the database with the chain. See audit/audit.ts.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AuditSummary, audit, NotSettledError } from '../audit/audit.ts'
import { Chain } from '../chain/client.ts'
import { isUnanswered } from '../chain/node-failure.ts'
import { type Config, loadConfig } from '../config.ts'
import { openReadOnly } from '../db/open-existing.ts'
import { resolveContracts } from '../indexer/engine/contracts.ts'

const HELP = `Usage: npm run audit -- [--wait <seconds>] [--quiet]

Compares everything that was derived from the chain with the chain, at the block that the indexer has reached: the stored logs
with the node's, balances, supplies, reserves, fees, stakes and raises with the contracts' state, candles and every other figure with a
second computation. Prints each difference. It starts no indexer, migrates nothing and writes nothing: one read-only transaction,
for which a role that may only select is enough. The indexer may go on meanwhile.

  --wait <seconds>   how long to wait while the indexer is between two branches, or behind a receipt; default 30
  --quiet            print differences only

Configured by the same variables as the service: DATABASE_URL or DATA_DIR, RPC_URL, CHAIN_ID, DEPLOYMENTS. An embedded database
belongs to one process: stop the service first. The node has to serve the state of the indexer's block.

Exit codes: 0 no difference, 1 differences, 2 could not run.`

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
  if (!(seconds >= 0)) throw new Error(`--wait wants a number of seconds, and got ${values.wait}`)
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

/** The nodes of RPC_URL; without any, the embedded chain as the service has left it. */
async function openNode(config: Config): Promise<Node> {
  if (config.rpcUrls.length > 0) return { ...config, close: async () => {} }
  if (!existsSync(join(config.dataDir, 'chain', 'state.gz'))) {
    throw new Error(`There is no chain in ${config.dataDir}. Set RPC_URL, or DATA_DIR to the folder of the service.`)
  }
  const { openEmbeddedChain } = await import('../dev/embedded-chain.ts')
  // A market that goes on would move what is audited.
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
  if (isUnanswered(error)) console.error('No node of RPC_URL answers.')
  else console.error(error instanceof Error ? error.message : error)
  return 2
}
