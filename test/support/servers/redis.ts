import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { findPort } from './find-port.ts'

/** A Redis server of the test, which can be stopped and started again on its port. */
export interface TestRedis {
  url: string
  start(): Promise<void>
  stop(): Promise<void>
  /** SIGSTOP, SIGCONT. */
  signal(name: NodeJS.Signals): void
}

/** Starts one; undefined where redis-server is not installed. */
export async function startRedis(
  t: Pick<Test, 'teardown'>,
  mode: 'standalone' | 'cluster' | 'sentinel' = 'standalone',
): Promise<TestRedis | undefined> {
  const port = await findPort()
  // By itself Redis takes the port 10,000 higher, which may be one that the system gives to connections.
  const ofCluster = mode === 'cluster' ? ['--cluster-enabled', 'yes', '--cluster-port', String(await findPort())] : []
  const folder = await mkdtemp(join(tmpdir(), 'slipway-redis-'))
  let child: ChildProcess | undefined
  const start = async () => {
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
    const settings = ['--save', '', '--appendonly', 'no', ...ofCluster]
    // A Sentinel writes its state to the file.
    await writeFile(join(folder, 'sentinel.conf'), '')
    const args = mode === 'sentinel' ? [join(folder, 'sentinel.conf'), ...place, '--sentinel'] : [...place, ...settings]
    child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(child, 'spawn')
    for await (const chunk of child.stdout!) if (/Ready to accept connections|mode=sentinel/.test(String(chunk))) break
  }
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  try {
    await start()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return { url: `redis://127.0.0.1:${port}`, start, stop, signal: (name) => void child?.kill(name) }
}
