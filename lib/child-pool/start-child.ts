import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readUsage } from './read-usage.ts'
import type { ChildMessage } from './serve-jobs.ts'

/**
 * Why a child ended during a job. crash: it exited; memory, cpu: over its limit; deadline: no result in time, though CPU time
 * was left; lost: killed by another process; start: never became ready.
 */
export type EndReason = 'crash' | 'memory' | 'cpu' | 'deadline' | 'lost' | 'start'

/** The child ended before it returned a result. */
export class ChildError extends Error {
  override readonly name = 'ChildError'
  readonly reason: EndReason

  constructor(reason: EndReason, output: string) {
    super(`The child process ended under its job (${reason})${output && `: ${output}`}`)
    this.reason = reason
  }

  /** Whether the job itself is the cause, so that a retry would fail as well. */
  get isJobFault(): boolean {
    return this.reason === 'crash' || this.reason === 'memory' || this.reason === 'cpu'
  }
}

export interface Limits {
  /** From spawning a child until it is ready. */
  startMs: number
  /** From sending a job to its result. */
  wallMs: number
  /** CPU time of one job, over all threads. */
  cpuMs: number
  /** Resident memory. A child above half of it after a job is replaced. */
  bytes: number
}

export interface ChildOptions {
  /** The module that calls serveJobs. */
  entry: URL
  /** Files and folders that the child may read. It may not write files or start processes. */
  readable: readonly string[]
  /** Limit of the V8 heap. */
  heapMb: number
  limits: Limits
}

export interface Child<Job, Result> {
  /** Runs one job at a time. Rejects with ChildError if the child ends. */
  run(job: Job): Promise<Result>
  /** Whether its memory use calls for a replacement. */
  needsReplacement(): boolean
  /** Kills it with SIGKILL, even during a job. */
  kill(): void
  /** Resolves on exit. `reason` is null after kill(), or without a job. */
  readonly ended: Promise<EndReason | null>
}

/** Interval at which a busy child's usage is read. */
const SAMPLE_MS = 100
const OUTPUT_CHARACTERS = 500

/** Starts a child process with an empty environment and minimal permissions. It keeps the parent alive only during a job. */
export function startChild<Job, Result>({ entry, readable, heapMb, limits }: ChildOptions): Child<Job, Result> {
  const child = fork(fileURLToPath(entry), [String(process.pid)], {
    env: {},
    execArgv: [
      '--no-warnings',
      '--permission',
      '--allow-addons',
      '--allow-worker',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      `--max-old-space-size=${heapMb}`,
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const pid = child.pid ?? 0
  preferForOomKill(pid)
  const { promise: ended, resolve: end } = Promise.withResolvers<EndReason | null>()
  const startedAt = performance.now()
  let isReady = false
  let killedFor: EndReason | 'closed' | undefined
  let output = ''
  let current: { job: Job; resolve: (result: Result) => void; reject: (error: Error) => void } | undefined
  let sentAt = 0
  let cpuBefore = 0
  let sampler: NodeJS.Timeout | undefined

  const setBusy = (working: boolean) => {
    // Wait for the exit of a child that is being killed, even if its result arrives.
    const how = working || killedFor ? 'ref' : 'unref'
    child[how]()
    child.channel?.[how]()
    clearInterval(sampler)
    sampler = working ? setInterval(measure, SAMPLE_MS) : undefined
  }
  const killFor = (reason: EndReason | 'closed') => {
    killedFor ??= reason
    child.kill('SIGKILL')
  }
  const measure = () => {
    const usage = readUsage(pid)
    const now = performance.now()
    if (usage && usage.rssBytes > limits.bytes) killFor('memory')
    else if (!isReady) {
      if (now - startedAt > limits.startMs) killFor('start')
    } else if (usage && usage.cpuMs - cpuBefore > limits.cpuMs) killFor('cpu')
    // Without /proc, CPU time is unknown: wall-clock time stands in for it.
    else if (now - sentAt > limits.wallMs) killFor(usage ? 'deadline' : 'cpu')
  }
  const send = (job: Job) => {
    cpuBefore = readUsage(pid)?.cpuMs ?? 0
    sentAt = performance.now()
    child.send(job as object, (error) => error && killFor('lost'))
  }
  const settle = () => {
    const settled = current
    current = undefined
    setBusy(false)
    return settled
  }
  const finish = (reason: EndReason) => {
    const why = killedFor ?? reason
    const failed = settle()
    const error = new ChildError(why === 'closed' ? 'lost' : why, output)
    failed?.reject(error)
    end(why === 'closed' || (!failed && isReady) ? null : why)
  }

  child.on('message', (message: ChildMessage<Result>) => {
    if ('ready' in message) {
      isReady = true
      if (current) send(current.job)
      return
    }
    const done = settle()
    if ('error' in message) done?.reject(new Error(message.error))
    else done?.resolve(message.result)
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARACTERS)
  })
  ;(child.stderr as NodeJS.ReadStream | null)?.unref()
  child.on('error', () => finish('start'))
  child.once('exit', (_code, signal) => {
    const outside = signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT' || signal === 'SIGHUP'
    finish(!isReady ? 'start' : outside ? 'lost' : 'crash')
  })
  setBusy(false)

  return {
    run: (job) =>
      new Promise<Result>((resolve, reject) => {
        current = { job, resolve, reject }
        setBusy(true)
        if (isReady) send(job)
      }),
    needsReplacement: () => (readUsage(pid)?.rssBytes ?? 0) > limits.bytes / 2,
    kill: () => {
      child.ref()
      killFor('closed')
    },
    ended,
  }
}

/** When memory runs out, the kernel's OOM killer should choose a child and not the service. */
function preferForOomKill(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // Not on Linux, or not permitted: the memory limit is polled regardless.
  }
}
