// Measures memory and delays of a service under steady mixed load: see HELP.
import { parseArgs } from 'node:util'
import { receive, startChild } from './children.ts'
import type { LoadReport, LoadTask } from './soak/client.ts'
import { judge, printHead, printMinute, type Sample } from './soak/report.ts'
import { startStack } from './soak/stack.ts'

const HELP = `Usage: npm run bench:soak -- [options]

Runs a service (PostgreSQL, Redis, anvil with a trading market) in a separate process and loads it from another process: hot
reads, lists, charts, searches, uploads, link previews, comments, likes, sign-ins, receipt syncs, RPC proxy calls, and sockets that
subscribe, unsubscribe, disconnect and replay. Prints a line per minute and, at the end, a verdict: the slope of the memory after
the warm-up. Exits with 1 if memory grew, a response was a 5xx, or the rate was not reached. It sends requests to
127.0.0.1 only, and stops by itself.

  --minutes N         how long, 1 to 240                                  (5)
  --warm-up N         minutes at the start that are not measured          (a third of --minutes, at most 15)
  --sockets N         sockets, 1 to 10000                                 (1000)
  --rate N            requests a second, 1 to 5000                        (300)
  --growth N          maximum growth of memory per hour, in percent of its mean (10)
  --database-url URL  a PostgreSQL server, on which the benchmark creates and drops a database
                      (postgres://postgres@127.0.0.1:5432/postgres)
  --redis-url URL     a Redis                                             (redis://127.0.0.1:6379)
  --help              this text`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    'warm-up': { type: 'string' },
    sockets: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '300' },
    growth: { type: 'string', default: '10' },
    'database-url': { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    'redis-url': { type: 'string', default: 'redis://127.0.0.1:6379' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) console.log(HELP)
else await main()
process.exit()

async function main(): Promise<void> {
  const minutes = parseNumber('minutes', 1, 240)
  const [sockets, rate] = [parseNumber('sockets', 1, 10_000), parseNumber('rate', 1, 5_000)]
  const warmUp = values['warm-up'] === undefined ? Math.min(15, minutes / 3) : parseNumber('warm-up', 0, minutes)
  const growth = parseNumber('growth', 1, 100)
  const stack = await startStack({ serverUrl: values['database-url'], redisUrl: values['redis-url'] })
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
  try {
    const { child: load } = await startChild(new URL('soak/load.ts', import.meta.url))
    const task: LoadTask = { url: stack.url, node: stack.node, contracts: stack.contracts, sockets, rate }
    load.send(task)
    const samples: Sample[] = []
    printHead()
    const start = performance.now()
    while (!stopped.signal.aborted && performance.now() - start < minutes * 60_000) {
      const report = await receive<LoadReport>(load)
      const sample = { minute: (performance.now() - start) / 60_000, ...(await stack.measure()), ...report }
      samples.push(sample)
      printMinute(sample)
    }
    load.kill()
    process.exitCode = judge(samples, { warmUp, rate, growth }) ? 0 : 1
  } finally {
    await stack.close()
  }
}

function parseNumber(name: 'minutes' | 'warm-up' | 'sockets' | 'rate' | 'growth', least: number, most: number): number {
  const number = Number(values[name])
  if (!(number >= least && number <= most))
    throw new Error(`--${name} is ${values[name]}; expected a number from ${least} to ${most}`)
  return number
}
