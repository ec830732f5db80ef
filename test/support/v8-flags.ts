import { setFlagsFromString } from 'node:v8'

/** What tap loads into tests, and the heap of processes that open many databases. */
const OF_TESTS = /^--(import|enable|external-memory|initial-heap)/

/** The flags that tests set for V8 (.taprc), without those for themselves: for services that are soon stopped. */
export const V8_FLAGS = process.execArgv.filter((flag) => !OF_TESTS.test(flag))

/** The same with an optimized PGlite: for services that run for minutes. */
export const OPTIMIZING_V8_FLAGS = V8_FLAGS.filter((flag) => flag !== '--liftoff-only')

/** For tests that keep PGlite busy for more than five seconds. Takes effect if it is called before the first database is opened. */
export function optimizeWasm(): void {
  for (const flag of ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag)
}
