// Measures a backfill of a dense chain: node bench/indexer.ts --help
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createScratchDatabase } from './indexer/databases.ts'
import { type FilledChain, type Shape, startFilledChain } from './indexer/fill.ts'
import { serveRecording } from './indexer/node.ts'
import { installPonder, measurePonder } from './indexer/ponder.ts'
import { printSizes } from './indexer/print-sizes.ts'
import { loadRecording, type Recording, record, saveRecording } from './indexer/recording.ts'
import { printPonder, printRatio, printSlipway, type Target } from './indexer/report.ts'
import type { Job, Measured } from './indexer/slipway.ts'

const DEFAULT_DATABASE_URL = 'postgres://postgres@127.0.0.1:5432/postgres'

const { values } = parseArgs({
  options: {
    trades: { type: 'string', default: '150000' },
    blocks: { type: 'string', default: '60' },
    tokens: { type: 'string' },
    traders: { type: 'string' },
    shape: { type: 'string', default: 'dense' },
    runs: { type: 'string', default: '1' },
    'database-url': { type: 'string', default: DEFAULT_DATABASE_URL },
    only: { type: 'string' },
    vs: { type: 'string' },
    pglite: { type: 'boolean', default: false },
    anvil: { type: 'boolean', default: false },
    reuse: { type: 'boolean', default: false },
    sizes: { type: 'boolean', default: false },
    statements: { type: 'boolean', default: false },
    profile: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const SHAPES: Record<string, Pick<Shape, 'tokens' | 'traders' | 'popularBps'>> = {
  dense: { tokens: 40, traders: 600, popularBps: 0 },
  'long-tail': { tokens: 10_000, traders: 20_000, popularBps: 8_000 },
}

const HELP = `Usage: node bench/indexer.ts [options]

Fills a chain with trades, backfills it into PostgreSQL and into PGlite, and prints trades per second.

  --trades N          trades on the chain                          (150000)
  --blocks N          blocks of these trades                       (60)
  --shape SHAPE       dense: every wallet trades every token alike; long-tail: four fifths of the trades are of a hundredth
                      of the wallets, and on a hundredth of the tokens; most others have one to three (dense)
  --tokens N          traded tokens                                (dense 40, long-tail 10000)
  --traders N         trading wallets                              (dense 600, long-tail 20000)
  --runs N            runs per target; prints medians              (1)
  --database-url URL  a PostgreSQL server, on which the benchmark creates and drops a database
                      (${DEFAULT_DATABASE_URL})
  --only TARGET       postgres or pglite: only that database
  --vs ponder         also index the chain into PostgreSQL with Ponder 0.16.10, installed from npm into a temporary folder
  --pglite            with --vs: also run Ponder on PGlite
  --anvil             serve the chain by anvil, which limits both indexers to about 25,000 logs a second. By default a
                      recording of the chain is served from memory
  --reuse             keep the recorded chain and Ponder's installation in the temporary folder, and reuse them
  --sizes             print the bytes per row of each table in PostgreSQL
  --statements        print the time of each SQL statement, with its wait for those sent before it
  --profile DIR       write a CPU profile of each Slipway run
  --help              this text`

if (values.help) console.log(HELP)
else await main()

async function main(): Promise<void> {
  if (values.vs !== undefined && values.vs !== 'ponder') throw new Error(`--vs is ${values.vs}; expected ponder`)
  if (values.only !== undefined && values.only !== 'postgres' && values.only !== 'pglite') {
    throw new Error(`--only is ${values.only}; expected postgres or pglite`)
  }
  const preset = SHAPES[values.shape]
  if (!preset) throw new Error(`--shape is ${values.shape}; expected ${Object.keys(SHAPES).join(' or ')}`)
  const shape: Shape = {
    trades: parseCount('trades'),
    blocks: parseCount('blocks'),
    tokens: values.tokens === undefined ? preset.tokens : parseCount('tokens'),
    traders: values.traders === undefined ? preset.traders : parseCount('traders'),
    popularBps: preset.popularBps,
  }
  const kept = join(tmpdir(), 'slipway-bench')
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
  try {
    const node = await openChain(shape, kept)
    try {
      await compare(node, kept, scratch)
    } finally {
      await node.close()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function parseCount(name: 'trades' | 'blocks' | 'tokens' | 'traders' | 'runs'): number {
  const count = Number(values[name])
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`--${name} is ${values[name]}; expected an integer from 1`)
  return count
}

interface OpenChain {
  url: string
  filled: FilledChain
  close(): Promise<void>
}

async function openChain(shape: Shape, kept: string): Promise<OpenChain> {
  const path = join(kept, `chain-${Object.values(shape).join('-')}.zst`)
  const known = values.reuse && !values.anvil ? loadRecording(path) : undefined
  if (known) {
    console.log(`Chain of ${known.filled.trades} trades, as kept in ${path}`)
    return { ...(await serveRecording(known)), filled: known.filled }
  }
  console.log(`Filling a chain with ${shape.trades} trades in ${shape.blocks} blocks`)
  const { anvil, filled } = await startFilledChain(shape, console.log)
  if (values.anvil) return { url: anvil.url, filled, close: () => anvil.stop() }
  let recording: Recording
  try {
    console.log('Recording it')
    recording = await record(anvil.url, filled)
  } finally {
    anvil.kill()
  }
  if (values.reuse) {
    mkdirSync(kept, { recursive: true })
    saveRecording(path, recording)
  }
  return { ...(await serveRecording(recording)), filled }
}

/** Runs of Slipway and of the peer alternate, so that other load affects both. */
async function compare(node: OpenChain, kept: string, scratch: string): Promise<void> {
  const targets = (['postgres', 'pglite'] as const).filter((target) => !values.only || values.only === target)
  const peerTargets: Target[] = values.vs ? targets.filter((target) => target === 'postgres' || values.pglite) : []
  const installed = join(values.reuse ? kept : scratch, 'ponder')
  if (peerTargets.length > 0) {
    console.log('Installing Ponder')
    await installPonder(installed)
  }
  const runs = parseCount('runs')
  for (const target of targets) {
    const ours: Measured[] = []
    const theirs: Awaited<ReturnType<typeof measurePonder>>[] = []
    for (let run = 1; run <= runs; run++) {
      await withDatabase(target, async (databaseUrl) => {
        const dataDir = mkdtempSync(join(scratch, 'data-'))
        ours.push(await runSlipway({ rpcUrl: node.url, filled: node.filled, databaseUrl, dataDir }))
        rmSync(dataDir, { recursive: true, force: true })
        if (values.sizes && databaseUrl !== null) await printSizes(databaseUrl)
      })
      printSlipway(target, ours.at(-1)!, values.statements)
      if (!peerTargets.includes(target)) continue
      await withDatabase(target, async (databaseUrl) => {
        theirs.push(await measurePonder(installed, node.url, node.filled, databaseUrl))
      })
      printPonder(target, theirs.at(-1)!)
    }
    printRatio(target, node.filled, ours, theirs)
  }
}

async function withDatabase(target: Target, use: (url: string | null) => Promise<void>): Promise<void> {
  if (target === 'pglite') return use(null)
  const database = await createScratchDatabase(values['database-url'], `slipway_bench_${process.pid}`)
  try {
    await use(database.url)
  } finally {
    await database.drop()
  }
}

/** In a separate process, so that it starts cold like the peer. */
async function runSlipway(job: Job): Promise<Measured> {
  const script = fileURLToPath(new URL('./indexer/slipway.ts', import.meta.url))
  const profiling = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : []
  const child = spawn(process.execPath, [...profiling, script, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The indexer's process ended with code ${code}`)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Measured
}
