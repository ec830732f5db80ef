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
 * Runs work with statements in flight. Resolves or rejects only when all of them have ended: one that was still waiting would
 * run after the transaction's rollback, and be committed by itself.
 */
export async function overlapStatements<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
  const statements = new Statements()
  const result = work(statements)
  await result.catch((error: unknown) => statements.fail(error))
  await statements.finish()
  return result
}
