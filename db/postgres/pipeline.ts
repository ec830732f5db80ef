// Saves 11 % of a backfill (`npm run bench:indexer`): PostgreSQL and the main thread would wait for each other.
import {
  type ConnectionProvider,
  type Dialect,
  DummyDriver,
  type KyselyProps,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  Transaction,
} from 'kysely'
import type { Database } from '../schema.ts'
import type { PostgresServerConnection } from './server.ts'

/**
 * Statements of a transaction that are in flight. The connection runs them one after another, in the order in which they were
 * started, while the rows of the next ones are computed.
 */
export class Statements {
  readonly #started: Promise<unknown>[] = []
  #cause: { error: unknown } | undefined

  /** Adds work that was just started: one statement, or several of which each awaits the one before. Await it for its result. */
  start<T>(work: Promise<T>): Promise<T> {
    work.catch((error: unknown) => this.fail(error))
    this.#started.push(work)
    return work
  }

  /** Makes finish() reject. */
  fail(error: unknown): void {
    if (!this.#cause || isAborted(this.#cause.error)) this.#cause = { error }
  }

  /** Resolves when all have ended. Rejects with the error of the first statement that failed, because of which later ones fail. */
  async finish(): Promise<void> {
    while (this.#started.length > 0) await Promise.allSettled(this.#started.splice(0))
    if (this.#cause) throw this.#cause.error
  }
}

/** Whether a statement failed only because an earlier one had, whose error may arrive later if it is a COPY. */
const isAborted = (error: unknown) => (error as { code?: unknown }).code === '25P02'

/**
 * Pipelines the statements that `work` starts on its transaction: PostgreSQL gets each at once, before the results of earlier
 * statements have arrived, and after the rows of a COPY. Work within such work starts at once, too. Resolves or
 * rejects only when all statements have ended: one that was still waiting would run after the transaction's rollback, and be
 * committed by itself.
 */
export async function pipelineStatements<T>(
  trx: Transaction<Database>,
  work: (trx: Transaction<Database>, statements: Statements) => Promise<T>,
): Promise<T> {
  const statements = new Statements()
  const result = work(overlapping.get(trx) ?? (await pipeline(trx)), statements)
  await result.catch((error: unknown) => statements.fail(error))
  await statements.finish()
  return result
}

/** What `pipeline` returned, by the transaction it was given and by itself. */
const overlapping = new WeakMap<Transaction<Database>, Transaction<Database>>()

/**
 * The same transaction with statements that are sent at once. Kysely's waits for the result of each before the next one, which the
 * embedded database needs.
 */
async function pipeline(trx: Transaction<Database>): Promise<Transaction<Database>> {
  const executor = trx.getExecutor()
  const connection = await executor.provideConnection(async (own) => own)
  const atOnce: ConnectionProvider = { provideConnection: (use) => use(connection) }
  const pipelined = (connection as Partial<PostgresServerConnection>).isPipelined
    ? new Transaction<Database>({ ...UNUSED, executor: executor.withConnectionProvider(atOnce) })
    : trx
  overlapping.set(trx, pipelined).set(pipelined, pipelined)
  return pipelined
}

/** What an instance of Kysely needs to connect and to begin transactions. */
const UNUSED: Omit<KyselyProps, 'executor'> = (() => {
  const driver = new DummyDriver()
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  return { config: { dialect }, dialect, driver }
})()
