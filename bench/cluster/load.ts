// Mixed reads on keep-alive connections, one at a time on each, in a process of its own.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { ask } from '../soak/client.ts'
import { createRequests, type Operation, operations } from './operations.ts'
import type { Shape } from './shape.ts'

export interface LoadTask {
  url: string
  shape: Shape
  connections: number
  warmUpMs: number
}

/** Since the last report. */
export interface LoadReport {
  answers: number
  /** Answers per second. */
  rate: number
  connections: number
  /** Milliseconds. */
  p99: number
  /** 5xx, or no response. */
  failures: number
  /** Responses that are neither 200 nor 5xx, and their first. */
  unexpected: number
  sample: string | undefined
}

/** After the warm-up. */
export interface LoadResult {
  seconds: number
  operations: Record<Operation, { answers: number; p50: number; p99: number; max: number; failures: number }>
}

export type LoadMessage = 'report' | 'finish'

interface Load {
  take(): LoadReport
  finish(): LoadResult
}

const RAMP_MS = 250

const newReport = () => ({
  since: performance.now(),
  answers: 0,
  failures: 0,
  unexpected: 0,
  sample: undefined as string | undefined,
})

function run({ url, shape, connections, warmUpMs }: LoadTask): Load {
  const draw = createRequests(shape)
  const histograms = new Map<Operation, { times: RecordableHistogram; failures: number }>()
  for (const one of operations) histograms.set(one, { times: createHistogram(), failures: 0 })
  const start = performance.now()
  const isWarm = () => performance.now() - start >= warmUpMs
  let [report, second] = [newReport(), createHistogram()]
  let open = 0
  const sendOne = async () => {
    const { operation, sent } = draw()
    const [sentAt, counts] = [performance.now(), isWarm()]
    const { status, text } = await ask(url, sent)
    const micros = Math.max(1, Math.round((performance.now() - sentAt) * 1_000))
    const failed = status === 0 || status >= 500
    report.answers += 1
    second.record(micros)
    if (failed) report.failures += 1
    else if (!sent.expect.includes(status)) report.unexpected += 1
    if (!sent.expect.includes(status)) report.sample ??= `${status} ${sent.path} ${text.slice(0, 160)}`
    if (!counts) return
    const own = histograms.get(operation)!
    own.times.record(micros)
    if (failed) own.failures += 1
  }
  const connect = async () => {
    open += 1
    for (;;) await sendOne()
  }
  void connect()
  setInterval(() => {
    const due = Math.ceil(connections * Math.min(1, (performance.now() - start) / warmUpMs))
    while (open < due) void connect()
  }, RAMP_MS)
  const take = (): LoadReport => {
    const { since, ...counts } = report
    const p99 = second.count === 0 ? 0 : second.percentile(99) / 1_000
    const rate = (counts.answers * 1_000) / (performance.now() - since)
    report = newReport()
    second = createHistogram()
    return { ...counts, rate, connections: open, p99 }
  }
  const finish = (): LoadResult => {
    const entries = [...histograms].map(([operation, { times, failures }]) => {
      const at = (percent: number) => (times.count === 0 ? 0 : times.percentile(percent) / 1_000)
      return [operation, { answers: times.count, p50: at(50), p99: at(99), max: at(100), failures }]
    })
    return { seconds: (performance.now() - start - warmUpMs) / 1_000, operations: Object.fromEntries(entries) }
  }
  return { take, finish }
}

let load: Load
process.on('message', (task: LoadTask | LoadMessage) => {
  if (typeof task === 'object') load = run(task)
  else if (task === 'report') process.send?.(load.take())
  else process.send?.(load.finish(), () => process.exit())
})
process.on('disconnect', () => process.exit())
process.on('SIGINT', () => {})
process.send?.({ ready: true })
