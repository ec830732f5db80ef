/**
 * Returns a function that resolves to the last result of `work`, and renews it in the background once it is older than
 * `ttlMs`. Only the first calls wait; they share one run. A failed renewal keeps the result, and the next call tries
 * again. `work` receives the previous result; undefined at first.
 */
export function keepResult<T>(
  work: (previous?: T) => Promise<T>,
  ttlMs: number,
  now = () => performance.now(),
): () => Promise<T> {
  let result: Promise<T> | undefined
  let isRunning = false
  let renewAt = 0
  const run = (): Promise<T> => {
    isRunning = true
    const running = result === undefined ? work() : result.then(work)
    running.then(
      () => {
        result = running
        renewAt = now() + ttlMs
        isRunning = false
      },
      () => {
        if (result === running) result = undefined
        isRunning = false
      },
    )
    return running
  }
  return () => {
    if (result === undefined) result = run()
    else if (!isRunning && now() >= renewAt) run()
    return result
  }
}
