import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type pg from 'pg'

/*
 * COPY for the pg driver. Rows that are only ever appended reach PostgreSQL in a quarter of the processor time of a
 * multi-row insert: no arrays to parse, no plan, no row materialised twice; and PostgreSQL stores the first of them while
 * the last are still being serialised here. PGlite has no COPY from a client: see appendRows.
 */

/** A `copy … from stdin` statement and its input: lines of COPY's text format, any number per chunk. */
export interface CopyQuery extends CompiledQuery {
  readonly chunks: Iterable<string>
}

export const copyQuery = (text: string, chunks: Iterable<string>): CopyQuery => ({
  ...CompiledQuery.raw(text),
  chunks,
})

/** Runs a COPY on a connection of pg. */
export async function copyFrom(client: pg.ClientBase, { sql, chunks }: CopyQuery): Promise<void> {
  const copy = new CopyIn(sql, chunks)
  client.query(copy)
  await copy.done
}

/** The part of pg's connection that COPY needs and its types omit. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** One COPY, as an object that pg's client submits and calls back (its Submittable, as for cursors). */
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
      // PostgreSQL then reports an error of its own, which says less.
      this.#failure = error
      connection.sendCopyFail('The rows could not be serialised')
    })
  }

  async #send(connection: CopyConnection): Promise<void> {
    const { stream } = connection
    for (const chunk of this.#chunks) {
      // PostgreSQL has refused the rows, or the connection is gone: the rest would not be read.
      if (this.#isOver) return
      connection.sendCopyFromChunk(Buffer.from(chunk))
      // Lets the socket write the chunk, and other work run.
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
