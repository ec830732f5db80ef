import type { Test } from 'tap'

/** Advances performance.now, by which caches measure the age of what they keep, until the end of the test. */
export function letPass(t: Test, milliseconds: number): void {
  const { now } = performance
  t.intercept(performance, 'now', { value: () => now.call(performance) + milliseconds })
}
