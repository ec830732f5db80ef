import { quantile } from '../children.ts'
import type { Market } from './market.ts'
import { get, type Load } from './processes.ts'
import type { Report } from './report.ts'

const REQUESTS = 100

/** A page of each list on a large market against the same page on a small one, one request at a time. */
export async function measureLists(
  load: Load,
  [small, large]: readonly [Market, Market],
  rounds: number,
  report: Report,
) {
  report.title('A page of a list, of many tokens and of few')
  for (const name of Object.keys(large.sample.lists)) {
    const times: [number[], number[]] = [[], []]
    for (let round = -1; round < rounds; round++) {
      for (const [at, { uncachedPort: port, sample }] of [large, small].entries()) {
        const requests = [get(sample.lists[name] as string)]
        const { latencies } = await load({ port, requests, connections: 1, count: REQUESTS })
        if (round >= 0) times[at as 0 | 1].push(...latencies)
      }
    }
    report.times(name, quantile(times[0], 0.5), quantile(times[1], 0.5), 1.3)
  }
}

/** Searches by kind of query, one at a time. */
export async function measureSearch(
  load: Load,
  { uncachedPort: port, sample }: Market,
  rounds: number,
  report: Report,
) {
  report.title('Searches')
  for (const [name, terms] of Object.entries(sample.searches)) {
    const requests = terms.map((term) => get(`/search?q=${encodeURIComponent(term)}`))
    await load({ port, requests, connections: 1, count: requests.length })
    const { latencies } = await load({ port, requests, connections: 1, count: REQUESTS * rounds })
    report.limit(name, quantile(latencies, 0.5), quantile(latencies, 0.99), 20)
  }
}
