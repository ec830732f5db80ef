import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import type pg from 'pg'
import { PostgresServerDialect, PostgresServerDriver } from './server.ts'

interface Replica {
  pool: pg.Pool
  isUsable(): boolean
  /** Marks the replica as down. */
  fail(): void
}

/**
 * Runs queries on the replica while it is usable. The primary runs transactions, and retries every query that failed on
 * the replica: a replica is read-only, so a failed query has changed nothing.
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

/** Driver of the primary's pool whose connections try the replica first. */
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

/** Acquires a connection to the primary when a query first needs it, and runs all later queries on it. */
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
        // The replica may lack a table, cancel a query that conflicts with recovery, or be down: retry on the primary.
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

/** Whether the server failed, not the query: no SQLSTATE, or one of connection loss, shutdown or exhausted resources. */
export function isGone(error: unknown): boolean {
  const { code, severity } = error as { code?: string; severity?: string }
  return severity === undefined || code === undefined || /^(08|57P|53)/.test(code)
}
