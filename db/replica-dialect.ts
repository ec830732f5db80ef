import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import type pg from 'pg'
import { PostgresServerDialect, PostgresServerDriver } from './postgres-server.ts'

interface Replica {
  pool: pg.Pool
  isUsable(): boolean
  /** Reports that the replica did not answer. */
  fail(): void
}

/**
 * Reads from a replica while it is usable. The primary executes transactions, and each query that fails on the replica:
 * a replica refuses to write, so a query that fails there has changed nothing.
 */
export class ReplicaDialect extends PostgresServerDialect {
  readonly #primary: pg.Pool
  readonly #replica: Replica

  constructor(primary: pg.Pool, replica: Replica) {
    super(primary)
    this.#primary = primary
    this.#replica = replica
  }

  override createDriver(): Driver {
    return new ReplicaDriver(this.#primary, this.#replica)
  }
}

/** A driver of the primary's pool, whose connections try the replica first. */
class ReplicaDriver extends PostgresServerDriver {
  readonly #reader: Driver
  readonly #replica: Replica

  constructor(primary: pg.Pool, replica: Replica) {
    super(primary)
    this.#reader = new PostgresServerDriver(replica.pool)
    this.#replica = replica
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const primary = {
      acquire: () => super.acquireConnection(),
      release: (connection: DatabaseConnection) => super.releaseConnection(connection),
    }
    return new ReplicaConnection(primary, this.#reader, this.#replica)
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await (connection as ReplicaConnection).holdPrimary()
    await super.beginTransaction(connection, settings)
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    await (connection as ReplicaConnection).release()
  }
}

interface Primary {
  acquire(): Promise<DatabaseConnection>
  release(connection: DatabaseConnection): Promise<void>
}

/** Acquires a connection to the primary only when a query needs it, and executes all later queries on that one. */
class ReplicaConnection implements DatabaseConnection {
  readonly #primary: Primary
  readonly #reader: Driver
  readonly #replica: Replica
  #held: DatabaseConnection | undefined

  constructor(primary: Primary, reader: Driver, replica: Replica) {
    this.#primary = primary
    this.#reader = reader
    this.#replica = replica
  }

  async holdPrimary(): Promise<DatabaseConnection> {
    this.#held ??= await this.#primary.acquire()
    return this.#held
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.#held && this.#replica.isUsable()) {
      try {
        return await this.#read<Row>(query)
      } catch (error) {
        // It may lack a table, cancel a query in favour of its replay, or be gone: the primary answers then.
        if (isGone(error)) this.#replica.fail()
      }
    }
    return (await this.holdPrimary()).executeQuery<Row>(query)
  }

  async *streamQuery<Row>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<Row>> {
    yield* (await this.holdPrimary()).streamQuery<Row>(query, chunkSize)
  }

  async release(): Promise<void> {
    const held = this.#held
    this.#held = undefined
    if (held) await this.#primary.release(held)
  }

  async #read<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const connection = await this.#reader.acquireConnection()
    try {
      return await connection.executeQuery<Row>(query)
    } finally {
      await this.#reader.releaseConnection(connection)
    }
  }
}

/** Whether the server is to blame, and not the query: no SQLSTATE at all, or one of a server that shuts down. */
function isGone(error: unknown): boolean {
  const { code, severity } = error as { code?: string; severity?: string }
  return severity === undefined || code === undefined || /^(08|57P|53)/.test(code)
}
