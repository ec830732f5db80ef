import { AppError } from '../../errors.ts'
import { createFairQueue } from './fair-queue.ts'
import { type Child, type ChildOptions, type EndReason, startChild } from './start-child.ts'

export interface PoolOptions extends ChildOptions {
  /** Children at once. They start when there is work for them. */
  children: number
  /** Jobs that may wait, in all and of one owner, and for how long. */
  waiting: { total: number; perOwner: number; ms: number }
  /** A child without work for this long is ended. */
  idleMs: number
}

export interface PoolCounts {
  started: number
  /** time: of CPU or of the clock; crash: it ended by itself, or somebody else killed it. */
  killed: { time: number; memory: number; crash: number }
}

export interface ChildPool<Job, Result> {
  /**
   * Runs a job in a child. Rejects with OVERLOADED if there is no room, or its turn does not come in time; with ChildError
   * if its child ends; with an Error of the handler's message if that throws.
   */
  run(job: Job, owner?: string): Promise<Result>
  readonly waiting: number
  readonly children: number
  readonly counts: PoolCounts
  /** Kills all children and waits until they are gone. */
  close(): Promise<void>
}

interface Waiting<Job, Result> {
  job: Job
  resolve: (result: Promise<Result>) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/** Pause after a child that did not start, lest a broken installation burns a core by starting others. */
const PAUSE_MS = 1_000

/**
 * Child processes that work on what strangers wrote: native decoders crash, and take their whole process along. Own code,
 * since no pool on npm kills by SIGKILL, measures its children, or tells a crash from a deadline.
 */
export function createChildPool<Job, Result>(options: PoolOptions): ChildPool<Job, Result> {
  const queue = createFairQueue<Waiting<Job, Result>>(options.waiting)
  const children = new Set<Child<Job, Result>>()
  const idle: { child: Child<Job, Result>; timer: NodeJS.Timeout }[] = []
  const counts: PoolCounts = { started: 0, killed: { time: 0, memory: 0, crash: 0 } }
  let closed = false
  let startsAgainAt = 0
  let pauseTimer: NodeJS.Timeout | undefined
  let averageMs = 1_000

  const overloaded = () => {
    const turns = 1 + queue.size / options.children
    return new AppError('OVERLOADED', {}, { retryAfter: Math.min(30, Math.ceil((turns * averageMs) / 1_000)) })
  }
  const count = (reason: EndReason | null) => {
    if (reason === null) return
    if (reason === 'start') startsAgainAt = performance.now() + PAUSE_MS
    counts.killed[reason === 'cpu' || reason === 'deadline' ? 'time' : reason === 'memory' ? 'memory' : 'crash']++
  }
  const start = (): Child<Job, Result> | undefined => {
    if (closed || children.size >= options.children) return undefined
    const pause = startsAgainAt - performance.now()
    if (pause > 0) {
      clearTimeout(pauseTimer)
      pauseTimer = setTimeout(pump, pause)
      return undefined
    }
    const child = startChild<Job, Result>(options)
    counts.started++
    children.add(child)
    void child.ended.then((reason) => {
      count(reason)
      children.delete(child)
      const at = idle.findIndex((one) => one.child === child)
      if (at >= 0) clearTimeout(idle.splice(at, 1)[0]?.timer)
      pump()
    })
    return child
  }
  const takeIdle = () => {
    const last = idle.pop()
    clearTimeout(last?.timer)
    return last?.child
  }
  const rest = (child: Child<Job, Result>) => {
    if (child.isBloated()) child.kill()
    else idle.push({ child, timer: setTimeout(() => child.kill(), options.idleMs).unref() })
  }
  const pump = () => {
    while (queue.size > 0) {
      const child = takeIdle() ?? start()
      const next = child && queue.take()
      if (!next) return
      clearTimeout(next.timer)
      next.resolve(work(child, next.job))
    }
  }
  const work = async (child: Child<Job, Result>, job: Job): Promise<Result> => {
    const from = performance.now()
    let isAlive = true
    try {
      return await child.run(job)
    } catch (error) {
      isAlive = !(error instanceof Error && error.name === 'ChildError')
      throw error
    } finally {
      averageMs += (performance.now() - from - averageMs) / 8
      // The place of one that ended is free when its process is gone.
      if (isAlive) rest(child)
      pump()
    }
  }

  return {
    run: (job, owner = '') =>
      new Promise<Result>((resolve, reject) => {
        const timer = setTimeout(() => {
          queue.remove(owner, entry)
          reject(overloaded())
        }, options.waiting.ms)
        const entry: Waiting<Job, Result> = { job, resolve, reject, timer }
        if (!closed && queue.add(owner, entry)) return pump()
        clearTimeout(timer)
        reject(overloaded())
      }),
    get waiting() {
      return queue.size
    },
    get children() {
      return children.size
    },
    counts,
    close: async () => {
      closed = true
      clearTimeout(pauseTimer)
      for (let next = queue.take(); next; next = queue.take()) {
        clearTimeout(next.timer)
        next.reject(overloaded())
      }
      for (const child of children) child.kill()
      await Promise.all(Array.from(children, ({ ended }) => ended))
    },
  }
}
