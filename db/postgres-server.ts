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

/** Kysely's PostgreSQL dialect with prepared statements and COPY, which PGlite does not support. */
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

/** Marks a Kysely instance whose driver supports COPY. */
export class PostgresServerAdapter extends PostgresAdapter {}

/** Kysely's driver (transactions, savepoints) with connections that run CopyQuery and PreparedQuery. */
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

  // biome-ignore lint/correctness/useYield: streaming is not supported
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error('Queries are not streamed')
  }

  release(): void {
    this.#client.release()
  }
}

/** Commands whose row count is the number of rows written. */
const COUNTED: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
