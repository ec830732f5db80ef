import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parse } from 'yaml'

export interface Outcome {
  result: 'passed' | 'failed' | 'hung'
  milliseconds: number
  /** Of the first assertion that failed, or the last line of a process that ended otherwise. */
  reason: string
}

interface RunOptions {
  /** The working copy. */
  folder: string
  test: string
  /** Of the test file's process. */
  args?: readonly string[]
  timeoutMs: number
  /** Folder for V8's coverage. */
  coverage?: string
  /** Whether it goes on after a failure. */
  isWhole?: boolean
}

/** The processes that are running, to be ended with this one. */
const running = new Set<number>()

/** Runs a test file until its first failure, without tap's runner: its start takes longer than many a file. */
export async function runTest({
  folder,
  test,
  args = [],
  timeoutMs,
  coverage,
  isWhole = false,
}: RunOptions): Promise<Outcome> {
  const { 'node-arg': flags = [] } = parse(readFileSync(join(folder, '.taprc'), 'utf8')) as { 'node-arg'?: string[] }
  const temporary = mkdtempSync(join(tmpdir(), 'slipway-mutant-'))
  const started = performance.now()
  const child = spawn(process.execPath, [...flags, test, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      PATH: [join(folder, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      TMPDIR: temporary,
      TAP_BAIL: isWhole ? '0' : '1',
      TAP_TIMEOUT: String(Math.round(timeoutMs / 1_000)),
      NODE_COMPILE_CACHE: join(folder, 'node_modules/.cache/compiled'),
      ...(coverage && { NODE_V8_COVERAGE: coverage }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: services that the test has started end with it.
    detached: true,
  })
  const { pid } = child
  if (pid !== undefined) running.add(pid)
  const end = () => pid !== undefined && endGroup(pid)
  // A process that an error has ended leaves its services, which would keep the pipes open.
  child.once('exit', end)
  let isHung = false
  const timer = setTimeout(() => {
    isHung = true
    end()
  }, timeoutMs)
  let failure = ''
  let last = ''
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      if (line.trim() !== '') last = line.trim()
      if (failure !== '' || !/^ *(not ok|Bail out!)/.test(line) || /# (TODO|SKIP)/i.test(line)) return
      failure = line.trim()
      if (!isWhole) end()
    })
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  if (pid !== undefined) running.delete(pid)
  rmSync(temporary, { recursive: true, force: true })
  const milliseconds = performance.now() - started
  if (failure !== '') return { result: 'failed', milliseconds, reason: failure }
  if (isHung) return { result: 'hung', milliseconds, reason: `no end after ${Math.round(timeoutMs / 1_000)} s` }
  return code === 0 ? { result: 'passed', milliseconds, reason: '' } : { result: 'failed', milliseconds, reason: last }
}

/** Ends all test processes at once. */
export function endTests(): void {
  for (const pid of running) endGroup(pid)
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
