/** A machine with more to do than it can. */
const PATIENCE_MS = 60_000
/** After this long a wait is named, and goes on. */
const NAMED_AFTER_MS = 30_000
const PAUSE_MS = 20

interface WaitOptions {
  timeoutMs?: number
  pauseMs?: number
}

/**
 * Waits for a promise, which may hang: names it in a comment of the test's output after half a minute, and rejects with its
 * name in the end, long before the time of its file is over.
 */
export async function waitFor<T>(what: string, promise: Promise<T>, timeoutMs = PATIENCE_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const name = () => console.log(`# Still waiting after ${NAMED_AFTER_MS / 1_000} s: ${what}`)
  const named = timeoutMs > NAMED_AFTER_MS ? setTimeout(name, NAMED_AFTER_MS) : undefined
  const timer = setTimeout(() => reject(new Error(`Waited in vain for ${timeoutMs} ms: ${what}`)), timeoutMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(named)
    clearTimeout(timer)
  }
}

/** Waits until a condition holds. */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = PATIENCE_MS, pauseMs = PAUSE_MS }: WaitOptions = {},
): Promise<void> {
  let isOver = false
  const poll = async () => {
    // After a time-out nothing is asked any more.
    while (!isOver && !(await condition())) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  await waitFor(what, poll(), timeoutMs).finally(() => {
    isOver = true
  })
}
