import { setFlagsFromString } from 'node:v8'

/** The flags that tests set for V8 (.taprc), without what tap loads into them: for services that are soon stopped. */
export const V8_FLAGS = process.execArgv.filter((flag) => !flag.startsWith('--import') && !flag.startsWith('--enable'))

/** The same with an optimized PGlite: for services that run for minutes. */
export const OPTIMIZING_V8_FLAGS = V8_FLAGS.filter((flag) => flag !== '--liftoff-only')

/** For tests that keep PGlite busy for more than five seconds. Takes effect if it is called before the first database is opened. */
export function optimizeWasm(): void {
  for (const flag of ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag)
}
