// Measures reads over HTTP: node bench/reads.ts --help
import { parseArgs } from 'node:util'
import { comparePonder } from './reads/compare-ponder.ts'
import { type Market, openMarket } from './reads/market.ts'
import { measureMemory } from './reads/memory.ts'
import { startLoad } from './reads/processes.ts'
import { measureCold, measureHot } from './reads/rates.ts'
import { createReport } from './reads/report.ts'
import { measureLists, measureSearch } from './reads/times.ts'

const DEFAULT_DATABASE_URL = 'postgres://postgres@127.0.0.1:5432/postgres'
const PARTS = ['hot', 'memory', 'cold', 'lists', 'search']

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '1000000' },
    small: { type: 'string', default: '10000' },
    trades: { type: 'string', default: '150000' },
    rounds: { type: 'string', default: '5' },
    'database-url': { type: 'string', default: DEFAULT_DATABASE_URL },
    'redis-url': { type: 'string' },
    only: { type: 'string', default: PARTS.join() },
    vs: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const HELP = `Usage: npm run bench:reads -- [options]

Fills two databases with tokens, runs the service in a separate process and measures reads over HTTP: hot reads and
304s against a bare node:http server that sends the same bytes; the memory of a service that answers 1,000 popular URLs;
and with a service that keeps no answers: reads of tokens against Fastify's hello-world, a page of every list against a
page of the small database, and searches.

  --tokens N          tokens in the large database                 (1000000)
  --small N           tokens in the small database               (10000)
  --trades N          with --vs: trades of 40 tokens             (150000)
  --rounds N          rounds per comparison; prints medians      (5)
  --database-url URL  a PostgreSQL server, on which the benchmark creates and drops its databases
                      (${DEFAULT_DATABASE_URL})
  --redis-url URL     Redis in which the service counts quotas; by default it counts in its own process
  --only PARTS        comma-separated parts: ${PARTS.join(', ')}
  --vs ponder         instead of that, ask Ponder 0.16.10 and the service the same questions about the same trades
  --keep              keep the databases (with --vs: the chain and Ponder's installation) after the run, and reuse those
                      of an earlier run
  --help              this text`

if (values.help) console.log(HELP)
else await main()
process.exit()

async function main(): Promise<void> {
  const parts = values.only.split(',')
  const unknown = parts.find((part) => !PARTS.includes(part))
  if (unknown !== undefined) throw new Error(`--only has the unknown part ${unknown}; expected ${PARTS.join(', ')}`)
  const rounds = { rounds: parseCount('rounds'), ms: 2_000 }
  const report = createReport(console.log)
  if (values.vs !== undefined) {
    if (values.vs !== 'ponder') throw new Error(`--vs is ${values.vs}; expected ponder`)
    const place = { serverUrl: values['database-url'], redisUrl: values['redis-url'], keep: values.keep }
    return comparePonder({ ...place, trades: parseCount('trades') }, rounds, report)
  }
  const markets: Market[] = []
  const open = async (name: 'tokens' | 'small') => {
    const place = { serverUrl: values['database-url'], redisUrl: values['redis-url'], keep: values.keep }
    const market = await openMarket(place, parseCount(name))
    markets.push(market)
    return market
  }
  try {
    const large = await open('tokens')
    const { load } = await startLoad()
    if (parts.includes('hot')) await measureHot(load, large, rounds, report)
    if (parts.includes('memory')) await measureMemory(load, large, report)
    if (parts.includes('cold')) await measureCold(load, large, rounds, report)
    if (parts.includes('lists')) await measureLists(load, [await open('small'), large], rounds.rounds, report)
    if (parts.includes('search')) await measureSearch(load, large, rounds.rounds, report)
  } finally {
    for (const market of markets) await market.close()
  }
}

function parseCount(name: 'tokens' | 'small' | 'rounds' | 'trades'): number {
  const count = Number(values[name])
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`--${name} is ${values[name]}; expected an integer from 1`)
  return count
}
