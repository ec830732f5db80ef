import type { LoadReport } from './load.ts'
import type { SocketsReport } from './sockets.ts'
import type { Usage } from './usage.ts'

export const components = ['API', 'indexer', 'database', 'Redis', 'node', 'readers', 'sockets'] as const
export type ComponentName = (typeof components)[number]

/** One second of the measurement. */
export interface Sample {
  second: number
  load: LoadReport
  sockets: SocketsReport
  /** Blocks that the indexer is behind; one a second. */
  lag: number
  usage: Record<ComponentName, Usage>
  /** Share of the machine's processors that is busy, with all programs. */
  machine: number
}

export interface Saturation {
  what: string
  second: number
  /** At that time. */
  rate: number
  connections: number
}

/** A sign counts when it holds for so many samples in a row: one garbage collection is no saturation. */
const IN_A_ROW = 3
const FULL = 0.9

const isFull = (name: ComponentName) => (sample: Sample) => sample.usage[name].most >= FULL

const signs: readonly [what: string, holds: (sample: Sample) => boolean][] = [
  ['the machine: 95 % of its processors are busy', ({ machine }) => machine >= 0.95],
  ['an API process: it uses a whole core', isFull('API')],
  ['the indexer: it uses a whole core', isFull('indexer')],
  ['the reading client of the benchmark: it uses a whole core', isFull('readers')],
  ['the sockets of the benchmark: they use a whole core', isFull('sockets')],
  ['the invented node: it uses a whole core', isFull('node')],
  ['Redis: it uses a whole core', isFull('Redis')],
  ['reads: p99 is above a second', ({ load }) => load.p99 > 1_000],
  ['reads: 5xx', ({ load }) => load.failures > 0],
  ['writes: the indexer is more than five blocks behind', ({ lag }) => lag > 5],
  ['sockets: p99 of the delay is above two seconds', ({ sockets }) => sockets.p99 > 2_000],
  ['sockets: the service closes some', ({ sockets }) => sockets.breaks > 0],
]

/** The signs of saturation in the order of their first appearance. */
export function findSaturations(samples: readonly Sample[]): Saturation[] {
  const found = signs.flatMap(([what, holds]): Saturation[] => {
    const at = samples.findIndex((_, index) => {
      const row = samples.slice(index, index + IN_A_ROW)
      return row.length === IN_A_ROW && row.every(holds)
    })
    const sample = samples[at]
    if (!sample) return []
    const { second, load } = sample
    return [{ what, second, rate: load.rate, connections: load.connections }]
  })
  return found.sort((a, b) => a.second - b.second)
}
