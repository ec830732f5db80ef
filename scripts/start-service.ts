import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const START_DEADLINE_MS = 120_000
const POLL_MS = 100
/** A service that logs an error with each request would hide everything else. */
const MAX_LINES = 20
/**
 * The variables that are taken from the caller's environment. A service started here must not use the caller's databases and
 * nodes.
 */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE']

export interface StartedService {
  url: string
  child: ChildProcess
  /** Ends it as an orchestrator does, and waits for its end. */
  stop(): Promise<void>
}

/**
 * Starts the service with these variables and no others, and waits until it can serve requests, which it does not print in
 * production. The first lines of its log go to stderr. It ends with this process at the latest.
 */
export async function startService(env: Readonly<Record<string, string>>): Promise<StartedService> {
  const port = await findPort()
  const child = spawn(process.execPath, ['server.ts'], {
    cwd: ROOT,
    env: {
      ...Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
      HOST: '127.0.0.1',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let lines = 0
  child.stdout.on('data', (chunk: Buffer) => {
    if (lines++ < MAX_LINES) process.stderr.write(chunk)
  })
  const ended = once(child, 'close').finally(() => process.off('exit', kill))
  const url = `http://127.0.0.1:${port}`
  try {
    await waitUntilReady(url, child)
  } catch (error) {
    kill()
    throw error
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { url, child, stop }
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The service ended with ${child.exitCode ?? child.signalCode} before it was ready`)
    const isReady = await fetch(`${url}/ready`).then(
      async (response) => {
        await response.body?.cancel()
        return response.ok
      },
      () => false,
    )
    if (isReady) return
    await sleep(POLL_MS)
  }
  throw new Error(`The service was not ready within ${START_DEADLINE_MS / 1_000} s`)
}

export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
