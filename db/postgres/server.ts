import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { type CopyQuery, copyFrom } from './copy.ts'
import { types } from './pools.ts'
import type { PreparedQuery } from './prepared.ts'
import { RowObjects } from './row-objects.ts'

interface DialectOptions {
  /** Makes Kysely's connection of a client of the pool. */
  wrap?: WrapClient
  /** false: the pooler in front of the server has no prepared statements, so that each execution is planned. */
  prepares?: boolean
}

/** Kysely's PostgreSQL dialect with prepared statements and COPY. For PGlite, see createEmbeddedDialect. */
export class PostgresServerDialect extends PostgresDialect {
  readonly #pool: pg.Pool
  readonly #wrap: WrapClient

  constructor(pool: pg.Pool, { prepares = true, wrap = prepares ? wrapClient : wrapUnprepared }: DialectOptions = {}) {
    super({ pool })
    this.#pool = pool
    this.#wrap = wrap
  }

  override createDriver(): Driver {
    return new PostgresServerDriver(this.#pool, this.#wrap)
  }
}

type WrapClient = (client: pg.PoolClient) => PostgresServerConnection

const wrapClient: WrapClient = (client) => new PostgresServerConnection(client)

/** Kysely's driver (transactions, savepoints) with connections that run CopyQuery and PreparedQuery. */
export class PostgresServerDriver extends PostgresDriver {
  readonly #pool: pg.Pool
  readonly #wrap: WrapClient
  /** One for each client: Kysely prepares every connection that it has not seen. */
  readonly #connections = new WeakMap<pg.PoolClient, PostgresServerConnection>()

  constructor(pool: pg.Pool, wrap: WrapClient = wrapClient) {
    super({ pool })
    this.#pool = pool
    this.#wrap = wrap
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const client = await this.#pool.connect()
    let connection = this.#connections.get(client)
    if (!connection) {
      connection = this.#wrap(client)
      this.#connections.set(client, connection)
    }
    return connection
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    ;(connection as PostgresServerConnection).release()
  }
}

type Query = CompiledQuery & Partial<Pick<CopyQuery, 'chunks'> & Pick<PreparedQuery, 'preparedAs'>>

export type RunQuery = pg.QueryConfig | RowObjects<unknown>

export class PostgresServerConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  /** Resolves when everything that was started has been sent; undefined if it has. */
  #sending: Promise<void> | undefined

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  /** Whether a statement may be sent before those before it were answered. They run one after another in any case. */
  get isPipelined(): boolean {
    return this.#client.pipeline
  }

  async executeQuery<Row>(query: Query): Promise<QueryResult<Row>> {
    const { sql: text, parameters, chunks, preparedAs: name } = query
    if (chunks !== undefined) {
      await this.copy({ ...query, chunks })
      return { rows: [] }
    }
    const values = [...parameters]
    const objects =
      name === undefined ? undefined : new RowObjects<Row>(this.prepare({ name, text, values }), name, types)
    let result: pg.QueryResult
    try {
      result = await this.run(objects ?? { text, values })
      if (objects?.failure !== undefined) throw objects.failure
    } catch (error) {
      // It was made where the socket is read. From here the stack leads to the function that started the query.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
    const { command, rowCount, rows = [] } = result
    return {
      rows: objects?.objects ?? (rows as Row[]),
      ...(COUNTED.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
    }
  }

  /** The query of a prepared statement. */
  protected prepare(query: pg.QueryConfig & { name: string }): pg.QueryConfig {
    return query
  }

  protected async copy(query: CopyQuery): Promise<void> {
    const endTurn = await this.#takeTurn()
    const { sent, copied } = copyFrom(this.#client, query)
    sent.then(endTurn)
    await copied
  }

  /**
   * Resolves when everything that was started before has been sent, to the function to call when this one has. Sending the rows of a
   * COPY takes many turns of the event loop.
   */
  async #takeTurn(): Promise<() => void> {
    const before = this.#sending
    const { promise: sending, resolve } = Promise.withResolvers<void>()
    this.#sending = sending
    await before
    return () => {
      if (this.#sending === sending) this.#sending = undefined
      resolve()
    }
  }

  /**
   * Not through the promise that pg makes, with which V8 keeps most results of a busy service until it collects the old
   * generation.
   */
  protected async run(query: RunQuery): Promise<pg.QueryResult> {
    const endTurn = this.#sending && (await this.#takeTurn())
    const answer = new Promise<pg.QueryResult>((resolve, reject) => {
      // The types of pg omit the callback of a query object.
      this.#client.query(query as pg.QueryConfig, (error: Error | null, result: pg.QueryResult) => {
        if (error) reject(error)
        else resolve(result)
      })
    })
    endTurn?.()
    return answer
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

/** A connection without named prepared statements. */
class UnpreparedConnection extends PostgresServerConnection {
  protected override prepare({ name: _, ...query }: pg.QueryConfig): pg.QueryConfig {
    return query
  }
}

const wrapUnprepared: WrapClient = (client) => new UnpreparedConnection(client)
