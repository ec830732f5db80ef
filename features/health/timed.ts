import { within } from '../../lib/concurrency/within.ts'

export const CHECK_DEADLINE_MS = 2_000

/** Runs a health check with a deadline; a timeout is a failure. */
export async function timed<T>(check: () => Promise<T>): Promise<{ answer: T; latencyMs: number }> {
  const start = performance.now()
  const answer = await within(CHECK_DEADLINE_MS, check())
  return { answer, latencyMs: Math.round((performance.now() - start) * 100) / 100 }
}
