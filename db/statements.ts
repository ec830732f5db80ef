/**
 * Statements of a transaction that are in flight. The connection runs them one after another, in the order in which they were
 * started, while the rows of the next ones are computed.
 */
export class Statements {
  readonly #started: Promise<unknown>[] = []

  /** Adds work that was just started: one statement, or several of which each awaits the one before. Await it for its result. */
  start<T>(work: Promise<T>): Promise<T> {
    // finish() reports its error.
    work.catch(() => {})
    this.#started.push(work)
    return work
  }

  /** Resolves when all have ended. Rejects with the error of the first one that failed, because of which later ones fail. */
  async finish(): Promise<void> {
    const ended: PromiseSettledResult<unknown>[] = []
    while (this.#started.length > 0) ended.push(...(await Promise.allSettled(this.#started.splice(0))))
    for (const result of ended) if (result.status === 'rejected') throw result.reason
  }
}

/**
 * Runs work with statements in flight. Resolves or rejects only when all of them have ended: one that was still waiting would
 * run after the transaction's rollback, and be committed by itself.
 */
export async function overlapStatements<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
  const statements = new Statements()
  try {
    return await work(statements)
  } finally {
    await statements.finish()
  }
}
