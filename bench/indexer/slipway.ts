// Backfills a chain in a separate process: node bench/indexer/slipway.ts '<Job as JSON>'
// Prints its progress to stderr, and a Measured as one line of JSON to stdout.
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type pg from 'pg'
import { Chain, type LogFilter } from '../../chain/rpc/client.ts'
import type { NodeLogs } from '../../chain/rpc/packed-responses.ts'
import { loadConfig } from '../../config/config.ts'
import { openDatabase } from '../../db/client.ts'
import { markHeapInPauses } from '../../indexer/backfill/mark-heap-in-pauses.ts'
import { openBackfill } from '../../indexer/backfill/open-backfill.ts'
import { resolveContracts } from '../../indexer/contracts.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import type { FilledChain } from './fill.ts'

export interface Job {
  rpcUrl: string
  filled: FilledChain
  /** null: PGlite in dataDir. */
  databaseUrl: string | null
  dataDir: string
}

export interface Measured {
  trades: number
  /** Sum of the amounts of all trades, to compare the stored data. */
  quoteSum: string
  /** From the first request to the last commit, after the migration. */
  ms: number
  /** Time with at least one log request in flight. Most of it overlaps with the apply of the previous batch. */
  fetchMs: number
  /** Transactions, from begin to commit. */
  applyMs: number
  /** Time within transactions with a statement in flight. */
  sqlMs: number
  /** CPU time of this process, without the database's. */
  cpuMs: number
  /** The most memory that this process held, its database included if that is PGlite. */
  maxRssMb: number
  batches: number
  statements: { text: string; calls: number; ms: number }[]
}

/** Sums the time during which at least one of several operations is in flight. */
class BusyClock {
  ms = 0
  #running = 0
  #since = 0

  start(): void {
    if (this.#running++ === 0) this.#since = performance.now()
  }

  stop(): void {
    if (--this.#running === 0) this.ms += performance.now() - this.#since
  }
}

class TimedChain extends Chain {
  readonly clock = new BusyClock()

  override async getPackedLogs(filter: LogFilter, options?: { inWorker?: boolean }): Promise<NodeLogs> {
    this.clock.start()
    try {
      return await super.getPackedLogs(filter, options)
    } finally {
      this.clock.stop()
    }
  }
}

const job = JSON.parse(process.argv[2] ?? 'null') as Job | null
if (!job) throw new Error('This file is started by bench/indexer.ts')
console.log(JSON.stringify(await measure(job)))

async function measure({ rpcUrl, filled, databaseUrl, dataDir }: Job): Promise<Measured> {
  const { launchpad, priceFeed, weth, startBlock } = filled.deployment
  const config = loadConfig({
    RPC_URL: rpcUrl,
    CHAIN_ID: String(filled.chainId),
    DEPLOYMENTS: JSON.stringify([
      { kind: 'launchpad', address: launchpad, startBlock },
      { kind: 'price-feed', address: priceFeed, startBlock },
      { kind: 'wrapped-native', address: weth, startBlock },
    ]),
    DATA_DIR: dataDir,
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
  })
  const database = await openDatabase(config)
  try {
    const chain = new TimedChain(config.rpcUrls, { timeoutMs: 60_000 })
    const timings = timeStatements(database.pools.indexer ?? database.lease)
    const cpu = process.cpuUsage()
    const started = performance.now()
    const contracts = await resolveContracts(chain, config)
    await prepareChainState(database.db, chain, contracts, config)
    let batches = 0
    const { indexer: db } = database
    const onApplied = () => {
      batches += 1
    }
    const backfill = openBackfill({ db, chain, contracts, databaseKind: database.kind })
    const follower = new Follower({
      db,
      chain,
      contracts,
      finality: config.finality,
      backfill,
      onApplied,
      around: markHeapInPauses,
    })
    while ((await follower.step()) === 'again') {
      if (process.stderr.isTTY) process.stderr.write(`\r  ${batches} batches`)
    }
    const ms = performance.now() - started
    const used = process.cpuUsage(cpu)
    const { rows } = await database.lease.query<{ trades: number; quote: string }>(
      'select count(*) as trades, coalesce(sum(quote_amount), 0)::text as quote from trades',
    )
    return {
      trades: Number(rows[0]?.trades),
      quoteSum: rows[0]?.quote ?? '0',
      ms,
      fetchMs: chain.clock.ms,
      ...timings(),
      cpuMs: (used.user + used.system) / 1_000,
      maxRssMb: readPeakMb(),
      batches,
    }
  } finally {
    await database.close()
  }
}

/**
 * The most resident memory of this process so far, in MB. Linux counts maxRSS of resourceUsage from before exec, so it is at
 * least that of the process that started this one.
 */
function readPeakMb(): number {
  if (process.platform !== 'linux') return Math.round(process.resourceUsage().maxRSS / 1024)
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

/**
 * Measures every statement of a pool, grouped by its first words; each from when it is sent, so those sent before it are part of its
 * time. The returned function reads the totals.
 */
function timeStatements(pool: pg.Pool): () => Pick<Measured, 'applyMs' | 'sqlMs' | 'statements'> {
  const statements = new Map<string, { text: string; calls: number; ms: number }>()
  const seen = new WeakSet<pg.PoolClient>()
  let applyMs = 0
  const sql = new BusyClock()
  pool.on('acquire', (client) => {
    if (seen.has(client)) return
    seen.add(client)
    let begun: number | undefined
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown> | undefined
    const record = (text: string, started: number) => {
      const now = performance.now()
      const name = nameStatement(text)
      const entry = statements.get(name) ?? { text: name, calls: 0, ms: 0 }
      statements.set(name, { text: name, calls: entry.calls + 1, ms: entry.ms + now - started })
      if (begun === undefined) return
      sql.stop()
      if (text !== 'commit' && text !== 'rollback') return
      applyMs += now - begun
      begun = undefined
    }
    const timed = (...args: unknown[]) => {
      const text = readText(args[0])
      const started = performance.now()
      if (text === 'begin') begun = started
      if (begun !== undefined) sql.start()
      const callback = args.at(-1)
      if (typeof callback === 'function') {
        const recordAndCall = (...results: unknown[]) => {
          record(text, started)
          callback(...results)
        }
        return query(...args.slice(0, -1), recordAndCall)
      }
      const running = query(...args)
      void running?.finally(() => record(text, started)).catch(() => {})
      return running
    }
    Object.assign(client, { query: timed })
  })
  return () => ({ applyMs, sqlMs: sql.ms, statements: [...statements.values()].sort((a, b) => b.ms - a.ms) })
}

function readText(query: unknown): string {
  if (typeof query === 'string') return query
  const { text } = query as { text: string | { text: string } }
  return typeof text === 'string' ? text : text.text
}

function nameStatement(text: string): string {
  return text.trim().replace(/\s+/g, ' ').slice(0, 72)
}
