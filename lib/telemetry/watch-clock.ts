import type { Metrics } from './create-metrics.ts'

const CHECK_MS = 30_000
/** Below the tolerance of tokens, so that there is time to act. */
const REPORTED_SECONDS = 10

interface ClockOptions {
  /** Reads the clock of the database, in unix seconds. */
  readTime: () => Promise<number>
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  /** The clock of this machine in milliseconds; for tests. */
  now?: () => number
  checkMs?: number
}

/**
 * Measures how far the clock of this machine is ahead of the database's, which all processes share, and logs when they begin
 * and cease to differ. The database reads its clock at some time of the query, so half of its duration may be an error.
 * Returns a function that stops the measurement.
 */
export function watchClock(
  metrics: Metrics,
  { readTime, log, now = Date.now, checkMs = CHECK_MS }: ClockOptions,
): () => void {
  let skew: number | null = null
  let isReported = false
  const check = async () => {
    const [start, startedAt] = [performance.now(), now()]
    const time = await readTime().catch(() => null)
    const seconds = (performance.now() - start) / 1000
    if (time === null) {
      skew = null
      return
    }
    const offset = startedAt / 1000 + seconds / 2 - time
    skew = Math.sign(offset) * Math.max(0, Math.abs(offset) - seconds / 2)
    const isSkewed = Math.abs(skew) >= REPORTED_SECONDS
    if (isSkewed === isReported) return
    isReported = isSkewed
    if (isSkewed) log.warn({ skewSeconds: Math.round(skew * 10) / 10 }, WARNING)
    else log.info({}, 'The clock of this machine agrees with that of the database again')
  }
  metrics.gauge('clock_skew_seconds', 'How far the clock of this machine is ahead of the database’s', () => skew)
  // One at a time: the late answer of an earlier measurement would replace that of a later one.
  let isChecking = false
  const start = async () => {
    if (isChecking) return
    isChecking = true
    await check()
    isChecking = false
  }
  void start()
  const timer = setInterval(() => void start(), checkMs)
  timer.unref()
  return () => clearInterval(timer)
}

const WARNING =
  'The clock of this machine differs from that of the database. Replicas reject sign-in tokens of a machine whose clock is ' +
  'five minutes ahead of theirs: synchronize the clocks'
