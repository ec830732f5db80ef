/*
 * Compares the database with the chain. See indexer/audit/audit.ts.
 */
import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import { isNodeUnreachable } from '../chain/client.ts'
import { loadConfig } from '../config.ts'
import { type AuditSummary, audit, NotSettledError } from '../indexer/audit/audit.ts'
import { resolveContracts } from '../indexer/contracts.ts'
import { openServices } from '../services.ts'

const HELP = `Usage: npm run audit -- [--wait <seconds>] [--quiet]

Compares everything that was derived from the chain with the chain, at the block that the indexer has reached: the stored logs
with the node's, balances, supplies, reserves, fees, stakes and raises with the contracts' state, candles and every other figure with a
second computation. Prints each difference. Writes nothing; the indexer may go on meanwhile.

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
  // The cache holds nothing that is audited, and a market that goes on would move what is.
  const config = { ...loadConfig(process.env), redisUrl: null, market: false }
  const services = await openServices(config, Fastify({ logger: { level: 'silent' } }).log)
  try {
    const { chain, db } = services
    const contracts = await resolveContracts(chain, services.config)
    const print = values.quiet ? () => {} : (line: string) => console.log(line)
    const options = { db, chain, contracts, onDifference: (line: string) => console.log(line), onProgress: print }
    const summary = await auditWhenSettled(() => audit(options), Date.now() + seconds * 1_000)
    const { block, tokens, logs, compared, differences } = summary
    print(`Block ${block}: ${tokens} tokens, ${logs} logs, ${compared} comparisons, ${differences} differences`)
    return differences === 0 ? 0 : 1
  } finally {
    await services.close()
  }
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
  if (isNodeUnreachable(error)) console.error('No node of RPC_URL answers.')
  else console.error(error instanceof Error ? error.message : error)
  return 2
}
