import { quantile } from '../children.ts'
import type { Market } from './market.ts'
import { get, type Load, startPeer } from './processes.ts'
import { record } from './record.ts'
import type { Report } from './report.ts'

const CONNECTIONS = 64

interface Side {
  port: number
  requests: string[]
}

interface Rounds {
  rounds: number
  ms: number
}

/** Responses per second of both sides, which alternate, so that other load affects both. */
async function compare(load: Load, ours: Side, theirs: Side, { rounds, ms }: Rounds, awake = false) {
  const rates: [number[], number[]] = [[], []]
  for (let round = -1; round < rounds; round++) {
    for (const [at, side] of [ours, theirs].entries()) {
      const outcome = await load({ ...side, connections: CONNECTIONS, ms, awake })
      // The first round is a warm-up.
      if (round >= 0) rates[at as 0 | 1].push((outcome.answers / outcome.ms) * 1000)
    }
  }
  return { ours: quantile(rates[0], 0.5), theirs: quantile(rates[1], 0.5) }
}

/** Popular paths, against a bare server that sends the same bytes. */
export async function measureHot(load: Load, { port, sample }: Market, rounds: Rounds, report: Report) {
  report.title('Hot reads')
  const bare = await startPeer('bare')
  for (const [name, paths] of Object.entries(sample.hot)) {
    const answers = await Promise.all(paths.map((path) => record(port, path)))
    const ready = new Promise((resolve) => bare.child.once('message', resolve))
    bare.child.send(answers)
    await ready
    for (const status of [200, 304]) {
      const requests = answers.map(({ path, tag }) => get(path, status === 304 ? tag : undefined))
      const sides = [
        { port, requests },
        { port: bare.port, requests },
      ] as const
      const { ours, theirs } = await compare(load, ...sides, rounds, true)
      report.rate(`${name}, ${status}`, ours, 'node:http', theirs, 0.5)
    }
  }
  bare.child.kill()
}

/** Uncached tokens, each requested once, against a response without data. */
export async function measureCold(load: Load, { uncachedPort: port, sample }: Market, rounds: Rounds, report: Report) {
  report.title('Cold reads')
  const hello = await startPeer('hello')
  const ours = { port, requests: sample.cold.map((path) => get(path)) }
  // Warms PostgreSQL's pages; the service does not cache these responses.
  await load({ ...ours, connections: CONNECTIONS, count: ours.requests.length })
  const outcome = await compare(load, ours, { port: hello.port, requests: [get('/')] }, rounds)
  report.rate('token by its address', outcome.ours, 'Fastify', outcome.theirs, 0.3)
  hello.child.kill()
}
