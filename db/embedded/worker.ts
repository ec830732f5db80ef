// The worker thread of thread.ts.
import { parentPort, workerData } from 'node:worker_threads'
import { type EmbeddedServer, openEmbeddedServer } from './server.ts'

export type Request = { id: number } & (
  | { call: 'exchange'; messages: Uint8Array<ArrayBuffer> }
  | { call: 'copy'; sql: string; input: Blob }
  | { call: 'close' }
)

/** The first has the id 0: whether the database was opened. */
export type Response = { id: number } & ({ answer?: Uint8Array<ArrayBuffer> } | { message: string; fields: object })

const port = parentPort!
const respond = (response: Response, transfer: ArrayBuffer[] = []) => port.postMessage(response, transfer)
/** Cloning an error would keep its message only; PostgreSQL's have a code. */
const fail = (id: number, error: unknown) =>
  respond({ id, message: (error as Error).message, fields: JSON.parse(JSON.stringify(error)) as object })

async function run(server: EmbeddedServer, request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.call === 'exchange') return await server.exchange(request.messages)
  if (request.call === 'copy') await server.copy(request.sql, request.input)
  else await server.close()
  return undefined
}

try {
  const server = await openEmbeddedServer(workerData as string)
  port.on('message', (request: Request) => {
    run(server, request).then(
      (answer) => (answer ? respond({ id: request.id, answer }, [answer.buffer]) : respond({ id: request.id })),
      (error: unknown) => {
        // PostgreSQL's errors have a code. After any other, its memory may be wrong: an uncaught error ends the thread.
        if ((error as { code?: string }).code === undefined) throw error
        fail(request.id, error)
      },
    )
  })
  respond({ id: 0 })
} catch (error) {
  fail(0, error)
}
