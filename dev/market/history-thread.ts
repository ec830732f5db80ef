import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { buildHistory, type HistoryOptions } from './build-history.ts'

export interface HistoryFigures {
  tokens: number
  trades: number
  blocks: number
}

/**
 * buildHistory in a thread of its own: the first start of the embedded database, which keeps the main thread busy for
 * seconds, goes on meanwhile.
 */
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
