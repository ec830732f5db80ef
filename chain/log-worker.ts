// The thread of LogThread: asks nodes for logs, and reads their answers.
import { parentPort } from 'node:worker_threads'
import { type Asked, askForLogs } from './ask-for-logs.ts'
import type { PackedLogs } from './log-reader.ts'

/** Each with the number of the request that it is about. */
export type ToThread = { id: number; asked: Asked } | { id: number; aborted: true }
export type FromThread =
  | { id: number; status: number; headers: [string, string][] }
  | { id: number; body: PackedLogs | string }
  | { id: number; error: Error }

const port = parentPort
if (!port) throw new Error('This file is run by LogThread')
const aborts = new Map<number, AbortController>()
port.on('message', (message: ToThread) => {
  if ('aborted' in message) aborts.get(message.id)?.abort()
  else void answer(message)
})

async function answer({ id, asked }: { id: number; asked: Asked }): Promise<void> {
  const send = (message: FromThread, transferred: ArrayBuffer[] = []) => port?.postMessage(message, transferred)
  const abort = new AbortController()
  aborts.set(id, abort)
  try {
    const { status, headers, body } = await askForLogs(asked, abort.signal)
    send({ id, status, headers })
    const found = await body
    send({ id, body: found }, typeof found === 'string' ? [] : [found.bytes.buffer as ArrayBuffer])
  } catch (error) {
    send({ id, error: error as Error })
  } finally {
    aborts.delete(id)
  }
}
