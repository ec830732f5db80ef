import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AuditSummary, audit, NotSettledError } from '../../audit/audit.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { hasNoResponse } from '../../chain/rpc/node-failure.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import type { Db } from '../../db/client.ts'
import { openReadOnly } from '../../db/open-existing.ts'
import { resolveContracts } from '../../indexer/contracts.ts'

const RETRY_MS = 500
const NO_NODE = 'No node of RPC_URL responds. Check RPC_URL and the nodes, then run this again.'

/** Resolves to the exit code. */
export async function auditIndex({ wait, quiet }: { wait: number; quiet: boolean }): Promise<number> {
  const config = loadConfig(process.env)
  const database = await openReadOnly(config)
  const node = await openNode(config).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  try {
    const chain = new Chain(node.rpcUrls)
    await requireChain(chain, config.chainId)
    await requireGenesis(chain, database.db)
    if (config.rpcUrls.length === 0) await requireLastBlock(chain, database.db)
    const contracts = await resolveContracts(chain, { ...node, quotes: config.quotes })
    const { db } = database
    const print = quiet ? () => {} : (line: string) => console.log(line)
    const options = { db, chain, contracts, onDifference: (line: string) => console.log(line), onProgress: print }
    const summary = await auditWhenSettled(() => audit(options), Date.now() + wait * 1_000)
    const { block, tokens, logs, compared, differences } = summary
    print(`Block ${block}: ${tokens} tokens, ${logs} logs, ${compared} comparisons, ${differences} differences`)
    return differences === 0 ? 0 : 1
  } catch (error) {
    throw hasNoResponse(error) ? new Error(NO_NODE) : error
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
  const { openEmbeddedChain } = await import('../../dev/embedded-chain.ts')
  // A running market would change the audited state.
  return openEmbeddedChain({ ...config, market: false }, { info: () => {}, warn: () => {} })
}

async function requireChain(chain: Chain, chainId: number): Promise<void> {
  const actual = await chain.getChainId()
  if (actual !== chainId) throw new Error(`CHAIN_ID is ${chainId}, but the node of RPC_URL is on chain ${actual}`)
}

/** Of another chain no block is ever the indexed one, however long the audit waits. */
async function requireGenesis(chain: Chain, db: Db): Promise<void> {
  const state = await db.selectFrom('chain_state').select('genesis_hash').executeTakeFirst()
  const genesis = await chain.getHeader(0)
  if (state && genesis && genesis.hash.toLowerCase() !== state.genesis_hash.toLowerCase())
    throw new Error(
      `The node of RPC_URL is on another chain than the database: its genesis is ${genesis.hash}, not ${state.genesis_hash}. ` +
        'Correct RPC_URL or DATABASE_URL',
    )
}

/** The saved embedded chain has the state of its last block alone. */
async function requireLastBlock(chain: Chain, db: Db): Promise<void> {
  const state = await db.selectFrom('chain_state').select('checkpoint_number').executeTakeFirst()
  const head = await chain.getHeader('latest')
  if (state && head && head.number > state.checkpoint_number)
    throw new Error(
      `The embedded chain has the state of its last block alone, which is ${head.number}, and the indexer has reached ` +
        `${state.checkpoint_number}. Start the service, wait until /health is well, and stop it by Ctrl+C or SIGTERM`,
    )
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
