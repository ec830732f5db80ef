// What reads cost: node bench/reads.ts --help
import { parseArgs } from 'node:util'
import { type Market, openMarket } from './reads/market.ts'
import { startLoad } from './reads/processes.ts'
import { measureCold, measureHot } from './reads/rates.ts'
import { createReport } from './reads/report.ts'
import { measureLists, measureSearch } from './reads/times.ts'

const DEFAULT_DATABASE_URL = 'postgres://postgres@127.0.0.1:5432/postgres'
const PARTS = ['hot', 'cold', 'lists', 'search']

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '1000000' },
    small: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    'database-url': { type: 'string', default: DEFAULT_DATABASE_URL },
    'redis-url': { type: 'string' },
    only: { type: 'string', default: PARTS.join() },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const HELP = `Usage: npm run bench:reads -- [options]

Fills two databases with tokens and measures what it costs to read them over HTTP of a service in a process of its own: hot
reads and 304s against a bare node:http server that sends the same bytes, tokens that nobody has read lately against
Fastify's hello-world, a page of every list against one of the small database, and searches.

  --tokens N          tokens of the large database                 (1000000)
  --small N           tokens of the small one                      (10000)
  --rounds N          rounds of each comparison; medians are printed (5)
  --database-url URL  a PostgreSQL server, where databases of the benchmark's own are made and dropped
                      (${DEFAULT_DATABASE_URL})
  --redis-url URL     where the service counts quotas, as replicas do; otherwise it does so in its own process
  --only PARTS        some of ${PARTS.join(', ')}, comma-separated
  --keep              use the databases of an earlier run, and leave them there
  --help              this text`

if (values.help) console.log(HELP)
else await main()
process.exit()

async function main(): Promise<void> {
  const parts = values.only.split(',')
  const unknown = parts.find((part) => !PARTS.includes(part))
  if (unknown !== undefined) throw new Error(`--only: ${unknown} is none of ${PARTS.join(', ')}`)
  const rounds = { rounds: parseCount('rounds'), ms: 2_000 }
  const report = createReport(console.log)
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
    if (parts.includes('cold')) await measureCold(load, large, rounds, report)
    if (parts.includes('lists')) await measureLists(load, [await open('small'), large], rounds.rounds, report)
    if (parts.includes('search')) await measureSearch(load, large, rounds.rounds, report)
  } finally {
    for (const market of markets) await market.close()
  }
}

function parseCount(name: 'tokens' | 'small' | 'rounds'): number {
  const count = Number(values[name])
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`--${name}: a number from 1, not ${values[name]}`)
  return count
}
