import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { surroundings } from '../../support/child-processes/surroundings.ts'
import { copyPreparedPglite, copyPreparedPostgres, dropPostgres } from '../../support/prepared-database.ts'
import { OPTIMIZING_V8_FLAGS, V8_FLAGS } from '../../support/v8-flags.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const START_DEADLINE_MS = 120_000

export interface Envelope {
  success: boolean
  // biome-ignore lint/suspicious/noExplicitAny: from outside, what an answer holds is known by asserting it
  data: any
  error?: string
}

export interface Answer {
  status: number
  headers: Headers
  body: Envelope
}

export interface RequestOptions {
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

/** The service as an operator runs it: a process of its own, known only by its URL. */
export interface Service {
  url: string
  dataDir: string
  pid: number
  /** What it has printed to stdout. */
  stdout(): string
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** As an orchestrator ends it. Resolves to the exit code. */
  stop(): Promise<number | null>
  kill(): Promise<void>
}

export interface ServiceOptions {
  env?: Record<string, string>
  /** Kept when given, so that a later process can go on with it; else a new one that is removed. */
  dataDir?: string
  databaseUrl?: string
  /** For tests that keep its PGlite busy for a minute. Otherwise optimizing takes longer than it saves. */
  optimize?: boolean
}

export async function startService(
  t: Test,
  { env = {}, dataDir, databaseUrl, optimize = false }: ServiceOptions = {},
): Promise<Service> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'slipway-acceptance-')))
  // The demonstration creates its database together with its chain; others get a migrated one, which saves half of their start.
  if (!dataDir && !databaseUrl && env.RPC_URL) await copyPreparedPglite(join(folder, 'database'))
  const child = spawn(process.execPath, [...(optimize ? OPTIMIZING_V8_FLAGS : V8_FLAGS), 'server.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...surroundings,
      PORT: '0',
      DATA_DIR: folder,
      LOG_LEVEL: 'warn',
      RATE_LIMITS: 'off',
      MAX_LOOP_DELAY_MS: '0',
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...(process.env.TEST_REDIS_URL && { REDIS_URL: process.env.TEST_REDIS_URL }),
      ...env,
    },
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  const exited = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    return child.exitCode
  }
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) await stop()
    if (!dataDir) await rm(folder, { recursive: true, force: true })
  })
  const url = await readUrl(child)
  return {
    url,
    dataDir: folder,
    pid: child.pid as number,
    stdout: () => printed,
    request: (method, path, options) => request(url + path, method, options),
    stop,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

export interface IndexerProcess {
  pid: number
  /** SIGSTOP, SIGCONT. */
  signal(name: NodeJS.Signals): void
  kill(): Promise<void>
}

/** A process that only indexes: it has no URL. It is not waited for, and may be killed as a machine that fails would. */
export function startIndexerProcess(t: Test, env: Record<string, string>): IndexerProcess {
  const child = spawn(process.execPath, [...V8_FLAGS, 'server.ts'], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      ...surroundings,
      DATA_DIR: tmpdir(),
      // An indexer answers probes there.
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      ...env,
      ROLE: 'indexer',
    },
  })
  const exited = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill)
  return { pid: child.pid as number, signal: (name) => void child.kill(name), kill }
}

/** The URL that the process prints when it is up; in production, that of its log. */
async function readUrl(child: ChildProcess): Promise<string> {
  let output = ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timer = setTimeout(() => reject(new Error(`The service did not come up:\n${output}`)), START_DEADLINE_MS)
  const read = (chunk: Buffer) => {
    output += chunk
    const [, url] = /(?:API\s+|listening at )(http:[^\s"]+)/.exec(output) ?? []
    if (url) resolve(url)
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  child.once('close', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

async function request(url: string, method: string, { token, body, headers }: RequestOptions = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...headers,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Envelope }
}

/** A migrated database of this test's own on the server that TEST_DATABASE_URL names; undefined without one: PGlite then. */
export async function createDatabase(t: Test): Promise<string | undefined> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) return undefined
  const name = `slipway_acceptance_${process.pid}_${Math.random().toString(36).slice(2, 10)}`
  const url = await copyPreparedPostgres(server, name)
  t.teardown(() => dropPostgres(server, name))
  return url
}

/** Asks until the answer is as wanted, and returns it. */
export async function until<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  what: string,
  patienceMs = 60_000,
): Promise<T> {
  let last: { answer: T } | undefined
  const isThere = async () => {
    last = { answer: await ask() }
    return isWanted(last.answer)
  }
  await waitUntil(what, isThere, { timeoutMs: patienceMs, pauseMs: 25 }).catch((error: Error) => {
    throw new Error(`${error.message}. Last answer: ${JSON.stringify(last?.answer)}`, { cause: error })
  })
  return (last as unknown as { answer: T }).answer
}
