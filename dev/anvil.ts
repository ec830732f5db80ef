// Starts anvil, the development EVM node, as a child process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError } from '../errors.ts'
import { callNode } from './json-rpc.ts'

const NO_ANVIL = {
  variable: 'RPC_URL',
  problem: 'is not set, and the embedded chain (@foundry-rs/anvil) is not installed',
  remedy: 'Set it to the URL of a node, or install everything with `npm ci`',
}

export type AnvilOptions = {
  /** 0, the default, lets the system choose a free port. */
  port?: number
  chainId?: number
  /** State file: loaded if it exists, and written when anvil stops, except by kill(). */
  statePath?: string
  /** Seconds between writes of statePath, so that a killed process loses little. */
  stateInterval?: number
  /** Seconds between blocks. By default, each transaction is mined at once in its own block. */
  blockTime?: number
  /** Unix seconds of the genesis block. */
  timestamp?: number
  mnemonic?: string
  /** Unlocked accounts, default 10. */
  accounts?: number
  /** Coins of each account, default 10,000. */
  balance?: number
  /** Default true. If false, anvil's log goes to stdout. */
  silent?: boolean
  startTimeoutMs?: number
  extraArgs?: string[]
}

export type Anvil = {
  url: string
  wsUrl: string
  port: number
  pid: number
  /** Stops anvil, waits until it has written its state, and removes its temporary files. Idempotent. */
  stop(): Promise<void>
  /** Kills anvil, as a crash would. */
  kill(): void
}

const SIGNAL_DEADLINE_MS = 10_000

const running = new Set<() => void>()

/**
 * Resolves when anvil accepts requests. anvil does not keep this process alive and stops with it: a watcher process
 * detects its end, even by SIGKILL. Without a POSIX shell, an exit hook does, which SIGKILL skips.
 * @throws Error that names the port if it is taken, else with anvil's output
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const home = mkdtempSync(join(tmpdir(), 'slipway-anvil-'))
  // anvil stores old states below HOME: a temporary folder is removed with them.
  const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home, TMPDIR: home, RUST_BACKTRACE: '0' }
  const child = spawn(findBinary(), toArguments(options), {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Detached: Ctrl-C must only reach this process, which may still save the chain.
    detached: process.platform !== 'win32',
  })
  const exited = once(child, 'close').catch(() => {})
  const watcher = watchParent(child, home)

  const kill = () => {
    child.kill('SIGKILL')
    watcher?.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
  // If there is a watcher, it stops anvil and lets it write its state.
  const end = () => {
    if (watcher?.pid === undefined) kill()
  }
  running.add(end)
  if (running.size === 1) process.on('exit', endAll)
  const unregister = () => {
    running.delete(end)
    if (running.size === 0) process.off('exit', endAll)
  }
  void exited.then(() => {
    unregister()
    watcher?.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })

  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    child.kill('SIGINT')
    const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await exited
    clearTimeout(force)
  }

  try {
    const port = await waitForPort(child, options)
    const url = `http://127.0.0.1:${port}`
    if (options.silent ?? true) await callNode(url, 'anvil_setLoggingEnabled', [false])
    else await callNode(url, 'web3_clientVersion', [])
    await untilStoppable(child)
    child.unref()
    return { url, wsUrl: `ws://127.0.0.1:${port}`, port, pid: child.pid!, stop, kill }
  } catch (error) {
    kill()
    throw error
  }
}

/**
 * anvil responds before it handles SIGINT: an earlier SIGINT ends it without writing its state. Only Linux shows which
 * signals a process handles.
 */
async function untilStoppable({ pid }: ChildProcess): Promise<void> {
  const deadline = Date.now() + SIGNAL_DEADLINE_MS
  while (Date.now() < deadline) {
    let handled: string | undefined
    try {
      handled = /^SigCgt:\s+([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    } catch {}
    if (handled === undefined || (BigInt(`0x${handled}`) >> BigInt(constants.signals.SIGINT - 1)) & 1n) return
    await sleep(5)
  }
}

function endAll() {
  for (const end of running) end()
}

function findBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const path = `@foundry-rs/anvil-${process.platform}-${arch}/bin/${name}`
  try {
    return createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')).resolve(path)
  } catch (error) {
    throw new SetupError(NO_ANVIL, { cause: error })
  }
}

function toArguments(options: AnvilOptions): string[] {
  const flags: [string, string | number | undefined][] = [
    ['--port', options.port ?? 0],
    ['--chain-id', options.chainId],
    ['--state', options.statePath],
    ['--state-interval', options.stateInterval],
    ['--block-time', options.blockTime],
    ['--timestamp', options.timestamp],
    ['--mnemonic', options.mnemonic],
    ['--accounts', options.accounts],
    ['--balance', options.balance],
  ]
  const given = flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]))
  return ['--host', '127.0.0.1', ...given, ...(options.extraArgs ?? [])]
}

/**
 * Starts a shell that waits for the end of its standard input, a pipe that the system closes however this process ends.
 * It then stops anvil, allows a minute for writing the state (10 s are too few on a busy machine), and removes its
 * files.
 */
function watchParent(child: ChildProcess, home: string): ChildProcess | undefined {
  if (process.platform === 'win32' || child.pid === undefined) return undefined
  const script = `read -r _
kill -INT "$1"; n=0; while [ $n -lt 60 ] && kill -0 "$1"; do sleep 1; n=$((n + 1)); done
kill -KILL "$1"; rm -rf "$2"`
  // Detached: Ctrl-C in the terminal must not end the watcher.
  const args = ['-c', script, 'slipway-anvil-watcher', String(child.pid), home]
  const watcher = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  ;(watcher.stdin as unknown as { unref(): void }).unref()
  return watcher
}

/** Reads the port from anvil's log, the only place that shows a system-chosen one. */
function waitForPort(child: ChildProcess, options: AnvilOptions): Promise<number> {
  const { silent = true, startTimeoutMs = 30_000, port } = options
  return new Promise((resolve, reject) => {
    let printed = ''
    let settled = false
    const settle = (finish: () => void) => {
      settled = true
      clearTimeout(timer)
      finish()
    }
    const timer = setTimeout(
      () => settle(() => reject(new Error(`anvil did not start within ${startTimeoutMs} ms: ${printed.trim()}`))),
      startTimeoutMs,
    )
    const read = (chunk: Buffer) => {
      // Drain the pipes while anvil runs: it blocks on a full one.
      if (!silent) process.stdout.write(chunk)
      if (settled) return
      printed += chunk
      const match = /Listening on \S+:(\d+)/.exec(printed)
      if (match) settle(() => resolve(Number(match[1])))
    }
    for (const pipe of [child.stdout!, child.stderr!]) {
      pipe.on('data', read)
      ;(pipe as unknown as { unref(): void }).unref()
    }
    child.on('error', (cause) => settle(() => reject(new Error('anvil cannot be run', { cause }))))
    child.on('close', (code) => {
      if (settled) return
      const taken = /address already in use|os error (98|48|10048)/i.test(printed)
      const message = taken
        ? `port ${port} is taken: stop what listens on it, or choose another port for the development chain`
        : `anvil ended with code ${code}: ${printed.trim()}`
      settle(() => reject(new Error(message)))
    })
  })
}
