import type pg from 'pg'
import type { CopyQuery } from '../postgres/copy.ts'
import { PostgresServerConnection, PostgresServerDialect, type RunQuery } from '../postgres/server.ts'
import type { EmbeddedServer } from './server.ts'

/** Kysely's PostgreSQL dialect for PGlite, whose pool has one connection, to the server that findServer returns. */
export const createEmbeddedDialect = (pool: pg.Pool, findServer: () => EmbeddedServer): PostgresServerDialect =>
  new PostgresServerDialect(pool, { wrap: (client) => new EmbeddedConnection(client, findServer()) })

class EmbeddedConnection extends PostgresServerConnection {
  readonly #server: EmbeddedServer
  /** The COPYs whose result is not known yet. Rejects with the first error. */
  #copies: Promise<void> = Promise.resolve()

  constructor(client: pg.PoolClient, server: EmbeddedServer) {
    super(client)
    this.#server = server
  }

  /**
   * Not over the wire protocol, which PGlite lacks for COPY. It has one session, so this is in the client's transaction.
   * Resolves before the server has run it: rows of the next COPY are serialized meanwhile. The next statement, at the
   * latest the commit, rejects with its error.
   */
  protected override async copy({ sql, chunks }: CopyQuery): Promise<void> {
    const parts: Buffer[] = []
    for await (const chunk of chunks) parts.push(chunk)
    const copied = this.#server.copy(sql, new Blob(parts as Buffer<ArrayBuffer>[]))
    this.#copies = Promise.all([this.#copies, copied]).then(() => {})
    this.#copies.catch(() => {})
  }

  /** Without the name of a prepared statement: PGlite plans every execution. */
  protected override prepare({ name: _, ...query }: pg.QueryConfig): pg.QueryConfig {
    return query
  }

  protected override async run(query: RunQuery): Promise<pg.QueryResult> {
    const copies = this.#copies
    this.#copies = Promise.resolve()
    // Kysely would report the error of the rollback in place of its cause.
    const isRollback = query.text === 'rollback'
    const [, result] = await Promise.all([isRollback ? copies.catch(() => {}) : copies, super.run(query)])
    return result
  }

  /** The next user of the connection gets no errors of this one's COPYs. */
  override release(): void {
    this.#copies = Promise.resolve()
    super.release()
  }
}
