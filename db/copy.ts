import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { PostgresAdapter, PostgresDialect } from 'kysely'
import pg from 'pg'
import { nameOfPrepared } from './prepared.ts'

/*
 * COPY for the pg driver. Rows that are only ever appended reach PostgreSQL in a quarter of the processor time that a
 * multi-row insert takes there: no arrays to take apart, no plan, no row materialised twice; and PostgreSQL stores the first
 * of them while the last are still being written out here. PGlite has no COPY from a client: see writeRows.
 */

/** The connection's part of pg that copying needs, beyond what its types tell. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** The only parameter of a `copy … from stdin` statement: lines of COPY's text format, as many as one likes a chunk. */
export class CopyText {
  readonly chunks: Iterable<string>

  constructor(chunks: Iterable<string>) {
    this.chunks = chunks
  }
}

/** One running COPY, as pg's client drives it. */
class CopyIn {
  readonly done: Promise<{ command: string; rowCount: number; rows: [] }>
  readonly #text: string
  readonly #chunks: Iterable<string>
  readonly #settle: PromiseWithResolvers<{ command: string; rowCount: number; rows: [] }>
  #failure: Error | undefined
  #isOver = false

  constructor(text: string, { chunks }: CopyText) {
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
      // PostgreSQL answers with an error of its own, which says less.
      this.#failure = error
      connection.sendCopyFail('The rows could not be written out')
    })
  }

  async #send(connection: CopyConnection): Promise<void> {
    const { stream } = connection
    for (const chunk of this.#chunks) {
      // Refused already, or the connection is gone: nobody reads the rest.
      if (this.#isOver) return
      connection.sendCopyFromChunk(Buffer.from(chunk))
      // Lets the chunk leave, and others have their turn.
      if (stream.writableNeedDrain) await Promise.race([once(stream, 'drain'), this.done.catch(() => {})])
      else await setImmediate()
    }
    if (!this.#isOver) connection.endCopyFrom()
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#isOver = true
    this.#settle.resolve({ command: 'COPY', rowCount: 0, rows: [] })
  }

  handleError(error: Error): void {
    this.#isOver = true
    this.#settle.reject(this.#failure ?? error)
  }
}

/** A client of pg that understands CopyText, and prepares the statements that ask for it. */
export class CopyingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const query = this.query.bind(this) as (...args: unknown[]) => unknown
    const copy = (...args: unknown[]) => {
      const [text, values] = args
      if (typeof text !== 'string') return query(...args)
      const name = nameOfPrepared(text)
      if (name !== undefined) return query({ name, text, values })
      const source = Array.isArray(values) ? values[0] : undefined
      if (!(source instanceof CopyText)) return query(...args)
      const copying = new CopyIn(text, source)
      query(copying)
      return copying.done
    }
    Object.assign(this, { query: copy })
  }
}

/** Says of a database that its clients are CopyingClients. */
export class CopyingAdapter extends PostgresAdapter {}

export class CopyingDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new CopyingAdapter()
  }
}
