import { Worker } from 'node:worker_threads'

/** What a child sends to its parent. */
export type ChildMessage<Result> = { ready: true } | { result: Result } | { error: string }

/** The main loop of a child of a pool: jobs come one at a time. The child ends when its parent does. */
export function serveJobs<Job, Result>(handle: (job: Job) => Result | Promise<Result>): void {
  const send = (message: ChildMessage<Result>) => process.send?.(message)
  // Not process.exit(), which waits for threads of native code.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  new Worker(new URL('./watchdog.ts', import.meta.url), {
    workerData: { parentPid: Number(process.argv[2]) },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  }).unref()
  process.on('message', async (job: Job) => {
    try {
      send({ result: await handle(job) })
    } catch (error) {
      send({ error: error instanceof Error ? error.message : String(error) })
    }
  })
  send({ ready: true })
}
