import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { quantile } from '../children.ts'

/** When a trade's block was mined, and when its message reached the client, in unix milliseconds. */
export interface Journey {
  mined: number
  arrived: number
}

interface OtlpSpan {
  traceId: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string }[]
}
interface OtlpBody {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[]
}

/** A collector that accepts OTLP over HTTP in JSON and keeps the spans. */
export async function startCollector() {
  const spans: OtlpSpan[] = []
  const server = createServer(async (request, response) => {
    const { resourceSpans } = JSON.parse(await readBody(request)) as OtlpBody
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    close: () => server.close(),
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

interface Interval {
  start: number
  end: number
}

const intervalOf = ({ startTimeUnixNano: start, endTimeUnixNano: end }: OtlpSpan): Interval => ({
  start: Number(start) / 1e6,
  end: Number(end) / 1e6,
})

/** Milliseconds in which at least one of the intervals is open. */
function measureUnion(intervals: readonly Interval[]): number {
  let [total, until] = [0, Number.NEGATIVE_INFINITY]
  for (const { start, end } of intervals.toSorted((a, b) => a.start - b.start)) {
    total += Math.max(0, end - Math.max(start, until))
    until = Math.max(until, end)
  }
  return total
}

/** Prints the medians of the parts of these journeys, by the step of the indexer that committed each trade. */
export function printParts(journeys: readonly Journey[], spans: readonly OtlpSpan[]): void {
  const traces = Map.groupBy(spans, ({ traceId }) => traceId)
  const steps = [...traces.values()].flatMap((own) => {
    const step = own.find(({ name }) => name === 'indexer follow')
    const commit = own.findLast(({ name }) => name === 'commit')
    return step && commit ? [{ own, start: intervalOf(step).start, committed: intervalOf(commit).end }] : []
  })
  const parts = journeys.flatMap(({ mined, arrived }) => {
    const step = steps.find(({ start, committed }) => start < arrived && committed > mined && committed <= arrived + 1)
    if (!step) return []
    const { own, start, committed } = step
    const inside = own.filter((span) => intervalOf(span).end <= committed)
    const measure = (key: string) =>
      measureUnion(inside.filter(({ attributes }) => attributes.some((one) => one.key === key)).map(intervalOf))
    const [node, database] = [measure('rpc.method'), measure('db.query.text')]
    return [
      {
        // Negative where the node pushed the block to the service first.
        'until the step begins': Math.max(0, start - mined),
        'requests to the node': node,
        'statements of the database': database,
        'the rest of the step': committed - start - node - database,
        'from the commit to the client': arrived - committed,
      },
    ]
  })
  if (parts.length === 0) throw new Error('No step of the indexer was recorded')
  console.log(`Where the time goes, with tracing, medians of ${parts.length} trades:`)
  for (const name of Object.keys(parts[0]!) as (keyof (typeof parts)[0])[]) {
    const times = parts.map((part) => part[name])
    console.log(`  ${name.padEnd(30)}${quantile(times, 0.5).toFixed(1).padStart(6)} ms`)
  }
}
