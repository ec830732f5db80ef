import { Worker } from 'node:worker_threads'
import type { EmbeddedServer } from './server.ts'
import type { Request, Response } from './worker.ts'

interface Waiting {
  resolve(answer: Uint8Array<ArrayBuffer>): void
  reject(error: Error): void
}

type Call = Request extends infer R ? (R extends Request ? Omit<R, 'id'> : never) : never

const EMPTY = new Uint8Array()
/** Fields of PostgreSQL's error for the sessions of a server that has crashed. */
const CRASHED = { severity: 'FATAL', code: '57P02' }

export interface EmbeddedThread extends Required<EmbeddedServer> {
  /** Resolves when the database is open; rejects if it cannot be opened. Calls may be made before. */
  opened: Promise<void>
}

/**
 * Opens or creates the database of a folder in a worker thread: this thread goes on while the server runs a statement.
 * Calls keep the process alive; an idle server does not. If the thread ends, every call rejects, and another thread can
 * open the folder, as after a crash.
 */
export function openEmbeddedThread(folder: string): EmbeddedThread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    name: 'database',
    workerData: folder,
    execArgv: [],
  })
  const waiting = new Map<number, Waiting>()
  const listeners: ((error: Error) => void)[] = []
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
    if (ended) return
    const error = Object.assign(new Error(`The embedded database has ended: ${reason}`), CRASHED)
    ended = error
    for (const id of [...waiting.keys()]) settle(id)?.reject(error)
    for (const listen of listeners) listen(error)
  }
  worker.on('message', ({ id, ...response }: Response) => {
    const call = settle(id)
    if ('message' in response) call?.reject(Object.assign(new Error(response.message), response.fields))
    else call?.resolve(response.answer ?? EMPTY)
  })
  let failure: unknown
  worker.on('error', (error) => {
    failure = error
  })
  // Follows an error. Until then the thread may hold files.
  worker.on('exit', (code) => end(failure ? String(failure) : `its thread stopped with code ${code}`))

  const call = (request: Call, transfer: ArrayBuffer[] = []) => {
    if (ended) return Promise.reject(ended)
    lastId += 1
    worker.postMessage({ ...request, id: lastId } satisfies Request, transfer)
    return wait(lastId)
  }
  const opened = wait(lastId).then(
    () => {},
    async (error: unknown) => {
      await worker.terminate()
      throw error
    },
  )
  // A folder that is opened again is used before this settles. If that fails, the calls reject.
  opened.catch(() => {})
  return {
    opened,
    isEnded: () => ended !== undefined,
    onEnd: (listener) => void listeners.push(listener),
    exchange: (messages) => call({ call: 'exchange', messages }, [messages.buffer]),
    copy: async (sql, input) => void (await call({ call: 'copy', sql, input })),
    close: async () => {
      if (!ended) await call({ call: 'close' })
      await worker.terminate()
    },
  }
}
