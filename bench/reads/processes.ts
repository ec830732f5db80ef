import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findPort } from '../../test/support/servers/find-port.ts'
import { receive, startChild } from '../children.ts'
import type { Outcome, Task } from './load.ts'
import { LAUNCHPAD } from './seed.ts'

export interface Server {
  port: number
  child: ChildProcess
}

interface ServedChain {
  chainId: number
  launchpad: string
}

export async function startService(
  databaseUrl: string,
  redisUrl: string | undefined,
  { chainId, launchpad }: ServedChain = { chainId: 1, launchpad: LAUNCHPAD },
  more: Record<string, string> = {},
): Promise<Server> {
  const env = {
    PATH: process.env.PATH,
    ROLE: 'api',
    DATABASE_URL: databaseUrl,
    ...(redisUrl && { REDIS_URL: redisUrl }),
    // Not reachable: reads need no node.
    RPC_URL: 'http://127.0.0.1:1',
    CHAIN_ID: String(chainId),
    DEPLOYMENTS: JSON.stringify([{ kind: 'launchpad', address: launchpad, startBlock: 0 }]),
    LOG_FORMAT: 'json',
    RATE_LIMIT_GLOBAL: '9999999/60',
    RATE_LIMIT_READ_HEAVY: '9999999/60',
    MAX_LOOP_DELAY_MS: '0',
    ...more,
    // The default is that of the image.
    NODE_OPTIONS: process.env.NODE_OPTIONS ?? '--max-semi-space-size=16',
  }
  const workers = Number(more.WORKERS ?? 1)
  if (workers > 1) return startWorkers(env, workers)
  const options = { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as ['ignore', 'ignore', 'inherit', 'ipc'] }
  const { child, first } = await startChild<{ port: number }>(new URL('service.ts', import.meta.url), [], options)
  leaveLastCore(child.pid)
  return { child, port: first.port }
}

/** The service as an operator starts it, because a process of the benchmark cannot be several. */
async function startWorkers(env: NodeJS.ProcessEnv, workers: number): Promise<Server> {
  const port = await findPort()
  const command = [process.execPath, 'server.ts']
  // The load generator has the last core to itself only where the workers have enough others.
  const pinned = LAST_CORE >= workers ? ['taskset', '--cpu-list', `0-${LAST_CORE - 1}`, ...command] : command
  const child = spawn(pinned[0] as string, pinned.slice(1), {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...env, HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.once('exit', () => child.kill())
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`The service has ended (${child.exitCode})`)
    await pause(100)
  }
  return { child, port }
}

export async function startPeer(side: 'bare' | 'hello'): Promise<Server> {
  const { child, first } = await startChild<{ port: number }>(new URL('peer.ts', import.meta.url), [side])
  leaveLastCore(child.pid)
  return { child, port: first.port }
}

export type Load = (task: Task) => Promise<Outcome>

/** A load generator process. Tasks run one after the other. Rejects if a response is neither 200 nor 304. */
export async function startLoad(): Promise<{ child: ChildProcess; load: Load }> {
  const { child } = await startChild(new URL('load.ts', import.meta.url), [], pinToLastCore())
  const load: Load = async (task) => {
    child.send(task)
    const outcome = await receive<Outcome>(child)
    const unexpected = Object.keys(outcome.statuses).filter((status) => status !== '200' && status !== '304')
    if (unexpected.length > 0)
      throw new Error(`The responses had ${JSON.stringify(outcome.statuses)}: ${task.requests[0]}`)
    return outcome
  }
  return { child, load }
}

/*
 * Linux likes to run a process on the core of the one that woke it. There the load generator interrupts the server after each
 * response, as clients on other machines do not, although another core is idle. So the load generator keeps to the last core, and
 * the threads that answer requests keep off it. Without taskset or a second core they run anywhere.
 */
const LAST_CORE = cpus().length - 1

/** Options of a child process that keeps to the last core. */
function pinToLastCore(): { execPath?: string; execArgv?: string[] } {
  const pinned = ['--cpu-list', String(LAST_CORE), process.execPath]
  const tried = spawnSync('taskset', [...pinned, '--version'], { stdio: 'ignore' })
  return tried.status === 0 ? { execPath: 'taskset', execArgv: pinned } : {}
}

/** Keeps the main thread of a server off the last core. */
export function leaveLastCore(pid: number | undefined): void {
  if (pid === undefined || LAST_CORE === 0) return
  spawnSync('taskset', ['--cpu-list', '--pid', `0-${LAST_CORE - 1}`, String(pid)], { stdio: 'ignore' })
}

/** The bytes of a POST with a JSON body. */
export const post = (path: string, body: object): string => {
  const text = JSON.stringify(body)
  return (
    `POST ${path} HTTP/1.1\r\nhost: bench.example\r\naccept: application/json\r\ncontent-type: application/json\r\n` +
    `content-length: ${text.length}\r\n\r\n${text}`
  )
}

/** The bytes of a request. */
export const get = (path: string, tag?: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: bench.example\r\naccept: */*\r\n${tag ? `if-none-match: ${tag}\r\n` : ''}\r\n`
