import type pg from 'pg'
import { toWriteFailure, WRITE_FAILURES } from '../../db/write-failure.ts'

/**
 * Reports to /health of every process that this indexer cannot write, by an advisory lock of its lease session: a full disk stores
 * no row, and the report ends with the session.
 */
export class WriteFailureReport {
  readonly #pool: pg.Pool
  #reported: number | null = null

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Reports an error of the database that a retry alone does not mend. Other errors change nothing. */
  async report(error: unknown): Promise<void> {
    const failure = toWriteFailure(error)
    if (failure === null) return
    // Again each time: the session may be another one.
    await this.clear()
    this.#reported = failure
    await this.#run('select pg_advisory_lock_shared($1, $2)', failure)
  }

  /** Call it when the indexer has written. */
  async clear(): Promise<void> {
    if (this.#reported === null) return
    const failure = this.#reported
    this.#reported = null
    await this.#run('select pg_advisory_unlock_shared($1, $2)', failure)
  }

  async #run(query: string, failure: number): Promise<void> {
    // A database that is down is reported by its own check.
    await this.#pool.query(query, [WRITE_FAILURES, failure]).catch(() => {})
  }
}
