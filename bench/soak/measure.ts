import { UsageError } from '../../lib/commands/options.ts'
import { receive, startChild } from '../children.ts'
import type { LoadReport, LoadTask } from './client.ts'
import { judge, printHead, printMinute, type Sample } from './report.ts'
import { startStack } from './stack.ts'

interface Values {
  minutes: number
  'warm-up': number | undefined
  sockets: number
  rate: number
  growth: number
  'database-url': string
  'redis-url': string
}

/** Resolves to the exit code: 1 if the verdict is bad, 2 if there is none. */
export async function soak({ minutes, sockets, rate, growth, ...values }: Values): Promise<number> {
  const warmUp = values['warm-up'] ?? Math.min(15, minutes / 3)
  if (warmUp > minutes) throw new UsageError(`--warm-up is ${warmUp}, longer than --minutes: ${minutes}`)
  const stack = await startStack({ serverUrl: values['database-url'], redisUrl: values['redis-url'] })
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
  try {
    const { child: load } = await startChild(new URL('load.ts', import.meta.url))
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
    const isGood = judge(samples, { warmUp, rate, growth })
    return isGood === undefined ? 2 : isGood ? 0 : 1
  } finally {
    await stack.close()
  }
}
