import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { buildHistory, type HistoryOptions } from './build-history.ts'

export interface HistoryFigures {
  tokens: number
  trades: number
  blocks: number
}

/** Runs buildHistory in a worker thread: the first start of PGlite blocks the main thread for seconds meanwhile. */
export async function buildHistoryInWorker(options: HistoryOptions, signal: AbortSignal): Promise<HistoryFigures> {
  const worker = new Worker(new URL(import.meta.url), { workerData: options })
  try {
    const [figures] = (await once(worker, 'message', { signal })) as [HistoryFigures]
    return figures
  } finally {
    await worker.terminate()
  }
}

if (!isMainThread && parentPort) {
  const { tokens, trades, blocks } = await buildHistory(workerData as HistoryOptions)
  parentPort.postMessage({ tokens: tokens.length, trades, blocks: blocks.length } satisfies HistoryFigures)
}
