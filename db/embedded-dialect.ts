import { setImmediate } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'
import type pg from 'pg'
import type { CopyQuery } from './copy.ts'
import { PostgresServerConnection, PostgresServerDialect } from './postgres-server.ts'

/** Kysely's PostgreSQL dialect for PGlite, whose pool has one connection. */
export const createEmbeddedDialect = (pool: pg.Pool, pglite: PGlite): PostgresServerDialect =>
  new PostgresServerDialect(pool, (client) => new EmbeddedConnection(client, pglite))

class EmbeddedConnection extends PostgresServerConnection {
  readonly #pglite: PGlite

  constructor(client: pg.PoolClient, pglite: PGlite) {
    super(client)
    this.#pglite = pglite
  }

  /** PGlite reads COPY's input from a device of its own. It has one session, so this is in the client's transaction. */
  protected override async copy({ sql, chunks }: CopyQuery): Promise<void> {
    const parts: Buffer[] = []
    for (const chunk of chunks) {
      parts.push(chunk)
      await setImmediate()
    }
    await this.#pglite.query(sql.replace(' from stdin ', " from '/dev/blob' "), [], {
      blob: new Blob(parts as Buffer<ArrayBuffer>[]),
    })
  }

  /** Without the name of a prepared statement: PGlite plans every execution. */
  protected override run({ name: _, ...query }: pg.QueryConfig): Promise<pg.QueryResult> {
    return super.run(query)
  }
}
