import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createScratchDatabase } from './databases.ts'
import { type FilledChain, type Shape, startFilledChain } from './fill.ts'
import { serveRecording } from './node.ts'
import { installPonder, measurePonder } from './ponder.ts'
import { printSizes } from './print-sizes.ts'
import { loadRecording, type Recording, record, saveRecording } from './recording.ts'
import { printPonder, printRatio, printSlipway, type Target } from './report.ts'
import type { Job, Measured } from './slipway.ts'

interface Values {
  trades: number
  blocks: number
  tokens: number | undefined
  traders: number | undefined
  shape: keyof typeof SHAPES
  runs: number
  'database-url': string
  only: Target | undefined
  vs: 'ponder' | undefined
  pglite: boolean
  anvil: boolean
  reuse: boolean
  sizes: boolean
  statements: boolean
  profile: string | undefined
}

const SHAPES = {
  dense: { tokens: 40, traders: 600, popularBps: 0 },
  'long-tail': { tokens: 10_000, traders: 20_000, popularBps: 8_000 },
} satisfies Record<string, Pick<Shape, 'tokens' | 'traders' | 'popularBps'>>

export async function measureBackfills(values: Values): Promise<void> {
  const preset = SHAPES[values.shape]
  const shape: Shape = {
    trades: values.trades,
    blocks: values.blocks,
    tokens: values.tokens ?? preset.tokens,
    traders: values.traders ?? preset.traders,
    popularBps: preset.popularBps,
  }
  const kept = join(tmpdir(), 'slipway-bench')
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
  try {
    const node = await openChain(shape, kept, values)
    try {
      await compare(node, kept, scratch, values)
    } finally {
      await node.close()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

interface OpenChain {
  url: string
  filled: FilledChain
  close(): Promise<void>
}

async function openChain(shape: Shape, kept: string, values: Values): Promise<OpenChain> {
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
async function compare(node: OpenChain, kept: string, scratch: string, values: Values): Promise<void> {
  const targets = (['postgres', 'pglite'] as const).filter((target) => !values.only || values.only === target)
  const peerTargets: Target[] = values.vs ? targets.filter((target) => target === 'postgres' || values.pglite) : []
  const installed = join(values.reuse ? kept : scratch, 'ponder')
  if (peerTargets.length > 0) {
    console.log('Installing Ponder')
    await installPonder(installed)
  }
  const runs = values.runs
  for (const target of targets) {
    const ours: Measured[] = []
    const theirs: Awaited<ReturnType<typeof measurePonder>>[] = []
    for (let run = 1; run <= runs; run++) {
      await withDatabase(target, values, async (databaseUrl) => {
        const dataDir = mkdtempSync(join(scratch, 'data-'))
        ours.push(await runSlipway({ rpcUrl: node.url, filled: node.filled, databaseUrl, dataDir }, values.profile))
        rmSync(dataDir, { recursive: true, force: true })
        if (values.sizes && databaseUrl !== null) await printSizes(databaseUrl)
      })
      printSlipway(target, ours.at(-1)!, values.statements)
      if (!peerTargets.includes(target)) continue
      await withDatabase(target, values, async (databaseUrl) => {
        theirs.push(await measurePonder(installed, node.url, node.filled, databaseUrl))
      })
      printPonder(target, theirs.at(-1)!)
    }
    printRatio(target, node.filled, ours, theirs)
  }
}

async function withDatabase(target: Target, values: Values, use: (url: string | null) => Promise<void>): Promise<void> {
  if (target === 'pglite') return use(null)
  const database = await createScratchDatabase(values['database-url'], `slipway_bench_${process.pid}`)
  try {
    await use(database.url)
  } finally {
    await database.drop()
  }
}

/** In a separate process, so that it starts cold like the peer. */
async function runSlipway(job: Job, profile: string | undefined): Promise<Measured> {
  const script = fileURLToPath(new URL('./slipway.ts', import.meta.url))
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []
  const child = spawn(process.execPath, [...profiling, script, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The indexer's process ended with code ${code}`)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Measured
}
