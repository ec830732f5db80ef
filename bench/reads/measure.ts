import { UsageError } from '../../lib/commands/options.ts'
import { comparePonder } from './compare-ponder.ts'
import { type Market, openMarket } from './market.ts'
import { measureMemory } from './memory.ts'
import { startLoad } from './processes.ts'
import { measureCold, measureHot } from './rates.ts'
import { createReport } from './report.ts'
import { measureLists, measureSearch } from './times.ts'

type Part = 'hot' | 'memory' | 'cold' | 'lists' | 'search'

interface Values {
  tokens: number
  small: number
  trades: number
  rounds: number
  'database-url': string
  'redis-url': string | undefined
  workers: number
  only: readonly Part[]
  vs: 'ponder' | undefined
  keep: boolean
}

export async function measureReads({ only: parts, workers, ...values }: Values): Promise<void> {
  if (workers > 1 && values['redis-url'] === undefined)
    throw new UsageError('--workers above 1 needs --redis-url: workers count quotas in Redis')
  if (workers > 1 && values.vs !== undefined) throw new UsageError('--workers and --vs exclude each other')
  const rounds = { rounds: values.rounds, ms: 2_000 }
  const report = createReport(console.log)
  if (values.vs !== undefined) {
    const place = { serverUrl: values['database-url'], redisUrl: values['redis-url'], keep: values.keep }
    return comparePonder({ ...place, trades: values.trades }, rounds, report)
  }
  const markets: Market[] = []
  const open = async (name: 'tokens' | 'small') => {
    const place = { serverUrl: values['database-url'], redisUrl: values['redis-url'], keep: values.keep, workers }
    const market = await openMarket(place, values[name])
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
