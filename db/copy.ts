import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type pg from 'pg'

/*
 * COPY for the pg driver: appending rows takes a quarter of the CPU time of a multi-row insert (no arrays to parse, no
 * plan), and PostgreSQL stores the first rows while the last are serialized. For PGlite, see appendRows.
 */

/** A `copy … from stdin` statement and its input in COPY's text format; a chunk holds any number of lines. */
export interface CopyQuery extends CompiledQuery {
  readonly chunks: Iterable<string>
}

export const copyQuery = (text: string, chunks: Iterable<string>): CopyQuery => ({
  ...CompiledQuery.raw(text),
  chunks,
})

/** Runs a COPY on a pg client. Rejects with PostgreSQL's error, or with that of `chunks` if serializing fails. */
export async function copyFrom(client: pg.ClientBase, { sql, chunks }: CopyQuery): Promise<void> {
  const copy = new CopyIn(sql, chunks)
  client.query(copy)
  await copy.done
}

/** Methods of pg's Connection that its types omit. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** One COPY as a Submittable: pg's interface for queries that handle protocol messages themselves, as cursors do. */
class CopyIn implements pg.Submittable {
  readonly done: Promise<void>
  readonly #text: string
  readonly #chunks: Iterable<string>
  readonly #settle: PromiseWithResolvers<void>
  #failure: Error | undefined
  #isOver = false

  constructor(text: string, chunks: Iterable<string>) {
    this.#text = text
    this.#chunks = chunks
    this.#settle = Promise.withResolvers()
    this.done = this.#settle.promise
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    this.#send(connection).catch((error: Error) => {
      // Reject with this error: PostgreSQL's response to CopyFail has no details.
      this.#failure = error
      connection.sendCopyFail('The rows could not be serialised')
    })
  }

  async #send(connection: CopyConnection): Promise<void> {
    const { stream } = connection
    for (const chunk of this.#chunks) {
      // PostgreSQL rejected the rows, or the connection was lost.
      if (this.#isOver) return
      connection.sendCopyFromChunk(Buffer.from(chunk))
      // Respect backpressure, and yield to the event loop between chunks.
      if (stream.writableNeedDrain) await Promise.race([once(stream, 'drain'), this.done.catch(() => {})])
      else await setImmediate()
    }
    if (!this.#isOver) connection.endCopyFrom()
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#isOver = true
    this.#settle.resolve()
  }

  handleError(error: Error): void {
    this.#isOver = true
    this.#settle.reject(this.#failure ?? error)
  }
}
