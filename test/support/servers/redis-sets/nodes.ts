import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import type { Test } from 'tap'
import { waitUntil } from '../../waits/wait-until.ts'
import { findPort } from '../find-port.ts'

/** One process of a Cluster or of a set that Sentinels watch. */
export interface RedisNode {
  port: number
  /** The port at which nodes of a Cluster talk to each other; null for others. */
  busPort: number | null
  url: string
  start(): Promise<void>
  /** As a machine that fails: what it has not sent to its replicas is lost. */
  kill(): Promise<void>
  /** Lets it hang, as a machine that is cut off. */
  pause(): void
  resume(): void
  /** Sends a command and returns its reply. Rejects while it hangs. */
  ask(...command: string[]): Promise<unknown>
}

interface NodeOptions {
  /** Lines of its configuration file, besides its port and folder. */
  settings: readonly string[]
  isSentinel?: boolean
  isOfCluster?: boolean
  password?: string
  port?: number
}

/** Starts one; undefined where redis-server is not installed. */
export async function startNode(
  t: Test,
  { settings, isSentinel = false, isOfCluster = false, password, port: given }: NodeOptions,
): Promise<RedisNode | undefined> {
  const port = given ?? (await findPort())
  // By itself Redis takes the port 10,000 higher, which may be one that the system gives to connections.
  const busPort = isOfCluster ? await findPort() : null
  const folder = await mkdtemp(join(tmpdir(), 'slipway-redis-'))
  const file = join(folder, 'redis.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    ...settings,
    ...(busPort === null ? [] : ['cluster-enabled yes', `cluster-port ${busPort}`]),
    ...(password ? [`requirepass ${password}`] : []),
  ]
  // A Sentinel, and a replica that becomes a primary, write what they have learned to the file.
  await writeFile(file, `${lines.join('\n')}\n`)
  let child: ChildProcess | undefined
  const url = `redis://${password ? `:${password}@` : ''}127.0.0.1:${port}`
  let isPaused = false
  const ask = async (...command: string[]) => {
    if (isPaused) throw new Error(`The Redis at ${port} hangs`)
    const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.sendCommand(command)
    } finally {
      if (client.isOpen) client.destroy()
    }
  }
  const start = async () => {
    child = spawn('redis-server', [file, ...(isSentinel ? ['--sentinel'] : [])], { stdio: 'ignore' })
    await once(child, 'spawn')
    await waitUntil(`the Redis at ${port} answers`, () =>
      ask('PING').then(
        () => true,
        () => false,
      ),
    )
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(async () => {
    await kill()
    await rm(folder, { recursive: true, force: true })
  })
  try {
    await start()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return {
    port,
    busPort,
    url,
    start,
    kill,
    ask,
    pause: () => {
      isPaused = true
      child?.kill('SIGSTOP')
    },
    resume: () => {
      isPaused = false
      child?.kill('SIGCONT')
    },
  }
}
