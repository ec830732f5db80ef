import { AppError } from '../../errors.ts'
import { createFairQueue } from './fair-queue.ts'
import { type Child, type ChildOptions, type EndReason, startChild } from './start-child.ts'

export interface PoolOptions extends ChildOptions {
  /** Maximum number of children. They start on demand. */
  maxChildren: number
  /** Maximum number of waiting jobs, in total and by owner, and their maximum wait. */
  queue: { total: number; perOwner: number; timeoutMs: number }
  /** Idle time after which a child is killed. */
  idleMs: number
}

export interface PoolCounts {
  started: number
  /** time: CPU or wall-clock limit; crash: the child exited, or another process killed it. */
  killed: { time: number; memory: number; crash: number }
}

export interface ChildPool<Job, Result> {
  /**
   * Runs a job in a child. Rejects with AppError OVERLOADED if the queue is full or the wait too long, with ChildError if the
   * child ends, and with an Error if the handler throws.
   */
  run(job: Job, owner?: string): Promise<Result>
  readonly queued: number
  readonly children: number
  readonly counts: PoolCounts
  /** Kills all children and waits for their exit. */
  close(): Promise<void>
}

interface QueuedJob<Job, Result> {
  job: Job
  resolve: (result: Promise<Result>) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/** Pause after a child failed to start, so that a broken installation does not spawn children in a loop. */
const START_BACKOFF_MS = 1_000

/**
 * Child processes for untrusted input: a crash in a native decoder ends its process. No npm pool kills with SIGKILL, limits the
 * children's resources and distinguishes crashes from deadlines.
 */
export function createChildPool<Job, Result>(options: PoolOptions): ChildPool<Job, Result> {
  const queue = createFairQueue<QueuedJob<Job, Result>>(options.queue)
  const children = new Set<Child<Job, Result>>()
  const idle: { child: Child<Job, Result>; timer: NodeJS.Timeout }[] = []
  const counts: PoolCounts = { started: 0, killed: { time: 0, memory: 0, crash: 0 } }
  let closed = false
  let backoffUntil = 0
  let backoffTimer: NodeJS.Timeout | undefined
  let averageMs = 1_000

  const overloaded = () => {
    const turns = 1 + queue.size / options.maxChildren
    return new AppError('OVERLOADED', {}, { retryAfter: Math.min(30, Math.ceil((turns * averageMs) / 1_000)) })
  }
  const count = (reason: EndReason | null) => {
    if (reason === null) return
    if (reason === 'start') backoffUntil = performance.now() + START_BACKOFF_MS
    counts.killed[reason === 'cpu' || reason === 'deadline' ? 'time' : reason === 'memory' ? 'memory' : 'crash']++
  }
  const start = (): Child<Job, Result> | undefined => {
    if (closed || children.size >= options.maxChildren) return undefined
    const pause = backoffUntil - performance.now()
    if (pause > 0) {
      clearTimeout(backoffTimer)
      backoffTimer = setTimeout(runQueued, pause)
      return undefined
    }
    const child = startChild<Job, Result>(options)
    counts.started++
    children.add(child)
    void child.ended.then((reason) => {
      count(reason)
      children.delete(child)
      leaveIdle(child)
      runQueued()
    })
    return child
  }
  const popIdle = () => {
    const last = idle.pop()
    clearTimeout(last?.timer)
    return last?.child
  }
  const leaveIdle = (child: Child<Job, Result>) => {
    const at = idle.findIndex((one) => one.child === child)
    if (at >= 0) clearTimeout(idle.splice(at, 1)[0]?.timer)
  }
  const end = (child: Child<Job, Result>) => {
    // No job may be given to it before its exit.
    leaveIdle(child)
    child.kill()
  }
  const release = (child: Child<Job, Result>) => {
    if (child.needsReplacement()) child.kill()
    else idle.push({ child, timer: setTimeout(end, options.idleMs, child).unref() })
  }
  const runQueued = () => {
    while (queue.size > 0) {
      const child = popIdle() ?? start()
      const next = child && queue.take()
      if (!next) return
      clearTimeout(next.timer)
      next.resolve(runJob(child, next.job))
    }
  }
  const runJob = async (child: Child<Job, Result>, job: Job): Promise<Result> => {
    const from = performance.now()
    let isAlive = true
    try {
      return await child.run(job)
    } catch (error) {
      isAlive = !(error instanceof Error && error.name === 'ChildError')
      throw error
    } finally {
      averageMs += (performance.now() - from - averageMs) / 8
      // A dead child frees its place when its process has exited.
      if (isAlive) release(child)
      runQueued()
    }
  }

  return {
    run: (job, owner = '') =>
      new Promise<Result>((resolve, reject) => {
        const timer = setTimeout(() => {
          queue.remove(owner, entry)
          reject(overloaded())
        }, options.queue.timeoutMs)
        const entry: QueuedJob<Job, Result> = { job, resolve, reject, timer }
        if (!closed && queue.add(owner, entry)) return runQueued()
        clearTimeout(timer)
        reject(overloaded())
      }),
    get queued() {
      return queue.size
    },
    get children() {
      return children.size
    },
    counts,
    close: async () => {
      closed = true
      clearTimeout(backoffTimer)
      for (let next = queue.take(); next; next = queue.take()) {
        clearTimeout(next.timer)
        next.reject(overloaded())
      }
      for (const child of children) child.kill()
      await Promise.all(Array.from(children, ({ ended }) => ended))
    },
  }
}
