import { Worker } from 'node:worker_threads'
import type { EmbeddedServer } from './embedded-server.ts'
import type { Request, Response } from './embedded-worker.ts'

interface Waiting {
  resolve(answer: Uint8Array<ArrayBuffer>): void
  reject(error: Error): void
}

type Call = Request extends infer R ? (R extends Request ? Omit<R, 'id'> : never) : never

const EMPTY = new Uint8Array()

/**
 * Opens or creates the database of a folder in a worker thread: this thread goes on while the server runs a statement.
 * Calls keep the process alive; an idle server does not. If the thread ends, every call rejects.
 */
export async function openEmbeddedThread(folder: string): Promise<EmbeddedServer> {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    name: 'database',
    workerData: folder,
    execArgv: [],
  })
  const waiting = new Map<number, Waiting>()
  let ended: Error | undefined
  let lastId = 0

  const wait = (id: number) => {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
    waiting.set(id, { resolve, reject })
    worker.ref()
    return promise
  }
  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) worker.unref()
    return found
  }
  const end = (reason: string) => {
    ended ??= new Error(`The embedded database has ended (${reason}). Start the service again`)
    for (const id of [...waiting.keys()]) settle(id)?.reject(ended)
  }
  worker.on('message', ({ id, ...response }: Response) => {
    const call = settle(id)
    if ('message' in response) call?.reject(Object.assign(new Error(response.message), response.fields))
    else call?.resolve(response.answer ?? EMPTY)
  })
  worker.on('error', (error) => end(String(error)))
  worker.on('exit', (code) => end(`its thread stopped with code ${code}`))

  const call = (request: Call, transfer: ArrayBuffer[] = []) => {
    if (ended) return Promise.reject(ended)
    lastId += 1
    worker.postMessage({ ...request, id: lastId } satisfies Request, transfer)
    return wait(lastId)
  }
  try {
    await wait(lastId)
  } catch (error) {
    await worker.terminate()
    throw error
  }
  return {
    exchange: (messages) => call({ call: 'exchange', messages }, [messages.buffer]),
    copy: async (sql, input) => void (await call({ call: 'copy', sql, input })),
    close: async () => {
      await call({ call: 'close' })
      await worker.terminate()
    },
  }
}
