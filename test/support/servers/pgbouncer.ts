import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { findPort } from './find-port.ts'
import { findOwner } from './replicated-postgres.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

export interface TestPooler {
  /** Of the same database, through it. */
  url: string
  start(): Promise<void>
  kill(): Promise<void>
  /** SIGSTOP, SIGCONT. */
  signal(name: NodeJS.Signals): void
}

interface PoolerOptions {
  mode: 'session' | 'transaction'
  ignoresOptions?: boolean
}

/** The URL of startPooler. */
export const startPgBouncer = async (t: Test, databaseUrl: string, options: PoolerOptions) =>
  (await startPooler(t, databaseUrl, options))?.url

/** A PgBouncer in front of a PostgreSQL server, for as long as the test lasts; undefined where PgBouncer is not installed. */
export async function startPooler(
  t: Test,
  databaseUrl: string,
  { mode, ignoresOptions = true }: PoolerOptions,
): Promise<TestPooler | undefined> {
  const isInstalled = await access(PROGRAM).then(
    () => true,
    () => false,
  )
  if (!isInstalled) return undefined
  const target = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'slipway-pgbouncer-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const port = await findPort()
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
* = host=${target.hostname} port=${target.port || 5432} user=${target.username || 'postgres'}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 200
${ignoresOptions ? 'ignore_startup_parameters = options' : ''}
`,
  )
  const owner = findOwner()
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid ?? owner.uid)
  let child: ChildProcess | undefined
  const start = async () => {
    const started = spawn(PROGRAM, [settings], { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    child = started
    for await (const line of createInterface(started.stderr)) if (line.includes('process up')) break
    started.stderr.resume()
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill)
  await start()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return { url: url.href, start, kill, signal: (name) => void child?.kill(name) }
}
