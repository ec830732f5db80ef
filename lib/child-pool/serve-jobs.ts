import { Worker } from 'node:worker_threads'

/** A message from a child to its parent. */
export type ChildMessage<Result> = { ready: true } | { result: Result } | { error: string }

/** Main loop of a pool's child: runs one job at a time, and ends with its parent. */
export function serveJobs<Job, Result>(handle: (job: Job) => Result | Promise<Result>): void {
  const send = (message: ChildMessage<Result>) => process.send?.(message)
  // process.exit() would wait for native threads.
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
