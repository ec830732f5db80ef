/** Work that takes longer is taken to hang, and the next caller starts it again. */
const STUCK_MS = 30_000

/**
 * Runs work once for all callers: those that ask while it is under way, and those that ask within `keepMs` of its end. A
 * failure is shared like a result, so that what fails slowly is not started by every caller.
 */
export function shareResult<T>(work: () => Promise<T>, ttlMs: number, now = () => performance.now()): () => Promise<T> {
  let result: Promise<T> | undefined
  /** When the present result, or work under way, is no longer shared. */
  let expiresAt = 0
  const run = async (): Promise<T> => {
    try {
      return await work()
    } finally {
      expiresAt = now() + ttlMs
    }
  }
  return () => {
    if (result !== undefined && now() < expiresAt) return result
    expiresAt = now() + STUCK_MS
    result = run()
    return result
  }
}
