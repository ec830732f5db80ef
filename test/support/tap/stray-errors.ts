// To find the test of an error that no promise of it passes on, tap follows every promise of the process by async hooks: a tenth
// of the processor time. Here it is the test that began last and has not ended: tests of a process run one after another.
import { executionAsyncResource } from 'node:async_hooks'
import { registerHooks } from 'node:module'

const unfinished = new Set<Domain>()

/** Replaces the class of async-hook-domain, which tap creates in the async scope of each test, also of those that wait. */
export class Domain {
  readonly onerror: (error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => void
  readonly #scope = executionAsyncResource() as { test?: { started: boolean } }

  constructor(onerror: Domain['onerror']) {
    this.onerror = onerror
    unfinished.add(this)
  }

  get isStarted(): boolean {
    return this.#scope.test?.started ?? false
  }

  destroy(): void {
    unfinished.delete(this)
  }
}

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'async-hook-domain' ? { url: import.meta.url, shortCircuit: true } : next(specifier, context),
})

process.on('uncaughtExceptionMonitor', (error, origin) => {
  if (process.hasUncaughtExceptionCaptureCallback() || process.listenerCount('uncaughtException') > 0) return
  const all = [...unfinished]
  const domain = all.findLast(({ isStarted }) => isStarted) ?? all[0]
  if (!domain) return
  domain.onerror(error, origin)
  // The test has failed; the process goes on with the next one.
  process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null))
})
