import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { type CopyQuery, copyFrom } from './copy.ts'
import type { PreparedQuery } from './prepared.ts'

/** PostgreSQL over the network: Kysely's own dialect, and prepared statements and COPY, which an embedded database lacks. */
export class PostgresServerDialect extends PostgresDialect {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }

  override createDriver(): Driver {
    return new PostgresServerDriver(this.#pool)
  }

  override createAdapter(): PostgresAdapter {
    return new PostgresServerAdapter()
  }
}

/** Marks a Kysely instance as one that can COPY. */
export class PostgresServerAdapter extends PostgresAdapter {}

/** Kysely's driver (transactions, savepoints) on connections of ours. */
export class PostgresServerDriver extends PostgresDriver {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new PostgresServerConnection(await this.#pool.connect())
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    ;(connection as PostgresServerConnection).release()
  }
}

type Query = CompiledQuery & Partial<Pick<CopyQuery, 'chunks'> & Pick<PreparedQuery, 'preparedAs'>>

class PostgresServerConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  async executeQuery<Row>(query: Query): Promise<QueryResult<Row>> {
    const { sql: text, parameters, chunks, preparedAs: name } = query
    if (chunks !== undefined) {
      await copyFrom(this.#client, { ...query, chunks })
      return { rows: [] }
    }
    const { command, rowCount, rows } = await this.#client.query({ name, text, values: [...parameters] })
    return {
      rows: (rows as Row[] | undefined) ?? [],
      ...(COUNTED.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
    }
  }

  // biome-ignore lint/correctness/useYield: no query of ours is streamed
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error('Queries are not streamed')
  }

  release(): void {
    this.#client.release()
  }
}

/** Commands whose count of rows is that of the rows they wrote. */
const COUNTED: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
