// Runs Ponder on the chain, as a peer.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import type { FilledChain } from './fill.ts'
import { PONDER_PACKAGES, writePonderProject } from './ponder-project.ts'

export interface PonderMeasured {
  trades: number
  quoteSum: string
  /** From its log line that starts the backfill to the one that completes it. */
  ms: number
  /** From process start until /ready returns 200. */
  totalMs: number
}

const SCHEMA = 'bench'
const TIMEOUT_MS = 600_000

/** Installs Ponder into a folder, below which its projects are created. */
export async function installPonder(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n')
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PONDER_PACKAGES]
  const npm = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(npm, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`npm install of ${PONDER_PACKAGES.join(' ')} ended with code ${code}`)
}

export interface RunningPonder {
  project: string
  ms: number
  totalMs: number
  pid: number | undefined
  stop(): Promise<void>
}

/** Writes a project, starts Ponder and waits until its backfill is complete. */
export async function startPonder(
  installed: string,
  files: ReadonlyMap<string, string>,
  port = 0,
): Promise<RunningPonder> {
  const project = join(installed, 'project')
  rmSync(project, { recursive: true, force: true })
  for (const [path, text] of files) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  symlinkSync(join(installed, 'node_modules'), join(project, 'node_modules'), 'junction')
  const started = performance.now()
  const args = [join(installed, 'node_modules/ponder/dist/esm/bin/ponder.js')]
  args.push('start', '--schema', SCHEMA, '--port', String(port), '--log-format', 'json')
  const env = { PATH: process.env.PATH, HOME: project, NODE_ENV: 'production', PONDER_TELEMETRY_DISABLED: 'true' }
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const { startedAt, completedAt, readyAt } = await followLog(child)
    return { project, ms: completedAt - startedAt, totalMs: readyAt - started, pid: child.pid, stop: () => stop(child) }
  } catch (error) {
    await stop(child)
    throw error
  }
}

/** Backfills the chain. databaseUrl null: into PGlite, Ponder's default. */
export async function measurePonder(
  installed: string,
  rpcUrl: string,
  filled: FilledChain,
  databaseUrl: string | null,
): Promise<PonderMeasured> {
  const { project, ms, totalMs, stop } = await startPonder(installed, writePonderProject(rpcUrl, filled, databaseUrl))
  await stop()
  return { ...(await countTrades(installed, project, databaseUrl)), ms, totalMs }
}

/** Times are parsed from Ponder's log; polling /ready would add load. */
async function followLog(child: ChildProcess) {
  let startedAt = 0
  let completedAt = 0
  const recent: string[] = []
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  const lines = createInterface({ input: child.stdout! })
  child.stderr!.on('data', (chunk: Buffer) => recent.push(chunk.toString()))
  try {
    for await (const line of lines) {
      recent.push(line)
      if (recent.length > 20) recent.shift()
      if (line.includes('"Started backfill indexing"')) startedAt ||= performance.now()
      if (line.includes('"Completed backfill indexing')) completedAt = performance.now()
      if (line.includes('"endpoint":"/ready"')) {
        if (!startedAt || !completedAt) break
        lines.close()
        child.stdout!.resume()
        return { startedAt, completedAt, readyAt: performance.now() }
      }
    }
  } finally {
    clearTimeout(timer)
  }
  throw new Error(`Ponder did not complete its backfill:\n${recent.join('\n')}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await exited
  clearTimeout(force)
}

async function countTrades(installed: string, project: string, databaseUrl: string | null) {
  const query = `select count(*)::int as trades, coalesce(sum(quote_amount), 0)::text as quote from ${SCHEMA}.trade`
  type Row = { trades: number; quote: string }
  let row: Row | undefined
  if (databaseUrl === null) {
    // Ponder's own PGlite version, because PGlite cannot read files of another PostgreSQL version.
    const path = createRequire(join(installed, 'node_modules/ponder/package.json')).resolve('@electric-sql/pglite')
    const { PGlite } = (await import(pathToFileURL(path).href)) as typeof import('@electric-sql/pglite')
    const pglite = new PGlite(join(project, '.ponder/pglite'))
    row = (await pglite.query<Row>(query)).rows[0]
    await pglite.close()
  } else {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    row = (await client.query<Row>(query)).rows[0]
    await client.end()
  }
  return { trades: row?.trades ?? 0, quoteSum: row?.quote ?? '0' }
}
