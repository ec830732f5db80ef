import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../../db/client.ts'
import { openLiveBus } from '../../features/live/live-bus.ts'
import { readFilter } from '../../features/screener/read-filter.ts'
import { Screener } from '../../features/screener/screener.ts'
import type { TokenOrdering } from '../../schemas/screener.ts'
import { quantile } from '../children.ts'
import { openScratchMarket } from '../reads/market.ts'
import { get, startLoad, startService } from '../reads/processes.ts'
import { makePaths } from './make-paths.ts'

interface Values {
  tokens: number
  filters: number
  rounds: number
  seed: number
  'database-url': string
  keep: boolean
}

const MEGABYTE = 1e6
const silent = { info: () => {}, warn: () => {}, error: () => {} }

export async function measureScreener({ tokens, filters, rounds, seed, keep, ...values }: Values): Promise<void> {
  const database = await openScratchMarket(values['database-url'], keep, tokens)
  try {
    const paths = makePaths(filters, seed)
    await measureSearch(database.url, paths, rounds)
    await measureRequests(database.url, paths, rounds)
  } finally {
    await database.drop()
  }
}

function report(name: string, milliseconds: readonly number[]): void {
  const [p50, p99, max] = [quantile(milliseconds, 0.5), quantile(milliseconds, 0.99), Math.max(...milliseconds)]
  console.log(`${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${max.toFixed(1)} ms`)
}

/** The search in memory alone, which blocks the event loop. */
async function measureSearch(databaseUrl: string, paths: readonly string[], rounds: number): Promise<void> {
  const { db, close } = await openDatabase({ databaseUrl, dataDir: '' })
  const live = await openLiveBus({ db, redis: null, log: silent })
  const screener = new Screener({ db, live, log: silent, waitMs: 600_000 })
  const start = performance.now()
  await screener.catchUp()
  const seconds = (performance.now() - start) / 1_000
  console.log(`${screener.size.toLocaleString('en')} tokens are in memory after ${seconds.toFixed(1)} s`)
  console.log(
    `They take ${(screener.bytes / MEGABYTE).toFixed(0)} MB, ${Math.round(screener.bytes / screener.size)} bytes a token`,
  )
  const [times, busy]: [number[], number[]] = [[], []]
  const totals: number[] = []
  for (let round = -1; round < rounds; round++) {
    for (const path of paths) {
      const query = Object.fromEntries(new URLSearchParams(path.slice(path.indexOf('?') + 1)))
      const { sort, limit, page, ...given } = query as Record<string, string> & { sort: TokenOrdering['sort'] }
      const filter = readFilter(toNumbers(given), [])!
      const [started, usage] = [performance.now(), process.threadCpuUsage()]
      const offset = (Number(page) - 1) * Number(limit)
      const { total } = screener.list({
        filter,
        order: { sort, direction: 'desc' },
        limit: Number(limit) + 1,
        offset,
        after: null,
      })
      if (round >= 0) {
        times.push(performance.now() - started)
        busy.push(process.threadCpuUsage(usage).user / 1_000)
      }
      if (round === 0) totals.push(total)
    }
  }
  report('A search in memory', times)
  report('Its processor time', busy)
  console.log(
    `Tokens that match a filter: ${[0, 0.25, 0.5, 0.75, 1].map((part) => quantile(totals, part)).join(', ')} (quartiles)`,
  )
  await screener.close()
  await live.close()
  await close()
}

/** Converts the numbers of a query as the route's schema does. */
const toNumbers = (query: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      value === 'true' || value === 'false' ? value === 'true' : /^(min|max)/.test(name) ? Number(value) : value,
    ]),
  )

async function measureRequests(databaseUrl: string, paths: readonly string[], rounds: number): Promise<void> {
  const { port, child } = await startService(databaseUrl, undefined, undefined, { ANSWER_CACHE_MB: '0' })
  const read = async (path: string) => await fetch(`http://127.0.0.1:${port}${path}`)
  try {
    const start = performance.now()
    while ((await read('/tokens?minHolders=1')).status !== 200) await pause(100)
    const seconds = (performance.now() - start) / 1_000
    console.log(`The service answers filtered lists ${seconds.toFixed(1)} s after it listens`)
    const { load } = await startLoad()
    const requests = paths.map((path) => get(path))
    await load({ port, requests, connections: 1, count: requests.length })
    for (const connections of [1, 4]) {
      const { latencies } = await load({ port, requests, connections, count: requests.length * rounds })
      report(`A request, ${connections} at a time`, latencies)
    }
    const metrics = await (await read('/metrics')).text()
    const rss = Number(/^\w*process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1])
    console.log(`The process takes ${(rss / MEGABYTE).toFixed(0)} MB`)
  } finally {
    child.kill()
  }
}
