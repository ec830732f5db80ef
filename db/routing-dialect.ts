import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  PostgresDialect,
  type QueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { mayReadLate, type ReadReplica } from './read-replica.ts'

/**
 * A dialect that sends to a replica what may be answered by one: plain selects, outside of transactions, of work that said
 * so (readingLate). Everything else, and whatever fails there, goes to the primary.
 */
export class RoutingDialect implements Dialect {
  readonly #primary: Dialect
  readonly #replica: ReadReplica

  constructor(primary: Dialect, replica: ReadReplica) {
    this.#primary = primary
    this.#replica = replica
  }

  createDriver(): Driver {
    // Its pool is closed by whoever opened it.
    const reader = new PostgresDialect({ pool: this.#replica.pool }).createDriver()
    return new RoutingDriver(this.#primary.createDriver(), reader, this.#replica)
  }

  createQueryCompiler(): QueryCompiler {
    return this.#primary.createQueryCompiler()
  }

  createAdapter(): DialectAdapter {
    return this.#primary.createAdapter()
  }

  // biome-ignore lint/suspicious/noExplicitAny: the library's own signature
  createIntrospector(db: Kysely<any>): DatabaseIntrospector {
    return this.#primary.createIntrospector(db)
  }
}

class RoutingDriver implements Driver {
  readonly #primary: Driver
  readonly #reader: Driver
  readonly #replica: ReadReplica

  constructor(primary: Driver, reader: Driver, replica: ReadReplica) {
    this.#primary = primary
    this.#reader = reader
    this.#replica = replica
  }

  async init(): Promise<void> {
    await Promise.all([this.#primary.init(), this.#reader.init()])
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new RoutedConnection(this.#primary, this.#reader, this.#replica)
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await this.#primary.beginTransaction(await primaryOf(connection), settings)
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#primary.commitTransaction(await primaryOf(connection))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#primary.rollbackTransaction(await primaryOf(connection))
  }

  async savepoint(...[connection, ...rest]: Parameters<NonNullable<Driver['savepoint']>>): Promise<void> {
    await this.#primary.savepoint?.(await primaryOf(connection), ...rest)
  }

  async rollbackToSavepoint(...[connection, ...rest]: Parameters<NonNullable<Driver['savepoint']>>): Promise<void> {
    await this.#primary.rollbackToSavepoint?.(await primaryOf(connection), ...rest)
  }

  async releaseSavepoint(...[connection, ...rest]: Parameters<NonNullable<Driver['savepoint']>>): Promise<void> {
    await this.#primary.releaseSavepoint?.(await primaryOf(connection), ...rest)
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    await (connection as RoutedConnection).release()
  }

  async destroy(): Promise<void> {
    await this.#primary.destroy()
  }
}

const primaryOf = (connection: DatabaseConnection) => (connection as RoutedConnection).obtainPrimary()

/** Takes a connection of the primary only when a query needs it, and keeps that one from then on. */
class RoutedConnection implements DatabaseConnection {
  readonly #primary: Driver
  readonly #reader: Driver
  readonly #replica: ReadReplica
  #held: DatabaseConnection | undefined

  constructor(primary: Driver, reader: Driver, replica: ReadReplica) {
    this.#primary = primary
    this.#reader = reader
    this.#replica = replica
  }

  async obtainPrimary(): Promise<DatabaseConnection> {
    this.#held ??= await this.#primary.acquireConnection()
    return this.#held
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#held && mayReadLate() && this.#replica.status().state === 'ok' && isPlainSelect(query)) {
      try {
        return await this.#read<R>(query)
      } catch (error) {
        // The primary has the last word: a replica that misses a table, cancels for its replay or is gone is no failure.
        if (isGone(error)) this.#replica.fail()
      }
    }
    return (await this.obtainPrimary()).executeQuery<R>(query)
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<R>> {
    yield* (await this.obtainPrimary()).streamQuery<R>(query, chunkSize)
  }

  async release(): Promise<void> {
    const held = this.#held
    this.#held = undefined
    if (held) await this.#primary.releaseConnection(held)
  }

  async #read<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const connection = await this.#reader.acquireConnection()
    try {
      return await connection.executeQuery<R>(query)
    } finally {
      await this.#reader.releaseConnection(connection)
    }
  }
}

const WRITES =
  /\b(insert|update|delete|merge|truncate|lock|nextval|setval|set_config|pg_(try_)?advisory\w*|for (no key update|key share|share))\b/i

/** Whether a replica could run it. In doubt it could not: a replica refuses to write anyway. */
const isPlainSelect = ({ sql }: CompiledQuery) => /^\s*(select|with)\b/i.test(sql) && !WRITES.test(sql)

/** Whether the server is to blame, and not the query: no SQLSTATE at all, or one of a server that goes. */
function isGone(error: unknown): boolean {
  const { code, severity } = error as { code?: string; severity?: string }
  return severity === undefined || code === undefined || /^(08|57P|53)/.test(code)
}
