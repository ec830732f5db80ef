/** Work that runs longer counts as hung, and the next call starts it again. */
const STUCK_MS = 30_000

/**
 * Coalesces calls: those during the work, and within `ttlMs` of its end, share one result. Failures are shared too, so that
 * slow failures are not repeated by every caller.
 */
export function shareResult<T>(work: () => Promise<T>, ttlMs: number, now = () => performance.now()): () => Promise<T> {
  let result: Promise<T> | undefined
  /** When the current result, or pending work, is no longer shared. */
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
