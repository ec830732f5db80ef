import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Address, createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { DEMO_ACCOUNTS, DEMO_MNEMONIC } from '../chain/demo-accounts.ts'
import type { Config, Demo, Deployment } from '../config/config.ts'
import { hashCreationCode } from '../contracts/deploy/creations.ts'
import type { Db, OpenDatabase } from '../db/client.ts'
import { lockFolder } from '../db/embedded/folder-lock.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { type DeployedContracts, deployContracts, findDeployedContracts } from './deploy.ts'
import { callNode } from './json-rpc.ts'
import { type ChainKeeper, keepChain } from './keep-chain.ts'
import { buildHistory } from './market/build-history.ts'
import { HISTORY_SECONDS } from './market/plan-history.ts'
import { nameAccounts, seedUsers } from './market/seed-users.ts'
import { mineWaiting } from './market/send.ts'
import { createMarket, type Logger, type Market } from './market.ts'
import { reconcileDatabase } from './reconcile-database.ts'
import {
  type Genesis,
  quarantineSavedChain,
  readGenesisBlocks,
  readSavedChain,
  recordGenesis,
  restoreChain,
  saveChain,
} from './saved-chain.ts'

export interface EmbeddedChain {
  rpcUrls: readonly string[]
  rpcSocketUrl: string
  deployments: readonly Deployment[]
  /** The accounts, with the names of the market's users. */
  demo: Demo
  /** null if disabled by the configuration. It trades after start(). */
  market: Market | null
  /** Creates the market's users once its tokens are indexed. Call the returned function before closing the database. */
  seedUsers(db: Db, operator: string | undefined): () => Promise<void>
  /**
   * Await it before writing chain data to the database: ensures that the database belongs to this chain, which is then
   * saved whenever it has changed.
   * @throws Error with instructions if it does not and must not be cleared
   */
  reconcileDatabase(database: OpenDatabase): Promise<void>
  /**
   * Stops the market, and waits until the last block is indexed. The saved chain has the state of that block alone, so `npm run
   * audit` could not compare an earlier one.
   */
  settle(db: Db): Promise<void>
  /** Resolves when the history is complete; until then, the chain is for reading only. Indexing need not wait for it. */
  completed: Promise<void>
  /** Stops the market, saves the chain and stops the node. */
  close(): Promise<void>
}

const SEED = 'slipway'
const SETTLE_MS = 3_000
const SETTLE_POLL_MS = 20
/** Time before the history, for the deployment. */
const DEPLOYMENT_SECONDS = 60
// Limits the states in memory; by default, anvil also writes thousands of them to disk.
const EXTRA_ARGS = ['--prune-history', '64', '--no-request-size-limit']

/**
 * Starts the development chain of DATA_DIR as a child process on a free port, for one process at a time. The first
 * start deploys the contracts and builds the market's history, which continues after this resolves. A chain with an
 * incomplete history is not saved.
 */
export async function openEmbeddedChain(
  config: Pick<Config, 'dataDir' | 'chainId' | 'market'>,
  log: Logger,
): Promise<EmbeddedChain> {
  const folder = join(config.dataDir, 'chain')
  const release = await lockFolder(folder, 'chain')
  const closing = new AbortController()
  let chain: OpenChain | undefined
  let keeper: ChainKeeper | undefined
  let market: Market | null = null
  const close = async () => {
    closing.abort()
    await market?.stop()
    await chain?.completed.catch(() => {})
    await keeper
      ?.stop()
      .catch((error: unknown) => log.warn({ err: error }, 'The embedded chain was not saved at the end'))
    await chain?.anvil.stop()
    await release()
  }
  try {
    chain = (await reopenChain(folder, config, log)) ?? (await createChain(folder, config, log, closing.signal))
    const { anvil, contracts, completed } = chain
    const { url } = anvil
    // Prevents an unhandled rejection before the caller awaits it.
    completed.catch(() => {})
    const accounts = await callNode<Address[]>(url, 'eth_accounts')
    const wallets = accounts.map((account) => account.toLowerCase() as Address)
    if (config.market) market = createMarket({ url, contracts, wallets, seed: SEED, log })
    return {
      rpcUrls: [url],
      rpcSocketUrl: anvil.wsUrl,
      deployments: listDeployments(contracts),
      demo: { mnemonic: DEMO_MNEMONIC, accounts: nameAccounts(wallets) },
      market,
      seedUsers: (db, operator) => {
        const stopping = new AbortController()
        const people = market ? seedUsers({ db, wallets, operator, log, signal: stopping.signal }) : undefined
        return async () => {
          stopping.abort()
          await people
        }
      },
      reconcileDatabase: async (database) => {
        completed.then(
          () => {
            keeper ??= keepChain({ url, folder, log })
          },
          () => {},
        )
        const former = await readGenesisBlocks(folder)
        await reconcileDatabase(database, { url, folder, genesisHashes: former.map(({ hash }) => hash) }, log)
      },
      settle: async (db) => {
        await market?.stop()
        await waitUntilIndexed(db, url)
      },
      completed,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Waits for some seconds at most, because an indexer that fails must not keep the process from stopping. */
async function waitUntilIndexed(db: Db, url: string): Promise<void> {
  const head = Number(await callNode<Hex>(url, 'eth_blockNumber'))
  const deadline = performance.now() + SETTLE_MS
  while (performance.now() < deadline) {
    const state = await db.selectFrom('chain_state').select('checkpoint_number').executeTakeFirst()
    if (!state || state.checkpoint_number >= head) return
    await pause(SETTLE_POLL_MS)
  }
}

type Settings = Parameters<typeof openEmbeddedChain>[0]

interface OpenChain {
  anvil: Anvil
  contracts: DeployedContracts
  /** Resolves when the history is complete. */
  completed: Promise<void>
}

/** undefined if there is no saved chain, or none that can be restored, which is then quarantined. */
async function reopenChain(folder: string, { chainId }: Settings, log: Logger): Promise<OpenChain | undefined> {
  const state = await readSavedChain(folder)
  if (!state) return undefined
  // Same genesis timestamp: anvil keeps its own genesis beside the restored one, and later confuses the two.
  const genesis = (await readGenesisBlocks(folder)).at(-1)
  const anvil = await startAnvil({
    chainId,
    accounts: DEMO_ACCOUNTS,
    extraArgs: EXTRA_ARGS,
    ...(genesis && { timestamp: genesis.time }),
  })
  try {
    await restoreChain(anvil.url, state)
    if (genesis && genesis.hash !== (await readGenesis(anvil.url)).hash)
      throw new Error('Its first block is another one')
    if (genesis?.contracts !== hashCreationCode()) throw new Error('Its contracts are those of another version')
    await setClock(anvil.url)
    const publicClient = createPublicClient({ transport: http(anvil.url) })
    const [deployer] = await callNode<[Address]>(anvil.url, 'eth_accounts')
    const contracts = await findDeployedContracts(publicClient, deployer)
    if (!contracts) throw new Error('There are no contracts on it')
    return { anvil, contracts, completed: Promise.resolve() }
  } catch (error) {
    await anvil.stop()
    const renamedTo = await quarantineSavedChain(folder)
    log.warn({ err: error, renamedTo }, 'The saved chain cannot be loaded; starting a new chain and database')
    return undefined
  }
}

async function createChain(
  folder: string,
  { chainId, market }: Settings,
  log: Logger,
  signal: AbortSignal,
): Promise<OpenChain> {
  const started = performance.now()
  const endTime = Math.floor(Date.now() / 1_000)
  const timestamp = market ? endTime - HISTORY_SECONDS - DEPLOYMENT_SECONDS : endTime
  const anvil = await startAnvil({
    chainId,
    accounts: DEMO_ACCOUNTS,
    timestamp,
    extraArgs: [...EXTRA_ARGS, '--no-mining'],
  })
  const { url } = anvil
  const complete = async (contracts: DeployedContracts) => {
    if (market) {
      const { tokens, trades, blocks } = await buildHistory({ url, contracts, seed: SEED, endTime }, signal)
      const milliseconds = Math.round(performance.now() - started)
      const figures = { tokens: tokens.length, trades, blocks: blocks.length }
      log.info({ ...figures, milliseconds }, 'Made a chain with a market of three days')
    }
    await setClock(url)
    await callNode(url, 'evm_setAutomine', [true])
    await saveChain(url, folder)
  }
  try {
    const transport = http(url)
    const publicClient = createPublicClient({ transport })
    const [account] = await callNode<[Address]>(url, 'eth_accounts')
    const walletClient = createWalletClient({ account, transport })
    const contracts = await deployContracts({ publicClient, walletClient }, { afterSending: () => mineWaiting(url) })
    // Recorded before indexing starts, so that the database can be matched to this chain after any crash.
    await recordGenesis(folder, { ...(await readGenesis(url)), contracts: hashCreationCode() })
    return { anvil, contracts, completed: complete(contracts) }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

/** The node's clock continues from its last block: set it to the current time. */
async function setClock(url: string): Promise<void> {
  await callNode(url, 'evm_setTime', [Math.floor(Date.now() / 1_000)])
}

async function readGenesis(url: string): Promise<Genesis> {
  const { hash, timestamp } = await callNode<{ hash: Hex; timestamp: Hex }>(url, 'eth_getBlockByNumber', ['0x0', false])
  return { hash, time: Number(timestamp) }
}

function listDeployments(found: DeployedContracts): Deployment[] {
  const startBlock = Number(found.startBlock)
  const kinds = {
    launchpad: found.launchpad,
    'price-feed': found.priceFeed,
    'wrapped-native': found.weth,
    'uniswap-factory': found.uniswapFactory,
    'uniswap-router': found.uniswapRouter,
    staking: found.feeStaking,
    raises: found.raises,
    'fee-splitter': found.feeSplitter,
  } as const
  return Object.entries(kinds).map(([kind, address]) => ({ kind: kind as Deployment['kind'], address, startBlock }))
}
