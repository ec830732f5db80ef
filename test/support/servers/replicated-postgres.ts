import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Test } from 'tap'
import { findPort } from './find-port.ts'
import { listTree, signalAll } from './process-tree.ts'

export interface Server {
  url: string
  start(): Promise<void>
  /** At once, as a machine that is gone. */
  kill(): Promise<void>
  /** Lets it hang, as a machine that is cut off. */
  pause(): Promise<void>
  resume(): void
  /** false after it has ended, also by itself. */
  isRunning(): boolean
  answers(): Promise<boolean>
}

const INSTALLED = '/usr/lib/postgresql'
const START_DEADLINE_MS = 60_000

/** Where the programs of a PostgreSQL server are; undefined on a machine without one. */
export async function findPostgres(): Promise<string | undefined> {
  const [newest] = (await readdir(INSTALLED).catch(() => [])).sort((a, b) => Number(b) - Number(a))
  return newest && join(INSTALLED, newest, 'bin')
}

/** The server refuses to run as root; it runs as its own user then. */
export function findOwner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString())
  return { uid: id('-u'), gid: id('-g') }
}

interface ReplicatedOptions {
  /** An existing folder for the primary's tables, such as a small file system; the write-ahead log is elsewhere. */
  tables?: string | undefined
  /** Lines of postgresql.conf of both. */
  settings?: string
}

/** A primary and its streaming replica, both of this test's own, gone when it ends. */
export async function startReplicatedPostgres(
  t: Pick<Test, 'teardown'>,
  bin: string,
  { tables, settings: more = 'max_connections=60\nshared_buffers=16MB\n' }: ReplicatedOptions = {},
): Promise<{ primary: Server; replica: Server }> {
  const owner = findOwner()
  const folder = await mkdtemp(join(tmpdir(), 'slipway-replica-'))
  if (owner.uid !== undefined) for (const one of [folder, tables ?? folder]) await chown(one, owner.uid, owner.gid!)
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(join(bin, program), args, { ...owner, cwd: folder })

  const data = join(tables ?? folder, 'primary')
  const made = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-locale', '--no-sync', '-D', data]
  await run('initdb', ...made, ...(tables === undefined ? [] : ['-X', join(folder, 'wal')]))
  const [primaryPort, replicaPort] = [await findPort(), await findPort()]
  const settings = `fsync=off\nlisten_addresses='127.0.0.1'\nunix_socket_directories=''\n${more}`
  await appendFile(join(data, 'postgresql.conf'), settings)
  const primary = createServerProcess(t, { bin, data, port: primaryPort, owner })
  await primary.start()
  const copy = join(folder, 'replica')
  const source = `host=127.0.0.1 port=${primaryPort} user=postgres`
  await run('pg_basebackup', '--checkpoint=fast', '--no-sync', '--write-recovery-conf', '-d', source, '-D', copy)
  const replica = createServerProcess(t, { bin, data: copy, port: replicaPort, owner })
  await replica.start()
  return { primary, replica }
}

interface Place {
  /** Where its programs are. */
  bin: string
  data: string
  port: number
  owner: { uid?: number; gid?: number }
}

/** A server that is not started yet. It is gone when the test ends. */
export function createServerProcess(t: Pick<Test, 'teardown'>, { bin, data, port, owner }: Place): Server {
  let child: ChildProcess | undefined
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let paused: number[] = []
  const resume = () => signalAll(paused.splice(0), 'SIGCONT')
  const kill = async () => {
    resume()
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    // SIGQUIT ends the server and its children at once, without leaving shared memory behind.
    child.kill('SIGQUIT')
    await ended
  }
  t.teardown(kill)
  const start = async () => {
    child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port)], { ...owner, cwd: data, stdio: 'ignore' })
    const deadline = Date.now() + START_DEADLINE_MS
    while (!(await answers(url))) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error(`No PostgreSQL came up on port ${port}`)
      await sleep(50)
    }
  }
  const pause = async () => {
    paused = child?.pid === undefined ? [] : await listTree(child.pid)
    signalAll(paused, 'SIGSTOP')
  }
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
  return { url, start, kill, pause, resume, isRunning, answers: () => answers(url) }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
