import { boundName, type RangeName } from '../../schemas/screener.ts'
import { createRandom, type Random } from '../../test/support/seeded-random.ts'

/** Values that the tokens of bench/reads/seed.ts have, from and to. */
const spans: Record<RangeName, readonly [number, number]> = {
  age: [0, 3_000_000],
  marketCapUsd: [4_500, 15_000],
  liquidityUsd: [0, 5_000],
  'volumeUsd.m5': [0, 100],
  'volumeUsd.h1': [0, 500],
  'volumeUsd.h6': [0, 2_000],
  'volumeUsd.h24': [0, 5_000],
  'trades.m5': [0, 2],
  'trades.h1': [0, 4],
  'trades.h6': [0, 20],
  'trades.h24': [0, 60],
  'buys.m5': [0, 2],
  'buys.h1': [0, 2],
  'buys.h6': [0, 10],
  'buys.h24': [0, 40],
  'sells.m5': [0, 2],
  'sells.h1': [0, 2],
  'sells.h6': [0, 10],
  'sells.h24': [0, 40],
  'makers.m5': [0, 2],
  'makers.h1': [0, 4],
  'makers.h6': [0, 15],
  'makers.h24': [0, 40],
  'priceChangePct.m5': [-50, 100],
  'priceChangePct.h1': [-50, 100],
  'priceChangePct.h6': [-50, 100],
  'priceChangePct.h24': [-50, 100],
  progressPct: [0, 100],
  holders: [0, 2_000],
  top10Pct: [0, 100],
  creatorHeldPct: [0, 50],
  sniperPct: [0, 50],
  bundlerPct: [0, 50],
}
const names = Object.keys(spans) as RangeName[]
const sorts = ['trending', 'newest', 'mcap', 'volume', 'curve', 'graduated']
const statuses = ['curve', 'graduated', 'curve,completed', 'completed,graduated']
/** Most clients read the first page; the last is as deep as pages go. */
const pages = ['1', '1', '1', '2', '100']

/** Paths of filtered token lists. */
export function makePaths(count: number, seed: number): string[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => `/tokens?${new URLSearchParams(makeQuery(random))}`)
}

const pick = <T>(random: Random, values: readonly T[]): T => values[random(values.length)]!

function makeQuery(random: Random): Record<string, string> {
  const query: Record<string, string> = { sort: pick(random, sorts), limit: pick(random, ['20', '100']) }
  query.page = pick(random, pages)
  for (let left = 1 + random(5); left > 0; left--) {
    const name = pick(random, names)
    const [from, to] = spans[name]
    const ends = [0, 1].map(() => from + Math.floor((to - from) * (random(1_000) / 1_000))).sort((a, b) => a - b)
    const kind = random(3)
    delete query[boundName('min', name)]
    delete query[boundName('max', name)]
    if (kind !== 0) query[boundName('min', name)] = String(ends[0])
    if (kind !== 1) query[boundName('max', name)] = String(ends[1])
  }
  if (random(4) === 0) query.status = pick(random, statuses)
  if (random(6) === 0) query.hasLinks = pick(random, ['true', 'false'])
  if (random(10) === 0) query.featured = 'false'
  return query
}
