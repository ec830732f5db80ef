// Worker thread of LogThread: requests logs from nodes and parses the responses.
import { parentPort } from 'node:worker_threads'
import type { PackedLogs } from './log-reader.ts'
import { type LogRequest, requestLogs } from './request-logs.ts'

/** `id` is the number of the request. */
export type ToWorker = { id: number; asked: LogRequest } | { id: number; aborted: true }
export type FromWorker =
  | { id: number; status: number; headers: [string, string][] }
  | { id: number; body: PackedLogs | string }
  | { id: number; error: Error }

const port = parentPort
if (!port) throw new Error('This file is run by LogThread')
const aborts = new Map<number, AbortController>()
port.on('message', (message: ToWorker) => {
  if ('aborted' in message) aborts.get(message.id)?.abort()
  else void answer(message)
})

async function answer({ id, asked }: { id: number; asked: LogRequest }): Promise<void> {
  const send = (message: FromWorker, transferred: ArrayBuffer[] = []) => port?.postMessage(message, transferred)
  const abort = new AbortController()
  aborts.set(id, abort)
  try {
    const { status, headers, body } = await requestLogs(asked, abort.signal)
    send({ id, status, headers })
    const found = await body
    send({ id, body: found }, typeof found === 'string' ? [] : [found.bytes.buffer as ArrayBuffer])
  } catch (error) {
    send({ id, error: error as Error })
  } finally {
    aborts.delete(id)
  }
}
