import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readUsage } from './read-usage.ts'
import type { ChildMessage } from './serve-jobs.ts'

/**
 * Why a child ended under a job. crash: by itself; memory, cpu: it used more than it may; deadline: no result in time,
 * with CPU time left; lost: somebody else killed it; start: it never became ready.
 */
export type EndReason = 'crash' | 'memory' | 'cpu' | 'deadline' | 'lost' | 'start'

/** A job whose child ended. */
export class ChildError extends Error {
  override readonly name = 'ChildError'
  readonly reason: EndReason

  constructor(reason: EndReason, output: string) {
    super(`The child process ended under its job (${reason})${output && `: ${output}`}`)
    this.reason = reason
  }

  /** True if the job itself is to blame, and would end any child. */
  get isJobFault(): boolean {
    return this.reason === 'crash' || this.reason === 'memory' || this.reason === 'cpu'
  }
}

export interface Limits {
  /** Until a new child takes its first job. */
  startMs: number
  /** From a job to its result. */
  wallMs: number
  /** CPU time of one job, of all threads together. */
  cpuMs: number
  /** Resident memory. A child above half of it after a job is replaced. */
  bytes: number
}

export interface ChildOptions {
  /** The module that calls serveJobs. */
  entry: URL
  /** Files and folders that the child may read. It may write nothing, and start nothing. */
  readable: readonly string[]
  /** Heap of its JavaScript. */
  heapMb: number
  limits: Limits
}

export interface Child<Job, Result> {
  /** Runs one job; one at a time. Rejects with ChildError if the child ends under it. */
  run(job: Job): Promise<Result>
  /** Whether it holds so much memory that another had better take its place. */
  needsReplacement(): boolean
  /** Kills it, whatever it is doing. */
  kill(): void
  /** Settles when the process is gone. `reason` is null if it was killed by kill() or had no job. */
  readonly ended: Promise<EndReason | null>
}

/** How often a child at work is measured. */
const SAMPLE_MS = 100
const OUTPUT_CHARACTERS = 500

/** Starts a child process without environment and with hardly any permission. It holds the parent alive only while it works. */
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
    // One that is being killed is waited for, even if the result of its job still arrives.
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
    // Where CPU time is unknown, time is the only measure there is.
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

/** Where a container runs out of memory, the kernel should take a child, and not the service. */
function preferForOomKill(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // Not on Linux, or not allowed: the limit of memory is polled all the same.
  }
}
