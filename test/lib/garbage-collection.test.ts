import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'

/** Runs a module in the root of the project, with V8's own settings and these flags. Returns what it prints. */
async function run(script: string, flags: readonly string[] = []): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '-e', script], {
    env: { PATH: process.env.PATH },
  })
  return stdout.trim()
}

/** Prints whether V8 ever allocates in the old generation at a line of code whose objects have all survived: not at each attempt. */
const findGeneration = `
  const native = (name) => new Function('value', 'return %' + name + '(value)')
  let generation = 'young'
  for (let attempt = 0; attempt < 12 && generation === 'young'; attempt++) {
    const make = new Function('number', 'return [number, number / 3]')
    native('PrepareFunctionForOptimization')(make)
    const kept = []
    for (let number = 0; number < 500_000; number++) kept.push(make(number))
    native('OptimizeFunctionOnNextCall')(make)
    make(0)
    if (!native('InYoungGeneration')(make(0))) generation = 'old'
  }
  console.log(generation)`

/**
 * V8 counts the survivors of unoptimized code, and decides when a young generation of the largest size is collected. So the
 * function must not be optimized earlier, and the size must not change.
 */
const flags = ['--allow-natives-syntax', '--invocation-count-for-turbofan=1000000000', '--no-maglev']
flags.push('--min-semi-space-size=4', '--max-semi-space-size=4')

t.test('a service allocates objects in the young generation, regardless of earlier survivors', async (t) => {
  // It fails at once: nothing listens at port 1.
  const openServices = `
    const { loadConfig } = await import('./config/config.ts')
    const { createLogger } = await import('./lib/telemetry/create-logger.ts')
    const { openServices } = await import('./services.ts')
    const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/none', RPC_URL: 'http://127.0.0.1:1', CHAIN_ID: '1' }
    const config = loadConfig({ ...nowhere, LOG_LEVEL: 'silent', LOG_FORMAT: 'json' })
    await openServices(config, createLogger(config)).catch(() => {})`
  const [byDefault, inService] = await Promise.all([
    run(findGeneration, flags),
    run(openServices + findGeneration, flags),
  ])
  t.equal(byDefault, 'old', 'by default V8 learns')
  t.equal(inService, 'young')
})

/** Prints how many collections of the whole heap a gigabyte of short-lived buffers causes. */
const countCollections = `
  const { constants, PerformanceObserver } = await import('node:perf_hooks')
  let collections = 0
  const isMajor = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
  const count = (list) => (collections += list.getEntries().filter(isMajor).length)
  const observer = new PerformanceObserver(count)
  // Its growth causes collections, too, and is not counted.
  globalThis.kept = Array.from({ length: 600_000 }, (_, number) => [number])
  observer.observe({ entryTypes: ['gc'] })
  for (let at = 0; at < 2_000; at++) {
    Buffer.alloc(512 * 1024, 1)
    if (at % 20 === 0) await new Promise(setImmediate)
  }
  count({ getEntries: () => observer.takeRecords() })
  console.log(collections)
  process.exit()`

t.test('the buffers of responses cause few collections once a thread reads logs', async (t) => {
  const startThread = `
    const { LogThread } = await import('./chain/logs/log-thread.ts')
    new LogThread(() => {}).prepare()`
  const [byDefault, withThread] = await Promise.all([run(countCollections), run(startThread + countCollections)])
  t.ok(Number(byDefault) >= 5, `${byDefault} by default`)
  // A busy machine collects now and then for other reasons.
  t.ok(Number(withThread) * 2 < Number(byDefault), `${withThread} with the thread`)
})

/** Prints how often V8 starts to mark a heap in steps that grows to 100 MB three times, in work that `run` starts. */
const countSteps = (run: string) => `
  const { markHeapInPauses } = await import('./indexer/backfill/mark-heap-in-pauses.ts')
  const { constants, PerformanceObserver } = await import('node:perf_hooks')
  let steps = 0
  const isStep = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_INCREMENTAL
  const count = (list) => (steps += list.getEntries().filter(isStep).length)
  const observer = new PerformanceObserver(count)
  observer.observe({ entryTypes: ['gc'] })
  const fill = async () => {
    for (let part = 0; part < 300; part++) {
      if (part % 100 === 0) globalThis.kept = []
      for (let number = 0; number < 10_000; number++) kept.push({ number, text: [number] })
      await new Promise(setImmediate)
    }
  }
  await ${run}
  count({ getEntries: () => observer.takeRecords() })
  console.log(steps)
  process.exit()`

t.test('the heap is marked in pauses during a backfill, and incrementally afterwards', async (t) => {
  const [byDefault, inBackfill, afterwards] = await Promise.all([
    run(countSteps('fill()')),
    run(countSteps('Promise.all([markHeapInPauses("backfill", async () => {}), markHeapInPauses("backfill", fill)])')),
    run(countSteps('markHeapInPauses("backfill", async () => {}).then(fill)')),
  ])
  t.ok(Number(byDefault) > 0, `${byDefault} by default`)
  t.equal(Number(inBackfill), 0)
  t.ok(Number(afterwards) > 0, `${afterwards} afterwards`)
})
