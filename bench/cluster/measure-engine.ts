import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { receive, startChild } from '../children.ts'
import { runScript } from './commands.ts'
import type { Engine } from './engines.ts'
import { connect, readCheckpoint, waitForBlock } from './fill.ts'
import type { LoadMessage, LoadReport, LoadResult, LoadTask } from './load.ts'
import type { NodeReply, NodeTask } from './node.ts'
import type { EngineResult, Values } from './result.ts'
import { describeChain, type ServiceOptions, startApi, startIndexer } from './services.ts'
import type { Shape } from './shape.ts'
import { readSizes } from './sizes.ts'
import type { SocketsMessage, SocketsReport, SocketsTask } from './sockets.ts'
import { MachineMeter, UsageMeter } from './usage.ts'
import { type ComponentName, components, findSaturations, type Sample } from './verdict.ts'

const PRINT_SECONDS = 5
const NODE_MEMORY = '--max-old-space-size=6144'

/** Fills an empty database and measures it. The caller drops it. */
export async function measureEngine(
  engine: Engine,
  shape: Shape,
  values: Values,
  signal: AbortSignal,
): Promise<EngineResult> {
  const closers: (() => unknown)[] = []
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  const interrupt = () => reject(signal.reason)
  signal.addEventListener('abort', interrupt)
  if (signal.aborted) interrupt()
  try {
    // What is not closed below ends with this process, which an interruption ends.
    return await Promise.race([measure({ engine, shape, values, signal, closers }), interrupted])
  } finally {
    signal.removeEventListener('abort', interrupt)
    for (const close of closers.reverse()) {
      try {
        await close()
      } catch (error) {
        console.error(`Could not clean up: ${(error as Error).message}`)
      }
    }
  }
}

interface Run {
  engine: Engine
  shape: Shape
  values: Values
  signal: AbortSignal
  /** Called in reverse order, also after a failure. Each may be called again. */
  closers: (() => unknown)[]
}

async function measure({ engine, shape, values, signal, closers }: Run): Promise<EngineResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-cluster-'))
  closers.push(() => rm(dataDir, { recursive: true, force: true }))
  const start = async (file: string, execArgv: string[] = []) => {
    signal.throwIfAborted()
    const { child } = await startChild(new URL(file, import.meta.url), [], { execArgv })
    closers.push(() => child.kill())
    return child
  }
  const node = await start('node.ts', [NODE_MEMORY])
  const ask = (task: NodeTask) => exchange<NodeReply>(node, task)
  const { port } = await ask({ type: 'start', shape })
  const options: ServiceOptions = { databaseUrl: engine.url, redisUrl: values['redis-url'], nodePort: port, dataDir }
  const run = async <T extends { stop(): Promise<void> }>(starting: Promise<T>) => {
    const service = await starting
    closers.push(() => service.stop())
    signal.throwIfAborted()
    return service
  }

  console.log(`\n${engine.name}: filling it with ${shape.trades.toLocaleString('en')} trades`)
  const began = performance.now()
  let indexer = await run(startIndexer(options))
  const client = await connect(engine.url)
  closers.push(() => client.end())
  await waitForBlock(client, shape.blocks, signal)
  const fillSeconds = (performance.now() - began) / 1_000
  let distributeSeconds: number | null = null
  if (engine.join) {
    console.log('Distributing it')
    await indexer.stop()
    await engine.join()
    distributeSeconds = (await runScript('distribute', { DATABASE_URL: engine.url }, 86_400)).seconds
    indexer = await run(startIndexer(options))
  }
  // As autovacuum does within minutes.
  await client.query('vacuum analyze')

  const api = await run(startApi(options, values.workers))
  shape.minedFrom = Date.now()
  await ask({ type: 'mine', from: shape.minedFrom })
  const sockets = await start('sockets.ts')
  const { failure } = await exchange<{ failure?: string }>(sockets, { url: api.url, shape, sockets: values.sockets })
  if (failure !== undefined) throw new Error(`A socket could not be opened: ${failure}`)
  console.log(`${values.sockets.toLocaleString('en')} sockets are open; reading for ${values.seconds} s`)
  const readers = await start('load.ts')
  const { port: redisPort } = new URL(values['redis-url'])
  const meter = new UsageMeter<ComponentName>({
    API: { pid: api.child.pid! },
    indexer: { pid: indexer.child.pid! },
    database: { program: 'postgres: ', words: engine.words },
    Redis: { program: 'redis-server', words: [`:${redisPort || 6379}`] },
    node: { pid: node.pid! },
    readers: { pid: readers.pid! },
    sockets: { pid: sockets.pid! },
  })
  const warmUp = Math.ceil(values.seconds / 4)
  const task: LoadTask = { url: api.url, shape, connections: values.connections, warmUpMs: warmUp * 1_000 }
  const samples = await takeSamples({ readers, sockets, client, meter, shape, task, signal }, warmUp, values.seconds)
  const load = await exchange<LoadResult>(readers, 'finish')
  const delays = await exchange<SocketsReport>(sockets, 'finish')

  const { head } = await ask({ type: 'stop' })
  await waitForBlock(client, head, signal)
  await Promise.all([api.stop(), indexer.stop()])
  console.log('Counting the tables')
  const sizes = await readSizes(client)
  await ask({ type: 'hold' })
  const command = async (script: string) => {
    signal.throwIfAborted()
    console.log(`Running ${script} for ${values['command-seconds']} s or less`)
    return runScript(script, describeChain(options), values['command-seconds'])
  }
  const audit = await command('audit')
  // It writes: the audit reads the rows of the indexer.
  const reindex = await command('reindex')
  const countRows = (table: string) => sizes.find(({ name }) => name === table)?.rows ?? 0
  const measured = samples.filter(({ second }) => second > warmUp)
  const lags = measured.map(({ lag }) => lag).sort((a, b) => a - b)
  return {
    ...{ engine: engine.name, fillSeconds, distributeSeconds },
    ...{ trades: countRows('trades'), tokens: countRows('tokens') },
    ...{ sockets: delays, load, audit, reindex, sizes },
    lag: { median: lags[Math.floor(lags.length / 2)] ?? 0, most: lags.at(-1) ?? 0 },
    ...averageCores(measured),
    saturations: findSaturations(samples),
    unexpected: samples.find(({ load }) => load.sample !== undefined)?.load.sample ?? null,
  }
}

interface Sources {
  readers: ChildProcess
  sockets: ChildProcess
  client: pg.Client
  meter: UsageMeter<ComponentName>
  shape: Shape
  task: LoadTask
  signal: AbortSignal
}

/** Samples once a second. */
async function takeSamples(sources: Sources, warmUp: number, seconds: number): Promise<Sample[]> {
  const { readers, sockets, client, meter, shape, task, signal } = sources
  const machine = new MachineMeter()
  await Promise.all([meter.take(), machine.take()])
  readers.send(task)
  const samples: Sample[] = []
  const start = performance.now()
  let [second, printed, isWarm] = [0, 0, false]
  while (second < warmUp + seconds) {
    // A sample may take longer where the processors are busy.
    await sleep(Math.max(0, start + (second + 1) * 1_000 - performance.now()))
    signal.throwIfAborted()
    second = Math.floor((performance.now() - start) / 1_000)
    if (!isWarm && second >= warmUp) {
      sockets.send('measure' satisfies SocketsMessage)
      isWarm = true
    }
    const [load, report] = await Promise.all([
      exchange<LoadReport>(readers, 'report'),
      exchange<SocketsReport>(sockets, 'report'),
    ])
    const checkpoint = await readCheckpoint(client)
    const head = shape.blocks + Math.floor((Date.now() - shape.minedFrom!) / 1_000)
    const sample = {
      ...{ second, load, sockets: report, lag: Math.max(0, head - checkpoint) },
      ...{ usage: await meter.take(), machine: await machine.take() },
    }
    samples.push(sample)
    if (second - printed < PRINT_SECONDS) continue
    printed = second
    printSample(sample)
  }
  return samples
}

function printSample({ second, load, sockets, lag }: Sample): void {
  console.log(
    `  ${String(second).padStart(4)} s  ${load.rate.toFixed(0).padStart(6)} reads/s on ${load.connections} connections, p99 ` +
      `${load.p99.toFixed(0)} ms, ${load.failures} failed; lag ${lag} blocks; ${sockets.messages} messages, p99 ${sockets.p99} ms`,
  )
}

function averageCores(samples: readonly Sample[]): Pick<EngineResult, 'cores' | 'otherCores'> {
  const mean = (read: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + read(sample), 0) / samples.length
  const averages = components.map((name) => [name, mean(({ usage }) => usage[name].cores)] as const)
  const own = averages.reduce((sum, [, cores]) => sum + cores, 0)
  const busy = mean(({ machine }) => machine) * cpus().length
  return {
    cores: Object.fromEntries(averages) as Record<ComponentName, number>,
    otherCores: Math.max(0, busy - own),
  }
}

async function exchange<Reply>(
  child: ChildProcess,
  message: NodeTask | SocketsTask | SocketsMessage | LoadMessage,
): Promise<Reply> {
  const answer = receive<Reply>(child)
  child.send(message)
  return answer
}
